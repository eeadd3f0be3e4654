#include "apl/service/profile_text.h"

#include <fmt/format.h>

#include "apl/plan/plan_printer.h"
#include "store/base/told_number.h"

namespace evq {
namespace {

constexpr double kNsPerMs = 1e6;
constexpr double kUsPerMs = 1e3;
constexpr double kBytesPerMib = 1024.0 * 1024.0;

}  // namespace

std::string profile_text(const plan::Node& root, const QueryProfile& profile,
                         const QueryStatus& status, std::size_t workers) {
  std::string text = fmt::format("{:>12} {:>12}\n", "rows", "time");
  text += plan::print_plan(root, [&](const plan::Node& node) {
    const NodeCost* cost = profile.find(node);
    return cost == nullptr ? fmt::format("{:>12} {:>12}  ", "-", "-")
                           : fmt::format("{:>12} {:>9.2f} ms  ", grouped_text(cost->rows.load()),
                                         static_cast<double>(cost->time_ns.load()) / kNsPerMs);
  });
  text += fmt::format(
      "{} of {} blocks read, {} rows examined; {:.2f} ms with {} worker{}, at most {:.1f} MiB "
      "held\n",
      grouped_text(status.blocks_examined), grouped_text(status.blocks_total),
      grouped_text(status.rows_examined), static_cast<double>(status.elapsed_us) / kUsPerMs,
      workers, workers == 1 ? "" : "s",
      static_cast<double>(status.memory_peak_bytes) / kBytesPerMib);
  return text;
}

}  // namespace evq

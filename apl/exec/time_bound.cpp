#include "apl/exec/time_bound.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "apl/exec/pruning.h"
#include "apl/plan/node_traits.h"

namespace evq {
namespace {

// The scan all of whose rows `node` gives, or null.
const plan::Scan* scan_of_all_rows(const plan::Node& node) {
  if (const auto* scan = std::get_if<plan::Scan>(&node.op)) {
    return scan->filters.empty() ? scan : nullptr;
  }
  const plan::NodeTraits traits = plan::traits_of(node.op);
  const bool keeps_rows = traits.by_row && traits.rows == plan::RowsMade::kOfEach;
  return keeps_rows ? scan_of_all_rows(*node.inputs[0]) : nullptr;
}

}  // namespace

void draw_to_extreme(const Vector& times, TimeBound* bound) {
  std::optional<std::int64_t> extreme;
  for (std::size_t row = 0; row < times.size(); ++row) {
    if (!times.is_null(row)) {
      const auto time = times.at<std::int64_t>(row);
      extreme = !extreme.has_value() ? time
                : bound->newest()    ? std::max(*extreme, time)
                                     : std::min(*extreme, time);
    }
  }
  if (extreme.has_value()) {
    bound->draw_to(*extreme);
  }
}

Status draw_to_catalog(Executor& executor, const plan::Node& node, std::size_t rows,
                       TimeBound* bound) {
  const plan::Scan* scan = scan_of_all_rows(node);
  if (scan == nullptr || rows == 0) {
    return {};
  }
  EVQ_TRY_ASSIGN(const Snapshot* snapshot, executor.tables().snapshot(scan->table));
  std::vector<const SnapshotBlock*> whole;
  for (const SnapshotBlock& block : snapshot->blocks()) {
    if (lies_inside(block, *scan, scan->time_min, scan->time_max)) {
      whole.push_back(&block);
    }
  }
  const auto far_end = [bound](const SnapshotBlock* block) {
    return bound->newest() ? block->min_time : block->max_time;
  };
  std::ranges::sort(whole, [&](const SnapshotBlock* a, const SnapshotBlock* b) {
    return bound->newest() ? far_end(a) > far_end(b) : far_end(a) < far_end(b);
  });
  std::uint64_t seen = 0;
  for (const SnapshotBlock* block : whole) {
    seen += block->rows;
    if (seen >= rows) {
      bound->draw_to(far_end(block));
      break;
    }
  }
  return {};
}

}  // namespace evq

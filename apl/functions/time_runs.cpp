#include "apl/functions/time_runs.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace evq {
namespace {

constexpr std::size_t kRunsMax = 1024;
constexpr std::size_t kRowsPerRunMin = 8;

// The unit of the last instant; one that would begin before all instants begins with them.
class CurrentUnit {
 public:
  explicit CurrentUnit(std::int64_t width) : width_(static_cast<std::uint64_t>(width)) {}

  bool holds(std::int64_t ns) const { return bits(ns) - begin_ < width_; }
  void move_to(std::int64_t ns) {
    const std::int64_t rest = ns % static_cast<std::int64_t>(width_);
    begin_ = bits(ns) - bits(rest) - (rest < 0 ? width_ : 0);
  }

 private:
  static std::uint64_t bits(std::int64_t ns) { return static_cast<std::uint64_t>(ns); }

  std::uint64_t width_;
  std::uint64_t begin_ = 0;  // modulo 2^64
};

// Flat times without nulls as a dictionary: an entry for each run of one unit, its first instant.
std::optional<Vector> code_runs_of_unit(const Vector& times, std::int64_t unit_ns) {
  const std::size_t rows = times.size();
  const std::size_t runs_max = std::min(kRunsMax, rows / kRowsPerRunMin);
  if (runs_max == 0) {
    return std::nullopt;
  }
  const auto* data = times.values().data<std::int64_t>();
  const std::shared_ptr<Code[]> codes = make_codes(rows);
  Code* to = codes.get();
  std::vector<std::int64_t> firsts{data[0]};
  CurrentUnit unit(unit_ns);
  unit.move_to(data[0]);
  for (std::size_t i = 0; i < rows; ++i) {
    if (!unit.holds(data[i])) {
      if (firsts.size() == runs_max) {
        return std::nullopt;
      }
      unit.move_to(data[i]);
      firsts.push_back(data[i]);
    }
    to[i] = static_cast<Code>(firsts.size() - 1);
  }
  const auto entries = Values::make(times.type(), firsts.size());
  std::ranges::copy(firsts, entries->mutable_data<std::int64_t>());
  return Vector::dictionary(entries, codes, rows);
}

}  // namespace

Vector call_by_unit(const KernelCall& call, std::size_t time, std::int64_t unit_ns, Kernel kernel) {
  const Vector& times = call.args[time];
  bool alone = times.is_flat() && !times.may_have_nulls();
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    alone = alone && (i == time || call.args[i].is_constant());
  }
  const std::optional<Vector> coded = alone ? code_runs_of_unit(times, unit_ns) : std::nullopt;
  if (!coded.has_value()) {
    return kernel(call);
  }
  const std::size_t entries = coded->values().size();
  std::vector<Vector> args;
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    args.push_back(i == time ? Vector::flat(coded->shared_values())
                             : Vector::constant(call.args[i].shared_values(), entries));
  }
  const Vector results = kernel({call.context, args, entries}).flatten();
  return Vector::dictionary(results.shared_values(), coded->shared_codes(), call.rows);
}

}  // namespace evq

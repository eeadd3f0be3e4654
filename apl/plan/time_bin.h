#pragma once
// Which expressions round a time down to bins of one width: what rate() divides by, what a limit
// behind a summarize counts groups in, and what the API's answers call buckets. Pure functions.

#include <cstdint>
#include <optional>

#include "apl/functions/function.h"
#include "apl/plan/expr.h"

namespace evq::plan {

struct TimeBin {
  std::int64_t width_ns = 0;
  std::int64_t origin_ns = 0;  // where one of the bins begins
};

// Returns the bins of bin(), floor() or bin_at() of a datetime with constants, or of bin_auto().
std::optional<TimeBin> find_time_bin(const Expr& expr, const EvalContext& context);

}  // namespace evq::plan

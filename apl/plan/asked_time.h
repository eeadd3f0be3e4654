#pragma once
// asked_time_range(): the range of time that suits what a pipeline reads, for bin_auto() and
// rate(): that of the query, and where it is open what conditions on the time of events leave of
// the data. It optimises the pipeline to see them, and ends when the query must.

#include <optional>

#include "apl/functions/function.h"
#include "apl/plan/plan.h"
#include "store/base/result.h"

namespace evq::plan {

// Returns `context` with open sides of its range closed by the conditions on time that the rows of
// `node` meet, as far as they are within the data; nullopt where they close none.
// kTimeout and kCancelled as the context's control says.
Result<std::optional<EvalContext>> asked_time_range(const Node& node, const EvalContext& context);

}  // namespace evq::plan

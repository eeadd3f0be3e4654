#pragma once
// Whether a plan gives the same rows when it runs again over the same snapshots: then what does not
// fit into memory may be made from it some at a time. Any thread.

#include "apl/plan/plan.h"

namespace evq {

// Whether `node` gives the same rows at each run, in whatever order; false where that is not known.
bool is_repeatable(const plan::Node& node);

}  // namespace evq

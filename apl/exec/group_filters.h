#pragma once
// Group filters: the conditions right above an aggregation, which its groups can be held to before
// all of them are made. Pure; any thread; fails as evaluations do.

#include <cstddef>
#include <span>

#include "apl/exec/eval.h"
#include "apl/exec/group_states.h"
#include "apl/plan/plan.h"

namespace evq {

// The groups of a part, which is settled, that all `filters` let through. Groups have `keys`
// columns that they are told by, then their results; only what is looked at is made. A filter that
// may say otherwise the next time is passed over.
RowList groups_that_pass(const GroupStates& part, std::size_t keys,
                         std::span<const plan::Filter* const> filters, const EvalContext& context);

}  // namespace evq

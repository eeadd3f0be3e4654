#pragma once
// Group filters: the conditions right above an aggregation, which its groups can be held to before
// all of them are made. Pure; any thread; fails as evaluations do.

#include <cstddef>
#include <span>

#include "apl/exec/eval.h"
#include "apl/exec/group_states.h"
#include "apl/plan/plan.h"

namespace evq {

// Returns the groups of a settled part that pass all `filters`, whose input columns are the `keys`
// group keys and then the results; only columns that a filter reads are made. Filters that are not
// deterministic are skipped.
RowList groups_that_pass(const GroupStates& part, std::size_t keys,
                         std::span<const plan::Filter* const> filters, const EvalContext& context);

}  // namespace evq

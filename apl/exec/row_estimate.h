#pragma once
// How many rows a node is likely to give, guessed from what snapshots know and from what a scan's
// conditions let through in a few of many blocks: for choices that no answer depends on. What
// cannot be read counts as empty.

#include "apl/exec/executor.h"
#include "apl/plan/plan.h"

namespace evq {

double estimated_rows(Executor& executor, const plan::Node& node);

}  // namespace evq

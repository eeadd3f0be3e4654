#pragma once
// How many rows a node is likely to give, guessed from what snapshots know and from what a scan's
// conditions let through in a few of many blocks: for choices that no answer depends on. A
// dataset that cannot be read counts as empty; conditions that cannot be tried, as when the query
// must end, count as conditions do on the average.

#include "apl/exec/executor.h"
#include "apl/plan/plan.h"

namespace evq {

double estimated_rows(Executor& executor, const plan::Node& node);

}  // namespace evq

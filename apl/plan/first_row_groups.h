#pragma once
// One row a group, as partition by k (top 1 by x) gives, is what an aggregation by the groups
// gives, without sorting all rows by them: arg_max() or arg_min() finds the row, where more is
// asked for than the groups.

#include "apl/plan/plan.h"

namespace evq::plan {

// Makes the first rows of groups, below the projection `node`, an aggregation, and returns whether
// it did. Only where nothing sees the order of the rows: those of an aggregation come as they like.
bool group_first_rows(Node* node);

}  // namespace evq::plan

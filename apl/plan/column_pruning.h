#pragma once
// The parts of prune_columns: which columns of each node something above needs, and where those are
// that stay. For pass_prune_columns.cpp and prune_apply.cpp alone.

#include <cstddef>
#include <vector>

#include "apl/plan/plan.h"

namespace evq::plan {

using Needed = std::vector<bool>;          // by old position
using Mapping = std::vector<std::size_t>;  // old position to new, or kNoColumn

// Leaves of a node, and of what is below it, the columns that are needed, or that it cannot do
// without.
Mapping prune(Node* node, Needed needed);
// Of a node all of whose input is read.
Mapping prune_nothing(Node* node);
// Of partition and mv-apply: first the subplan, which says what it needs of its rows, then the
// input that they come from.
Mapping prune_apply(Node* node, Apply* apply, const Needed& needed);

}  // namespace evq::plan

#pragma once
// The parts of prune_columns: which columns of each node something above needs, and where those are
// that stay. For pass_prune_columns.cpp and prune_apply.cpp alone.

#include <cstddef>
#include <vector>

#include "apl/plan/plan.h"

namespace evq::plan {

using Needed = std::vector<bool>;          // by old position
using Mapping = std::vector<std::size_t>;  // old position to new, or kNoColumn

// Removes the columns that are not `needed` from a node and what is below it, unless the node
// itself cannot do without them. Returns the new positions.
Mapping prune(Node* node, Needed needed);
// Prunes below a node that reads all columns of its input, and keeps all of its own.
Mapping prune_nothing(Node* node);
// Prunes partition and mv-apply: first the subplan, which says what it needs of its rows, then the
// input that they come from.
Mapping prune_apply(Node* node, Apply* apply, const Needed& needed);

}  // namespace evq::plan

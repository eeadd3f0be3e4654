// A sort whose order nothing above it can see goes: that of `sort by x | summarize count()`, and
// those that the binder made for aggregates that nobody reads. Groups come out in the order of
// their first rows, and of rows that are equal in its keys a sort keeps the order: where that
// reaches the answer, or what looks at neighbours, the order is seen. That of the rows that a
// partition's operators give is seen where that of its output is.
//
// Where nothing sees the order of groups, their first rows need no sorting either: see
// first_row_groups.h.

#include <utility>

#include "apl/plan/first_row_groups.h"
#include "apl/plan/node_traits.h"
#include "apl/plan/optimizer.h"

namespace evq::plan {
namespace {

// Whether the order of what comes into a node is seen, when that of what comes out is, or is not.
bool sees_order(const Operation& op, bool of_output) {
  switch (traits_of(op).order_seen) {
    case OrderSeen::kNever:
      return false;
    case OrderSeen::kInOrder:
      return of_output;
    case OrderSeen::kInRows:
      break;
  }
  return true;
}

NodePtr drop_sorts(NodePtr node, bool seen, bool* changed) {
  while (!seen && std::holds_alternative<Sort>(node->op)) {
    *changed = true;
    NodePtr input = std::move(node->inputs[0]);
    node = std::move(input);
  }
  if (!seen) {
    *changed = group_first_rows(node.get()) || *changed;
    if (auto* apply = std::get_if<Apply>(&node->op)) {
      apply->subplan = drop_sorts(clone(*apply->subplan), false, changed);
    }
  }
  const bool below = sees_order(node->op, seen);
  for (NodePtr& input : node->inputs) {
    input = drop_sorts(std::move(input), below, changed);
  }
  return node;
}

}  // namespace

NodePtr drop_unseen_sorts(NodePtr root, const EvalContext& context) {
  bool changed = false;
  root = drop_sorts(std::move(root), true, &changed);
  return changed ? prune_columns(std::move(root), context) : std::move(root);  // of their keys
}

}  // namespace evq::plan

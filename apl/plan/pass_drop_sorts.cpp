// A sort whose order nothing above it can see goes: that of `sort by x | summarize count()`, and
// those that the binder made for aggregates that nobody reads. Groups come out in the order of
// their first rows, and of rows that are equal in its keys a sort keeps the order: where that
// reaches the answer, or what looks at neighbours, the order is seen.

#include <algorithm>
#include <utility>

#include "apl/plan/optimizer.h"

namespace evq::plan {
namespace {

// Elements of a list, a set or a bag come as the rows did.
bool looks_at_order(const Aggregate& op) {
  return std::ranges::any_of(op.aggregates, [](const AggregateCall& call) {
    const bool makes_elements =
        std::ranges::find(call.call.results, Type::kDynamic) != call.call.results.end();
    return makes_elements || (call.function != nullptr && call.function->order_sensitive);
  });
}

// Whether the order of what comes into a node is seen, when that of what comes out is, or is not.
struct SeesOrder {
  bool of_output;

  bool operator()(const Aggregate& op) const {
    return looks_at_order(op) || (of_output && !op.groups.empty());
  }
  bool operator()(const Filter& /*op*/) const { return of_output; }
  bool operator()(const Project& /*op*/) const { return of_output; }
  bool operator()(const Extract& /*op*/) const { return of_output; }
  bool operator()(const Sort& /*op*/) const { return of_output; }
  bool operator()(const Fetch& op) const { return of_output || op.candidates.has_value(); }
  bool operator()(const Unnest& op) const { return of_output || op.row_place; }
  bool operator()(const Union& /*op*/) const { return of_output; }
  bool operator()(const Join& op) const { return of_output || op.kind == JoinKind::kInnerUnique; }

  template <class Other>
  bool operator()(const Other& /*op*/) const {
    return true;
  }
};

NodePtr drop_sorts(NodePtr node, bool seen, bool* dropped) {
  while (!seen && std::holds_alternative<Sort>(node->op)) {
    *dropped = true;
    NodePtr input = std::move(node->inputs[0]);
    node = std::move(input);
  }
  const bool below = std::visit(SeesOrder{seen}, node->op);
  for (NodePtr& input : node->inputs) {
    input = drop_sorts(std::move(input), below, dropped);
  }
  return node;
}

}  // namespace

NodePtr drop_unseen_sorts(NodePtr root, const EvalContext& context) {
  bool dropped = false;
  root = drop_sorts(std::move(root), true, &dropped);
  return dropped ? prune_columns(std::move(root), context) : std::move(root);  // of their keys
}

}  // namespace evq::plan

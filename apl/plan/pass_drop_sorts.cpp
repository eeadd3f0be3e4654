// A sort whose order nothing above it can see goes: that of `sort by x | summarize count()`, and
// those that the binder made for aggregates that nobody reads. Groups come out in the order of
// their first rows, and of rows that are equal in its keys a sort keeps the order: where that
// reaches the answer, or what looks at neighbours, the order is seen.
//
// Of partition by k (top 1 by x) | count nothing sees which row of a group is its first either:
// one row a group is what an aggregation by the groups gives, without sorting the rows.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "apl/plan/optimizer.h"

namespace evq::plan {

// Elements of a list, a set or a bag come as the rows did.
bool looks_at_order(const Aggregate& op) {
  return std::ranges::any_of(op.aggregates, [](const AggregateCall& call) {
    const bool makes_elements =
        std::ranges::find(call.call.results, Type::kDynamic) != call.call.results.end();
    return makes_elements || (call.function != nullptr && call.function->order_sensitive);
  });
}

namespace {

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

// Where each column of a TopN is among the groups that an aggregation would have for it; nothing
// where it keeps more than a row of each, or equal groups may differ.
std::optional<std::vector<std::size_t>> places_as_groups(const Node& node) {
  const auto* top = std::get_if<TopN>(&node.op);
  if (top == nullptr || top->groups == 0 || top->count != 1) {
    return std::nullopt;
  }
  std::vector<std::size_t> places(node.schema.size(), kNoColumn);
  for (std::size_t i = 0; i < top->groups; ++i) {
    const std::size_t column = top->keys[i].column;
    if (!is_one_when_equal(node.schema[column].type)) {
      return std::nullopt;
    }
    places[column] = i;
  }
  return places;
}

// The first rows of groups, below a projection that asks for the groups alone, as an aggregation.
void group_first_rows(Node* node, bool* changed) {
  auto* project = std::get_if<Project>(&node->op);
  const auto places = project != nullptr ? places_as_groups(*node->inputs[0]) : std::nullopt;
  bool groups_only = places.has_value();
  for (std::size_t i = 0; groups_only && i < project->exprs.size(); ++i) {
    for_each_column(*project->exprs[i], [&](std::size_t column) {
      groups_only = groups_only && (*places)[column] != kNoColumn;
    });
  }
  if (!groups_only) {
    return;
  }
  Node& below = *node->inputs[0];
  const TopN top = std::get<TopN>(below.op);
  Aggregate groups;
  std::vector<Field> fields;
  for (std::size_t i = 0; i < top.groups; ++i) {
    groups.groups.push_back(top.keys[i].column);
    fields.push_back(below.schema[top.keys[i].column]);
  }
  below.op = std::move(groups);
  below.schema = Schema(std::move(fields));
  for (const ExprPtr& expr : project->exprs) {
    remap_columns(expr.get(), *places);
  }
  *changed = true;
}

NodePtr drop_sorts(NodePtr node, bool seen, bool* changed) {
  while (!seen && std::holds_alternative<Sort>(node->op)) {
    *changed = true;
    NodePtr input = std::move(node->inputs[0]);
    node = std::move(input);
  }
  if (!seen) {
    group_first_rows(node.get(), changed);
  }
  const bool below = std::visit(SeesOrder{seen}, node->op);
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

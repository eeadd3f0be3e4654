// summarize count(), arg_max(_time, *) by k: the rows of extremes apart from the rest, and joined
// to it by the groups. Then the many columns of such a row are read for those that may be it only
// (late_materialize), while what is counted and summed is read of all rows.

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "apl/plan/node_traits.h"
#include "apl/plan/optimizer.h"
#include "apl/plan/stacking.h"

namespace evq::plan {
namespace {

// The conditions and groups are worked out for both parts: what they may cost a row. Above it, as
// for searches, reading all columns of what a filter leaves costs no more.
constexpr int kSharedCostMax = 100;

// `a` and `b` together; nothing where that is more than `most`.
std::optional<int> sum_within(int a, std::optional<int> b, int most) {
  return b.has_value() && *b <= most - a ? std::optional(a + *b) : std::nullopt;
}

// What it costs a row to have a column of `node`'s output; nothing where that is more than `most`,
// beyond which it does not look either, since extend x = x + x doubles it time and again, or where
// the column does not come from a scan through row-wise operators.
std::optional<int> column_cost(const Node& node, std::size_t column, int most) {
  if (std::holds_alternative<Scan>(node.op)) {
    return 0;
  }
  if (!traits_of(node.op).maps_rows()) {
    return std::nullopt;
  }
  if (const std::optional<std::size_t> below = column_below(node, column)) {
    return column_cost(*node.inputs[0], *below, most);
  }
  const auto* project = std::get_if<Project>(&node.op);
  if (project == nullptr || !is_deterministic(*project->exprs[column])) {
    return std::nullopt;
  }
  const Expr& expr = *project->exprs[column];
  std::optional<int> cost = sum_within(0, cost_per_row(expr), most);
  for_each_column(expr, [&](std::size_t used) {
    if (cost.has_value()) {
      cost = sum_within(*cost, column_cost(*node.inputs[0], used, most - *cost), most);
    }
  });
  return cost;
}

// The same for all conditions of `node` and below it. Nothing where a value is drawn, used as a
// group or only as an argument.
std::optional<int> filter_cost(const Node& node) {
  int cost = 0;
  if (const auto* scan = std::get_if<Scan>(&node.op)) {
    for (const ExprPtr& filter : scan->filters) {
      if (!is_deterministic(*filter)) {
        return std::nullopt;
      }
      cost += cost_per_row(*filter);
    }
    return cost;
  }
  if (const auto* filter = std::get_if<Filter>(&node.op)) {
    if (!is_deterministic(*filter->predicate)) {
      return std::nullopt;
    }
    cost = cost_per_row(*filter->predicate);
  } else if (const auto* project = std::get_if<Project>(&node.op)) {
    if (!std::ranges::all_of(project->exprs,
                             [](const ExprPtr& e) { return is_deterministic(*e); })) {
      return std::nullopt;  // the other part would draw other values
    }
  } else {
    return std::nullopt;  // the rows of an extraction would be parsed twice
  }
  const auto below = filter_cost(*node.inputs[0]);
  return below.has_value() ? std::optional(cost + *below) : std::nullopt;
}

bool is_cheap_twice(const Aggregate& op, const Node& input) {
  std::optional<int> cost = sum_within(0, filter_cost(input), kSharedCostMax);
  for (const std::size_t group : op.groups) {
    if (!cost.has_value() || !is_one_when_equal(input.schema[group].type)) {
      return false;
    }
    cost = sum_within(*cost, column_cost(input, group, kSharedCostMax - *cost), kSharedCostMax);
  }
  return cost.has_value();
}

// One part of an aggregation, and where its results were in the whole.
struct AggregatePart {
  Aggregate op;
  std::vector<Field> fields;
  std::vector<std::size_t> places;
};

void count_elsewhere(Node* node) {
  if (auto* scan = std::get_if<Scan>(&node->op)) {
    scan->counted = false;
  } else {
    count_elsewhere(node->inputs[0].get());
  }
}

NodePtr narrowed(AggregatePart part, NodePtr input) {
  const std::size_t width = part.fields.size();
  NodePtr node = stack(std::move(input), std::move(part.op), Schema(std::move(part.fields)));
  keep_columns(node.get(), std::vector<bool>(width, true));
  return node;
}

NodePtr join_parts(AggregatePart rest, AggregatePart extremes, NodePtr node) {
  const std::size_t groups = rest.op.groups.size();
  Join join;
  join.nulls_match = true;
  for (std::size_t i = 0; i < groups; ++i) {
    join.left_keys.push_back(i);
    join.right_keys.push_back(i);
  }
  std::vector<std::size_t> position(node->schema.size());
  std::iota(position.begin(), position.begin() + static_cast<std::ptrdiff_t>(groups),
            std::size_t{0});
  std::vector<Field> fields;
  for (const AggregatePart* part : {&rest, &extremes}) {
    for (std::size_t i = 0; i < part->places.size(); ++i) {
      position[part->places[i]] = fields.size() + groups + i;
    }
    std::ranges::copy(part->fields, std::back_inserter(fields));
  }
  const Schema schema = node->schema;
  NodePtr input = std::move(node->inputs[0]);
  NodePtr copy = clone(*input);
  count_elsewhere(copy.get());
  std::vector<NodePtr> sides;
  sides.push_back(narrowed(std::move(rest), std::move(copy)));
  sides.push_back(narrowed(std::move(extremes), std::move(input)));
  Project restore;
  for (std::size_t i = 0; i < schema.size(); ++i) {
    restore.exprs.push_back(make_column(position[i], schema[i].type));
  }
  return stack(make_node(std::move(join), std::move(sides), Schema(std::move(fields))),
               std::move(restore), schema);
}

NodePtr split(NodePtr node) {
  const auto* op = std::get_if<Aggregate>(&node->op);
  if (op == nullptr) {
    return node;
  }
  AggregatePart rest{{op->groups, {}}, {}, {}};
  AggregatePart extremes{{op->groups, {}}, {}, {}};
  for (AggregatePart* part : {&rest, &extremes}) {
    for (std::size_t i = 0; i < op->groups.size(); ++i) {
      part->fields.push_back(node->schema[i]);
    }
  }
  std::size_t place = op->groups.size();
  bool many_columns = false;
  for (const AggregateCall& call : op->aggregates) {
    const bool extreme = call.function->extreme != 0;
    many_columns = many_columns || (extreme && call.args.size() > kNarrowColumnsMax + 1);
    AggregatePart& part = extreme ? extremes : rest;
    part.op.aggregates.push_back(call);
    for (std::size_t i = 0; i < call.call.results.size(); ++i) {
      part.fields.push_back(node->schema[place]);
      part.places.push_back(place++);
    }
  }
  if (!many_columns || rest.op.aggregates.empty() || !is_cheap_twice(*op, *node->inputs[0])) {
    return node;
  }
  return join_parts(std::move(rest), std::move(extremes), std::move(node));
}

}  // namespace

NodePtr split_extremes(NodePtr root, const EvalContext& /*context*/) {
  return rewrite_bottom_up(std::move(root), split);
}

}  // namespace evq::plan

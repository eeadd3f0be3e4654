#include "apl/plan/node_traits.h"

#include <algorithm>
#include <variant>

namespace evq::plan {
namespace {

// One row a kind. There is no case for others, so that a new kind needs a row.
struct Traits {
  using Made = RowsMade;
  using Columns = ColumnsMade;
  using Order = RowOrder;
  using Seen = OrderSeen;

  NodeTraits operator()(const Scan& /*op*/) const { return source(); }
  NodeTraits operator()(const Sequence& /*op*/) const { return source(); }
  NodeTraits operator()(const ValuesNode& /*op*/) const { return source(); }
  NodeTraits operator()(const Placeholder& /*op*/) const { return source(); }
  NodeTraits operator()(const Shared& /*op*/) const { return source(); }

  NodeTraits operator()(const Filter& /*op*/) const {
    return {.rows = Made::kOfSome,
            .columns = Columns::kSame,
            .order = Order::kOfInput,
            .order_seen = Seen::kInOrder,
            .by_row = true};
  }
  NodeTraits operator()(const Project& /*op*/) const {
    return {.rows = Made::kOfEach,
            .columns = Columns::kComputed,
            .order = Order::kOfInput,
            .order_seen = Seen::kInOrder,
            .by_row = true};
  }
  NodeTraits operator()(const Extract& op) const {
    const Made rows = op.drop_unmatched ? Made::kOfSome : Made::kOfEach;
    return {.rows = rows,
            .columns = Columns::kAppended,
            .order = Order::kOfInput,
            .order_seen = Seen::kInOrder,
            .by_row = true};
  }
  NodeTraits operator()(const Unnest& op) const {
    const Seen seen = op.row_place ? Seen::kInRows : Seen::kInOrder;
    return {.rows = Made::kAnyNumber,
            .columns = Columns::kAppended,
            .order = Order::kNone,
            .order_seen = seen,
            .by_row = !op.row_place};
  }
  NodeTraits operator()(const Union& /*op*/) const {
    return {.rows = Made::kOfInputs,
            .columns = Columns::kSame,
            .order = Order::kNone,
            .order_seen = Seen::kInOrder,
            .by_row = true};
  }

  NodeTraits operator()(const Sort& /*op*/) const {
    return {.rows = Made::kOfEach,
            .columns = Columns::kSame,
            .order = Order::kOwn,
            .order_seen = Seen::kInOrder};
  }
  NodeTraits operator()(const Limit& /*op*/) const {
    return {.rows = Made::kOfSome,
            .columns = Columns::kSame,
            .order = Order::kOwn,
            .order_seen = Seen::kInRows};
  }
  NodeTraits operator()(const TopN& /*op*/) const {
    return {.rows = Made::kOfSome,
            .columns = Columns::kSame,
            .order = Order::kOwn,
            .order_seen = Seen::kInRows};
  }
  // The places of all rows in their stream tell which are taken.
  NodeTraits operator()(const Sample& /*op*/) const {
    return {.rows = Made::kOfSome,
            .columns = Columns::kSame,
            .order = Order::kNone,
            .order_seen = Seen::kInRows,
            .repeats = false};
  }
  NodeTraits operator()(const Fetch& op) const {
    const bool all = !op.candidates.has_value();
    return {.rows = all ? Made::kOfEach : Made::kOfSome,
            .columns = Columns::kAppended,
            .order = Order::kOfInput,
            .order_seen = all ? Seen::kInOrder : Seen::kInRows};
  }
  NodeTraits operator()(const Window& /*op*/) const {
    return {.rows = Made::kOfEach,
            .columns = Columns::kAppended,
            .order = Order::kOfInput,
            .order_seen = Seen::kInRows};
  }

  NodeTraits operator()(const Aggregate& op) const {
    const Seen seen = looks_at_order(op)  ? Seen::kInRows
                      : op.groups.empty() ? Seen::kNever
                                          : Seen::kInOrder;
    return {.rows = Made::kOfSeveral,
            .columns = Columns::kOther,
            .order = Order::kNone,
            .order_seen = seen};
  }
  NodeTraits operator()(const Join& op) const {
    const Seen seen = op.kind == JoinKind::kInnerUnique ? Seen::kInRows : Seen::kInOrder;
    return {.rows = Made::kOfSeveral,
            .columns = Columns::kOther,
            .order = Order::kNone,
            .order_seen = seen};
  }
  NodeTraits operator()(const Series& /*op*/) const {
    return {.rows = Made::kOfSeveral,
            .columns = Columns::kOther,
            .order = Order::kNone,
            .order_seen = Seen::kInRows};
  }
  NodeTraits operator()(const Apply& /*op*/) const {
    return {.rows = Made::kOfSeveral,
            .columns = Columns::kOther,
            .order = Order::kNone,
            .order_seen = Seen::kInRows,
            .repeats = false};
  }
  NodeTraits operator()(const Transform& /*op*/) const {
    return {.rows = Made::kOfSeveral,
            .columns = Columns::kOther,
            .order = Order::kNone,
            .order_seen = Seen::kInRows,
            .repeats = false};
  }

 private:
  static constexpr NodeTraits source() {
    return {.rows = Made::kAnew,
            .columns = Columns::kOther,
            .order = Order::kNone,
            .order_seen = Seen::kInRows};
  }
};

}  // namespace

NodeTraits traits_of(const Operation& op) {
  return std::visit(Traits{}, op);
}

// Elements of a list, a set or a bag come as the rows did.
bool looks_at_order(const Aggregate& op) {
  return std::ranges::any_of(op.aggregates, [](const AggregateCall& call) {
    const bool makes_elements =
        std::ranges::find(call.call.results, Type::kDynamic) != call.call.results.end();
    return makes_elements || (call.function != nullptr && call.function->order_sensitive);
  });
}

std::optional<std::size_t> column_below(const Node& node, std::size_t column) {
  if (const auto* project = std::get_if<Project>(&node.op)) {
    const Expr& expr = *project->exprs[column];
    return expr.is_column() ? std::optional(expr.column) : std::nullopt;
  }
  if (const auto* aggregate = std::get_if<Aggregate>(&node.op)) {
    return column < aggregate->groups.size() ? std::optional(aggregate->groups[column])
                                             : std::nullopt;
  }
  const auto* unnest = std::get_if<Unnest>(&node.op);
  const bool expanded =
      unnest != nullptr &&
      std::ranges::find(unnest->columns, column, &UnnestColumn::column) != unnest->columns.end();
  const ColumnsMade columns = traits_of(node.op).columns;
  const bool passed = columns == ColumnsMade::kSame ||
                      (columns == ColumnsMade::kAppended && column < node.inputs[0]->schema.size());
  return passed && !expanded ? std::optional(column) : std::nullopt;
}

const Node* ordered_below(const Node& node) {
  const RowOrder order = traits_of(node.op).order;
  if (order == RowOrder::kOfInput) {
    return ordered_below(*node.inputs[0]);
  }
  return order == RowOrder::kOwn ? &node : nullptr;
}

const Node* subplan_of(const Node& node) {
  if (const auto* shared = std::get_if<Shared>(&node.op)) {
    return shared->plan.get();
  }
  const auto* apply = std::get_if<Apply>(&node.op);
  return apply != nullptr ? apply->subplan.get() : nullptr;
}

bool draws_itself(const Operation& op) {
  bool draws = std::holds_alternative<Sample>(op);
  for_each_expr(op, [&](const ExprPtr& expr) { draws = draws || !is_deterministic(*expr); });
  return draws;
}

}  // namespace evq::plan

// top-hitters: counts or sums by the field, then the largest. top-nested: a summarize for each
// level, joined with the levels before, of which each combination keeps its own top values.

#include <algorithm>
#include <numeric>
#include <utility>

#include "apl/plan/binder.h"
#include "apl/plan/stacking.h"
#include "store/column/ordering.h"

namespace evq::plan {
namespace {

// Orders rows by the levels before, then by the last column, the aggregate of this level, and keeps
// the first `count` of each combination of the levels before.
class TopWithin final : public TableFunction {
 public:
  // `descending` holds the levels before and then this level.
  TopWithin(std::vector<bool> descending, std::optional<std::uint64_t> count)
      : groups_(descending.size() - 1), count_(count), descending_(std::move(descending)) {}

  Result<Table> run(const EvalContext& /*context*/, Table input) const override {
    std::vector<std::uint32_t> rows(input.rows);
    std::iota(rows.begin(), rows.end(), 0U);
    const std::size_t rank = input.columns.size() - 1;
    std::ranges::stable_sort(rows, [&](std::uint32_t a, std::uint32_t b) {
      if (const int order = compare_groups(input, a, b); order != 0) {
        return order < 0;
      }
      const Vector& key = input.columns[rank];
      if (const int order = compare_rows(key, a, key, b, order_of(groups_)); order != 0) {
        return order < 0;
      }
      const Vector& value = input.columns[rank - 1];
      return compare_rows(value, a, value, b) < 0;
    });
    std::vector<std::uint32_t> kept;
    std::uint64_t taken = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      taken = i > 0 && compare_groups(input, rows[i - 1], rows[i]) == 0 ? taken + 1 : 1;
      if (!count_.has_value() || taken <= *count_) {
        kept.push_back(rows[i]);
      }
    }
    for (Vector& column : input.columns) {
      column = column.gather(kept);
    }
    input.rows = kept.size();
    return input;
  }
  std::string describe() const override {
    return "top" + (count_.has_value() ? " " + std::to_string(*count_) : "") + " within " +
           std::to_string(groups_) + " levels";
  }

 private:
  SortOrder order_of(std::size_t level) const { return {descending_[level], !descending_[level]}; }

  // By each level's aggregate before its value, so that larger groups come first.
  int compare_groups(const Table& table, std::size_t a, std::size_t b) const {
    for (std::size_t level = 0; level < groups_; ++level) {
      const Vector& rank = table.columns[2 * level + 1];
      if (const int order = compare_rows(rank, a, rank, b, order_of(level)); order != 0) {
        return order;
      }
      const Vector& value = table.columns[2 * level];
      if (const int order = compare_rows(value, a, value, b); order != 0) {
        return order;
      }
    }
    return 0;
  }

  std::size_t groups_;
  std::optional<std::uint64_t> count_;
  std::vector<bool> descending_;
};

}  // namespace

Result<Relation> Binder::lower(const ast::TopHitters& op, Span span, Relation input) {
  EVQ_TRY_ASSIGN(const std::uint64_t count, bind_count(*op.count, "the number of values"));
  EVQ_TRY_ASSIGN(ExprPtr value, bind_expr(*op.of, &input));
  std::string name = derived_name(*op.of, &input);
  name = name.empty() ? "Column1" : name;
  std::string result = "approximate_count_" + name;
  std::vector<NamedColumn> columns;
  columns.push_back({name, std::move(value)});
  const AggregateFunction* row = find_aggregate(op.weight == nullptr ? "count" : "sum");
  std::vector<Argument> arguments;
  if (op.weight != nullptr) {
    EVQ_TRY_ASSIGN(ExprPtr weight, bind_expr(*op.weight, &input));
    if (!is_numeric(weight->type) && weight->type != Type::kDynamic) {
      return diag::wrong_argument_type(weight->span, "top-hitters", 2, "a number",
                                       type_name(weight->type));
    }
    result = "approximate_sum_" + derived_name(*op.weight, &input);
    arguments.push_back({weight->type, nullptr});
    columns.push_back({"$weight", std::move(weight)});
  }
  AggregateBindResult bound = evq::bind_aggregate(*row, {arguments, context(), std::nullopt});
  if (const auto* failure = std::get_if<BindFailure>(&bound)) {
    return diag::unsupported_feature(span, failure->message, failure->hint);
  }
  auto& call = std::get<BoundAggregateCall>(bound);
  AggregateCall made{row, call, {}, std::string(row->name) + "()"};
  if (op.weight != nullptr) {
    columns[1].expr = make_cast(std::move(columns[1].expr), call.arguments[0]);
    made.args.push_back(1);
  }
  const Type type = columns[0].expr->type;
  Relation narrowed = choose(std::move(input), std::move(columns));
  Aggregate aggregate;
  aggregate.groups.push_back(0);
  const Schema schema({{name, type}, {result, call.results[0]}});
  aggregate.aggregates.push_back(std::move(made));
  Relation output;
  output.aggregated = true;
  output.ordered = true;
  output.serialized = true;
  output.group_names.push_back(name);
  output.order.emplace_back(result, true);
  output.limit = count;
  output.node = stack(std::move(narrowed.node), std::move(aggregate), schema);
  output.node =
      stack(std::move(output.node), TopN{{{1, {true, false}}, {0, {false, true}}}, count}, schema);
  return output;
}

Result<Relation> Binder::lower(const ast::TopNested& op, Span /*span*/, Relation input) {
  const Schema schema = input.schema();
  const std::shared_ptr<const Node> all = std::move(input.node);
  NodePtr levels;
  std::vector<Field> fields;  // value and aggregate of each level
  std::vector<bool> descending;
  for (std::size_t i = 0; i < op.levels.size(); ++i) {
    const ast::TopNestedLevel& level = op.levels[i];
    if (level.others != nullptr) {
      return diag::unsupported_feature(level.others->span, "top-nested with others", "");
    }
    std::optional<std::uint64_t> count;
    if (level.count != nullptr) {
      EVQ_TRY_ASSIGN(count, bind_count(*level.count, "the number of values"));
    }
    SummarizeParts parts;
    for (std::size_t before = 0; before <= i; ++before) {
      parts.groups.emplace_back(op.levels[before].of);
    }
    parts.aggregates.emplace_back(level.by);
    Relation source;
    source.name = input.name;
    source.ordered = input.ordered;
    source.node = make_node(Shared{all}, {}, schema);
    EVQ_TRY_ASSIGN(Relation grouped, summarize(std::move(parts), std::move(source)));
    const Schema own = grouped.schema();
    if (own.size() != i + 2) {
      return diag::unsupported_feature(level.by.span,
                                       "an aggregation with several results in top-nested", "");
    }
    std::vector<Field> joined = fields;
    joined.push_back(own[i]);
    joined.push_back(
        {level.by.names.empty() ? "aggregated_" + own[i].name : own[i + 1].name, own[i + 1].type});
    descending.push_back(level.descending);
    Project place;
    if (levels == nullptr) {
      levels = std::move(grouped.node);
    } else {
      Join join{JoinKind::kInner, {}, {}};
      join.nulls_match = true;
      std::vector<Field> both = own.fields();
      for (std::size_t key = 0; key < i; ++key) {
        join.left_keys.push_back(key);
        join.right_keys.push_back(2 * key);
      }
      std::ranges::copy(fields, std::back_inserter(both));
      std::vector<NodePtr> sides;
      sides.push_back(std::move(grouped.node));
      sides.push_back(std::move(levels));
      levels = make_node(std::move(join), std::move(sides), Schema(std::move(both)));
      for (std::size_t column = 0; column < fields.size(); ++column) {
        place.exprs.push_back(make_column(own.size() + column, fields[column].type));
      }
    }
    place.exprs.push_back(make_column(i, own[i].type));
    place.exprs.push_back(make_column(i + 1, own[i + 1].type));
    fields = std::move(joined);
    levels = stack(std::move(levels), std::move(place), Schema(fields));
    levels = stack(std::move(levels), Transform{std::make_shared<TopWithin>(descending, count)},
                   Schema(fields));
  }
  Relation output;
  output.aggregated = true;
  output.ordered = true;
  output.node = std::move(levels);
  return output;
}

}  // namespace evq::plan

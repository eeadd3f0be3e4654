// top-hitters: counts or sums by the field, then the largest.

#include <utility>

#include "apl/plan/binder.h"
#include "apl/plan/stacking.h"

namespace evq::plan {

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
    columns.push_back({hidden_name("weight"), std::move(weight)});
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

}  // namespace evq::plan

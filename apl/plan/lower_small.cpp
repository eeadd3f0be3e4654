// Small operators: getschema, as, invoke, render, consume, sample-distinct.

#include <algorithm>
#include <utility>

#include "apl/plan/binder.h"
#include "apl/plan/stacking.h"
#include "apl/syntax/words.h"
#include "store/base/ascii.h"
#include "store/column/vector_builder.h"

namespace evq::plan {

Result<Relation> Binder::lower(const ast::GetSchema& /*op*/, Span /*span*/, Relation input) {
  VectorBuilder names(Type::kString);
  VectorBuilder ordinals(Type::kLong);
  VectorBuilder types(Type::kString);
  VectorBuilder internal(Type::kString);
  for (const Field& field : input.schema().fields()) {
    if (is_hidden(field.name)) {
      continue;
    }
    ordinals.append_integer(static_cast<std::int64_t>(names.size()));
    names.append_text(field.name);
    types.append_text(type_name(field.type));
    internal.append_text(api_type_name(field.type));
  }
  Schema schema({{"ColumnName", Type::kString},
                 {"ColumnOrdinal", Type::kLong},
                 {"ColumnType", Type::kString},
                 {"DataType", Type::kString}});
  auto table = std::make_shared<Table>();
  table->schema = schema;
  table->rows = names.size();
  table->columns = {names.finish(), ordinals.finish(), types.finish(), internal.finish()};
  Relation output;
  output.ordered = true;
  output.serialized = true;
  output.aggregated = true;
  output.node = make_node(ValuesNode{std::move(table)}, {}, std::move(schema));
  return output;
}

Result<Relation> Binder::lower(const ast::As& op, Span /*span*/, Relation input) {
  std::shared_ptr<const Node> plan = std::move(input.node);
  input.name = op.name.text;
  input.source = op.name.text;
  auto frame = std::make_unique<Environment>();
  frame->outer = environment_;
  frame->names.emplace(op.name.text, Environment::BoundTable{plan, input.traits()});
  environment_ = frame.get();
  frames_.push_back(std::move(frame));
  return read_shared(std::move(plan), input.traits());
}

Result<Relation> Binder::lower(const ast::Invoke& op, Span span, Relation input) {
  return bind_table_call(std::get<ast::Call>(op.call->node), span, &input);
}

// The names in a property's list; blanks around them are nobody's.
Status Binder::check_columns(const Relation& input, std::string_view names, Span span) const {
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(','), names.size());
    const std::string name(trimmed(names.substr(0, end)));
    EVQ_TRY(find_column(input, {.text = name, .span = span, .quoted = true}));
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return Status::success();
}

Result<Relation> Binder::lower(const ast::Render& op, Span /*span*/, Relation input) {
  RenderSpec spec{op.chart.text, {}};
  for (const ast::Option& option : op.options) {
    EVQ_TRY_ASSIGN(const Value value, bind_constant(*option.value, "an option of render"));
    const syntax::ChartProperty* property = syntax::find_chart_property(option.name.text);
    if (property != nullptr && property->value == syntax::ChartProperty::Value::kColumns) {
      EVQ_TRY(check_columns(input, value.to_text(), option.value->span));
    }
    spec.properties.emplace_back(option.name.text, value.to_text());
  }
  render_ = std::move(spec);
  return input;
}

Result<Relation> Binder::lower(const ast::Consume& /*op*/, Span /*span*/, Relation input) const {
  input = limit(std::move(input), 0);
  return input;
}

Result<Relation> Binder::lower(const ast::SampleDistinct& op, Span span, Relation input) {
  EVQ_TRY_ASSIGN(const std::uint64_t count, bind_count(*op.count, "the number of values"));
  EVQ_TRY_ASSIGN(ExprPtr value, bind_expr(*op.of, &input));
  std::string name = derived_name(*op.of, &input);
  std::vector<NamedColumn> columns;
  columns.push_back({name.empty() ? "Column1" : std::move(name), std::move(value)});
  Relation narrowed = project(std::move(input), std::move(columns));
  ast::Distinct distinct;
  ast::NamedExpr all;
  all.value = std::make_unique<ast::Expr>();
  all.value->node = ast::Star{};
  distinct.items.push_back(std::move(all));
  EVQ_TRY_ASSIGN(Relation output, lower(distinct, span, std::move(narrowed)));
  return limit(std::move(output), count);
}

// `summarize … by bin(_time, …), g | take N` keeps the N groups that are largest over all bins.
Result<Relation> Binder::limit_groups(Relation input, std::uint64_t count) const {
  const std::size_t groups = input.group_names.size();
  const std::shared_ptr<const Node> all = std::move(input.node);
  const Schema schema = all->schema;
  const auto shared = [&] { return make_node(Shared{all}, {}, schema); };
  const bool numeric = groups < schema.size() &&
                       (is_numeric(schema[groups].type) || schema[groups].type == Type::kTimespan);
  Project keys;
  std::vector<Field> key_fields;
  for (std::size_t i = 1; i < groups; ++i) {
    keys.exprs.push_back(make_column(i, schema[i].type));
    key_fields.push_back(schema[i]);
  }
  const Type rank_type = numeric ? schema[groups].type : Type::kLong;
  keys.exprs.push_back(numeric ? make_column(groups, rank_type) : make_constant(Value::integer(1)));
  key_fields.push_back({hidden_name("rank"), rank_type});
  std::vector<NodePtr> below;
  below.push_back(shared());
  NodePtr ranked = make_node(std::move(keys), std::move(below), Schema(key_fields));
  const AggregateFunction* sum = find_aggregate("sum");
  const Argument argument{rank_type, nullptr};
  AggregateBindResult bound =
      evq::bind_aggregate(*sum, {std::span(&argument, 1), context(), std::nullopt});
  Aggregate totals;
  std::vector<SortKey> order;
  for (std::size_t i = 0; i + 1 < groups; ++i) {
    totals.groups.push_back(i);
  }
  order.push_back({groups - 1, {true, false}});
  for (std::size_t i = 0; i + 1 < groups; ++i) {
    order.push_back({i, {false, true}});
  }
  auto& call = std::get<BoundAggregateCall>(bound);
  key_fields.back().type = call.results[0];
  totals.aggregates.push_back({sum, std::move(call), {groups - 1}, "sum()"});
  std::vector<NodePtr> summed;
  summed.push_back(std::move(ranked));
  NodePtr total = make_node(std::move(totals), std::move(summed), Schema(key_fields));
  std::vector<NodePtr> sorted;
  sorted.push_back(std::move(total));
  NodePtr top = make_node(TopN{std::move(order), count}, std::move(sorted), Schema(key_fields));
  Join join{JoinKind::kLeftSemi, {}, {}};
  for (std::size_t i = 1; i < groups; ++i) {
    join.left_keys.push_back(i);
    join.right_keys.push_back(i - 1);
  }
  join.nulls_match = true;
  std::vector<NodePtr> sides;
  sides.push_back(shared());
  sides.push_back(std::move(top));
  input.node = make_node(std::move(join), std::move(sides), schema);
  input.ordered = false;
  return input;
}

}  // namespace evq::plan

// Small operators: getschema, as, invoke, render, consume, sample-distinct.

#include <algorithm>
#include <span>
#include <utility>

#include "apl/plan/binder.h"
#include "apl/plan/stacking.h"
#include "apl/plan/without_group.h"
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

namespace {

// The projection of a summarize's groups and results that made the rows; null when it is not known.
const Node* summarize_of(const Node& rows) {
  const Node* made = &rows;
  while (const auto* shared = std::get_if<Shared>(&made->op)) {
    made = shared->plan.get();
  }
  const bool is_one = std::holds_alternative<Project>(made->op) &&
                      std::holds_alternative<Aggregate>(made->inputs[0]->op);
  return is_one ? made : nullptr;
}

// The aggregate that makes the first result for all bins of those for each bin; null when only the
// rows themselves give it.
const AggregateFunction* over_bins(const Node& summarize, std::size_t groups) {
  const Expr& result = *std::get<Project>(summarize.op).exprs[groups];
  std::size_t column = groups;
  for (const AggregateCall& call : std::get<Aggregate>(summarize.inputs[0]->op).aggregates) {
    if (result.is_column() && result.column == column && call.call.results.size() == 1) {
      const std::string_view over_groups = call.function->over_groups;
      return over_groups.empty() ? nullptr : find_aggregate(over_groups);
    }
    column += call.call.results.size();
  }
  return nullptr;
}

// The groups but for the time bin, and the first result for all bins together; null when that is
// one of each bin.
NodePtr first_totals(const Node& summarize, std::size_t groups) {
  NodePtr first = clone(summarize);
  std::vector<Field> fields = first->schema.fields();
  fields.resize(groups + 1);
  first->schema = Schema(std::move(fields));
  std::get<Project>(first->op).exprs.resize(groups + 1);
  std::optional<WithoutGroup> totals = without_group(*first, 0);
  return totals.has_value() ? std::move(totals->node) : nullptr;
}

// The same as `function` makes it of the rows of `all`; without `is_value`, the number of bins.
NodePtr totals_of_bins(const std::shared_ptr<const Node>& all, std::size_t groups,
                       const AggregateFunction& function, bool is_value,
                       const EvalContext& context) {
  const Schema& schema = all->schema;
  const Type type = is_value ? schema[groups].type : Type::kLong;
  Project keys;
  std::vector<Field> fields;
  Aggregate totals;
  for (std::size_t i = 1; i < groups; ++i) {
    keys.exprs.push_back(make_column(i, schema[i].type));
    fields.push_back(schema[i]);
    totals.groups.push_back(i - 1);
  }
  keys.exprs.push_back(is_value ? make_column(groups, type) : make_constant(Value::integer(1)));
  fields.push_back({hidden_name("rank"), type});
  NodePtr ranked = stack(make_node(Shared{all}, {}, schema), std::move(keys), Schema(fields));
  const Argument argument{type, nullptr};
  AggregateBindResult bound =
      evq::bind_aggregate(function, {std::span(&argument, 1), context, std::nullopt});
  auto& call = std::get<BoundAggregateCall>(bound);
  fields.back().type = call.results[0];
  totals.aggregates.push_back(
      {&function, std::move(call), {groups - 1}, std::string(function.name) + "()"});
  return stack(std::move(ranked), std::move(totals), Schema(std::move(fields)));
}

}  // namespace

// `summarize … by bin(_time, …), g | take N` keeps the N groups that are largest over all bins.
Result<Relation> Binder::limit_groups(Relation input, std::uint64_t count) const {
  const std::size_t groups = input.group_names.size();
  const Schema schema = input.schema();
  const bool is_value = groups < schema.size() &&
                        (is_numeric(schema[groups].type) || schema[groups].type == Type::kTimespan);
  const Node* summarize = is_value ? summarize_of(*input.node) : nullptr;
  const AggregateFunction* function =
      summarize != nullptr ? over_bins(*summarize, groups) : find_aggregate("sum");
  NodePtr totals;
  if (function == nullptr) {
    if (summarize == input.node.get()) {
      NodePtr& rows = input.node->inputs[0]->inputs[0];  // read for the bins and for the totals
      Schema read = rows->schema;
      rows = make_node(Shared{std::move(rows)}, {}, std::move(read));
    }
    totals = first_totals(*summarize, groups);
  }
  if (totals == nullptr) {
    const std::shared_ptr<const Node> all = std::move(input.node);
    input.node = make_node(Shared{all}, {}, schema);
    totals = totals_of_bins(all, groups, function != nullptr ? *function : *find_aggregate("sum"),
                            is_value, context());
  }
  std::vector<SortKey> order{{groups - 1, {true, false}}};
  Join join{JoinKind::kLeftSemi, {}, {}};
  for (std::size_t i = 1; i < groups; ++i) {
    order.push_back({i - 1, {false, true}});
    join.left_keys.push_back(i);
    join.right_keys.push_back(i - 1);
  }
  join.nulls_match = true;
  Schema ranked = totals->schema;
  std::vector<NodePtr> sides;
  sides.push_back(std::move(input.node));
  sides.push_back(stack(std::move(totals), TopN{std::move(order), count}, std::move(ranked)));
  input.node = make_node(std::move(join), std::move(sides), schema);
  input.ordered = false;
  return input;
}

}  // namespace evq::plan

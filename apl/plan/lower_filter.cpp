// Operators that choose rows: where, count, distinct, limit, sort, top, sample.

#include <algorithm>
#include <utility>

#include "apl/plan/binder.h"
#include "apl/plan/field_name.h"
#include "apl/plan/fold.h"
#include "apl/plan/stacking.h"
#include "apl/syntax/ast_printer.h"

namespace evq::plan {
namespace {

// The rows of `input` after `op`, without the columns beyond the first `count`.
Relation without_keys(Relation input, Operation op, std::size_t count) {
  const Schema schema = input.schema();
  input.node = stack(std::move(input.node), std::move(op), schema);
  if (count == schema.size()) {
    return input;
  }
  std::vector<NamedColumn> kept;
  for (std::size_t i = 0; i < count; ++i) {
    kept.push_back({schema[i].name, make_column(i, schema[i].type)});
  }
  return choose(std::move(input), std::move(kept));
}

// A field's name, or the text of the expression.
std::string key_name(const Binder& binder, const ast::Expr& key, const Relation& input) {
  std::string field;
  if (!std::holds_alternative<ast::Call>(key.node)) {
    field = binder.derived_name(key, &input);
  }
  return field.empty() ? syntax::print(key) : field;
}

}  // namespace

Result<Relation> Binder::lower(const ast::Where& op, Span /*span*/, Relation input) {
  const Meanwhile windows(&windowed_, &input);
  EVQ_TRY_ASSIGN(ExprPtr predicate, bind_predicate(*op.predicate, &input, "where"));
  if (predicate->is_constant() && !predicate->constant.is_null() && predicate->constant.as_bool()) {
    warn("where clause always evaluates to TRUE, which will include all data");
    return input;
  }
  return filter(std::move(input), std::move(predicate));
}

Result<Relation> Binder::lower(const ast::Count& op, Span /*span*/, Relation input) const {
  const AggregateFunction* row = find_aggregate("count");
  AggregateBindResult bound = bind_aggregate(*row, {{}, context(), std::nullopt});
  auto& call = std::get<BoundAggregateCall>(bound);
  Aggregate aggregate;
  aggregate.aggregates.push_back({row, std::move(call), {}, "count()"});
  Relation output;
  output.aggregated = true;
  const std::string name = op.name.has_value() ? op.name->text : "Count";
  output.origins.emplace(name, Plan::ColumnOrigin{"count", {}, {}});
  std::vector<NodePtr> inputs;
  inputs.push_back(std::move(input.node));
  output.node = make_node(std::move(aggregate), std::move(inputs), Schema({{name, Type::kLong}}));
  return output;
}

Result<Relation> Binder::lower(const ast::Distinct& op, Span span, Relation input) {
  Relation narrowed;
  if (op.items.size() == 1 && std::holds_alternative<ast::Star>(op.items[0].value->node)) {
    narrowed = std::move(input);
  } else {
    EVQ_TRY_ASSIGN(std::vector<NamedColumn> columns, bind_named(op.items, &input));
    narrowed = project(std::move(input), std::move(columns));
  }
  Aggregate aggregate;
  std::vector<Field> fields;
  for (std::size_t i = 0; i < narrowed.schema().size(); ++i) {
    if (!is_hidden(narrowed.schema()[i].name)) {
      aggregate.groups.push_back(i);
      fields.push_back(narrowed.schema()[i]);
    }
  }
  if (fields.empty()) {
    return diag::missing_argument(span, "distinct", "a field");
  }
  Relation output;
  output.aggregated = true;
  for (const Field& field : fields) {
    output.group_names.push_back(field.name);
  }
  follow_paths(narrowed, narrowed.schema(), pass_through(narrowed), &output);
  std::vector<NodePtr> inputs;
  inputs.push_back(std::move(narrowed.node));
  output.node = make_node(std::move(aggregate), std::move(inputs), Schema(std::move(fields)));
  return output;
}

namespace {

bool has_field(const Relation& input, std::string_view name) {
  return find_field(input.schema(), name).has_value() || input.knows(name);
}

}  // namespace

Result<Relation> Binder::lower(const ast::Limit& op, Span /*span*/, Relation input) {
  EVQ_TRY_ASSIGN(const std::uint64_t count, bind_count(*op.count, "the number of rows"));
  if (input.just_summarized && input.begins_with_bin() && input.group_names.size() > 1) {
    return limit_groups(std::move(input), count);
  }
  const auto is_there = [&](const auto& key) { return has_field(input, key.first); };
  if (answer_rows_ && !input.ordered && !input.begins_with_bin() &&
      std::ranges::all_of(options_.default_order, is_there)) {
    EVQ_TRY_ASSIGN(input, sort_by_default(std::move(input)));
  }
  return limit(std::move(input), count);
}

Result<Relation> Binder::sort_by(const std::vector<ast::SortKey>& keys, Relation input,
                                 std::optional<std::uint64_t> count) {
  std::vector<SortKey> sort_keys;
  std::vector<std::pair<std::string, bool>> order;
  const Schema before = input.schema();
  std::vector<NamedColumn> columns;
  for (std::size_t i = 0; i < before.size(); ++i) {
    columns.push_back({before[i].name, make_column(i, before[i].type)});
  }
  for (const ast::SortKey& key : keys) {
    note_quoted_field(*key.value, &input);
    EVQ_TRY_ASSIGN(ExprPtr value, bind_expr(*key.value, &input));
    SortOrder direction;
    direction.descending = key.descending;
    direction.nulls_first = key.nulls == ast::NullsOrder::kDefault
                                ? !key.descending
                                : key.nulls == ast::NullsOrder::kFirst;
    if (value->is_column()) {
      sort_keys.push_back({value->column, direction});
      order.emplace_back(before[value->column].name, key.descending);
      continue;
    }
    sort_keys.push_back({columns.size(), direction});
    order.emplace_back(key_name(*this, *key.value, input), key.descending);
    columns.push_back({hidden_name("key") + std::to_string(columns.size()), std::move(value)});
  }
  if (columns.size() > before.size()) {
    input = project(std::move(input), std::move(columns));
  }
  // Among equal keys the natural order decides, so that pages do not depend on workers; rows of one
  // time follow the direction of a sort by time, or a cursor would skip some of them.
  if (!input.ordered && input.natural()) {
    const bool descending = order.empty() || order[0].first != "_time" || order[0].second;
    sort_keys.push_back({*input.time_column(), {descending, false}});
    sort_keys.push_back({*input.row_column(), {descending, false}});
  }
  Operation op = count.has_value() ? Operation(TopN{std::move(sort_keys), *count})
                                   : Operation(Sort{std::move(sort_keys)});
  input.ordered = true;
  input.sorted = true;
  input.serialized = true;
  input.order = std::move(order);
  if (count.has_value()) {
    input.limit = std::min(*count, input.limit.value_or(*count));
  }
  return without_keys(std::move(input), std::move(op), before.size());
}

Result<Relation> Binder::sort_by_default(Relation input) {
  std::vector<ast::SortKey> keys;
  for (const auto& [field, descending] : options_.default_order) {
    if (has_field(input, field)) {
      ast::SortKey key;
      key.value = std::make_unique<ast::Expr>();
      key.value->node = ast::FieldRef{ast::Name{field, {}, true}};
      key.descending = descending;
      keys.push_back(std::move(key));
    } else if (field != "_time") {
      return make_error(
          ErrorCode::kUsage,
          "defaultOrder names a field that the answer does not have: '" + field + "'");
    }
  }
  return keys.empty() ? std::move(input) : sort_by(keys, std::move(input), std::nullopt);
}

Result<Relation> Binder::lower(const ast::Sort& op, Span /*span*/, Relation input) {
  return sort_by(op.keys, std::move(input), std::nullopt);
}

Result<Relation> Binder::lower(const ast::Top& op, Span /*span*/, Relation input) {
  EVQ_TRY_ASSIGN(const std::uint64_t count, bind_count(*op.count, "the number of rows"));
  return sort_by(op.keys, std::move(input), count);
}

Result<Relation> Binder::lower(const ast::Sample& op, Span /*span*/, Relation input) {
  EVQ_TRY_ASSIGN(const Value amount, bind_constant(*op.amount, "the size of a sample"));
  const bool real = amount.type() == Type::kReal && !amount.is_null();
  const bool whole = amount.type() == Type::kLong && !amount.is_null();
  if (real && amount.as_real() > 0 && amount.as_real() < 1) {
    Schema schema = input.schema();
    input.node = stack(std::move(input.node), Sample{amount.as_real()}, std::move(schema));
    return input;
  }
  if (!whole || amount.as_integer() < 1) {
    return diag::invalid_constant(op.amount->span, "the size of a sample",
                                  "be a fraction between 0 and 1, or a number of rows");
  }
  // n rows: the n smallest of one random number a row.
  EVQ_TRY_ASSIGN(ExprPtr random, call("rand", {}, op.amount->span));
  const std::size_t key = input.schema().size();
  input = append(std::move(input), hidden_name("sample"), std::move(random));
  input.ordered = false;
  input.sorted = false;
  input.serialized = false;
  input.order.clear();
  return without_keys(std::move(input),
                      TopN{{{key, {}}}, static_cast<std::uint64_t>(amount.as_integer())}, key);
}

}  // namespace evq::plan

// Calls that need more than the values of their arguments: a field's name (column_ifexists), an
// object's (object_exists), all columns (pack_all), a table (toscalar), what the query says
// elsewhere (bin_auto, cursor_current).

#include <algorithm>
#include <utility>

#include "apl/functions/rounding.h"
#include "apl/plan/asked_time.h"
#include "apl/plan/binder.h"
#include "apl/plan/field_name.h"
#include "apl/plan/fold.h"
#include "apl/plan/stacking.h"
#include "store/column/dynamic.h"

namespace evq::plan {

Result<std::optional<Binder::CallBinder>> Binder::special_call(const ast::Call& call, Span span) {
  struct Row {
    std::string_view name;
    std::size_t arguments_min;
    std::size_t arguments_max;
    CallBinder bind;
    std::string_view takes = "table";  // of those without a row in the registry
  };
  static constexpr Row kRows[] = {
      {"bag_pack_columns", 1, kArgumentsUnlimited, &Binder::bind_bag_pack_columns},
      {"bin_auto", 1, 1, &Binder::bind_bin_auto},
      {"column_ifexists", 2, 2, &Binder::bind_column_ifexists},
      {"column_names_of", 1, 1, &Binder::bind_column_names_of},
      {"cursor_current", 0, 0, &Binder::bind_cursor_current},
      {"ensure_field", 2, 2, &Binder::bind_column_ifexists},
      {"ingestion_time", 0, 0, &Binder::bind_ingestion_time},
      {"object_exists", 1, 1, &Binder::bind_object_exists, "field"},
      {"pack_all", 0, 1, &Binder::bind_pack_all},
      {"toscalar", 1, 1, &Binder::bind_toscalar},
  };
  const std::string_view name = call.function.text;
  const ScalarFunction* function = find_function(name);
  const auto* row =
      std::ranges::find(kRows, function != nullptr ? function->name : name, &Row::name);
  if (row == std::end(kRows)) {
    return function != nullptr && function->window.has_value()
               ? std::optional<CallBinder>(&Binder::bind_window_call)
               : std::nullopt;
  }
  if (!takes_arguments(row->arguments_min, row->arguments_max, call.arguments.size())) {
    return diag::wrong_argument_count(
        span, name, argument_range(row->arguments_min, row->arguments_max), call.arguments.size(),
        function == nullptr ? std::string(name) + "(" + std::string(row->takes) + ")"
                            : signature(*function));
  }
  return std::optional<CallBinder>(row->bind);
}

namespace {

// `other` where `value` is null.
Result<ExprPtr> value_or(const Binder& binder, ExprPtr value, ExprPtr other, Span span) {
  std::vector<ExprPtr> tested;
  tested.push_back(clone(*value));
  EVQ_TRY_ASSIGN(ExprPtr missing, binder.call("isnull", std::move(tested), span));
  std::vector<ExprPtr> args;
  args.push_back(std::move(missing));
  args.push_back(std::move(other));
  args.push_back(std::move(value));
  return binder.call("iff", std::move(args), span);
}

// What `map` has under a name: a key as it is, or keys between dots.
Result<ExprPtr> map_member(const Binder& binder, const ExprPtr& map, std::string_view name,
                           Span span) {
  const auto key_of = [&](ExprPtr object, std::string_view key) {
    std::vector<ExprPtr> args;
    args.push_back(std::move(object));
    args.push_back(make_constant(Value::string(std::string(key)), span));
    return binder.call("op_index", std::move(args), span);
  };
  EVQ_TRY_ASSIGN(ExprPtr whole, key_of(clone(*map), name));
  if (name.find('.') == std::string_view::npos) {
    return whole;
  }
  ExprPtr parts = clone(*map);
  for (std::size_t dot = 0; dot != std::string_view::npos;) {
    dot = name.find('.');
    EVQ_TRY_ASSIGN(parts, key_of(std::move(parts), name.substr(0, dot)));
    name = dot != std::string_view::npos ? name.substr(dot + 1) : name;
  }
  return value_or(binder, std::move(whole), std::move(parts), span);
}

// Null where the rows have no such field.
Result<ExprPtr> bind_if_known(Binder& binder, const std::string& field, Span span,
                              const Relation* input) {
  if (input == nullptr) {
    return ExprPtr();
  }
  if (const auto at = find_field(input->schema(), field); at.has_value()) {
    return make_column(*at, input->schema()[*at].type, span);
  }
  if (!input->knows(field)) {
    return ExprPtr();
  }
  const ast::FieldRef named{{.text = field, .span = span, .quoted = true}};
  return binder.bind_expr({.span = span, .node = named}, input);
}

// The first column of the table, row by row.
Result<ExprPtr> constant_list(const Binder& binder, const Node& table, Span span) {
  EVQ_TRY_ASSIGN(const Table rows, binder.run_now(table, span, "a subquery for its value"));
  DynamicBuilder list;
  list.begin_array();
  for (std::size_t i = 0; i < rows.rows && !rows.columns.empty(); ++i) {
    list.add_value(rows.columns[0].value(i));
  }
  list.end_array();
  return make_constant(Value::dynamic(list.take()), span);
}

}  // namespace

Result<ExprPtr> Binder::bind_column_ifexists(const ast::Call& call, Span span,
                                             const Relation* input) {
  EVQ_TRY_ASSIGN(const std::string field, name_argument(*call.arguments[0].value, input));
  EVQ_TRY_ASSIGN(ExprPtr known, bind_if_known(*this, field, span, input));
  if (known != nullptr) {
    return known;
  }
  const auto* type = std::get_if<ast::TypeOf>(&call.arguments[1].value->node);
  const std::string* map_name = input != nullptr ? input->map_of(field) : nullptr;
  ExprPtr member;
  if (map_name != nullptr) {
    const ast::Name name{.text = *map_name, .span = span, .quoted = true};
    EVQ_TRY_ASSIGN(const ExprPtr map, bind_name(name, span, input));
    // The query may have put something else in its place.
    if (map->type == Type::kDynamic || map->type == Type::kNull) {
      EVQ_TRY_ASSIGN(member, map_member(*this, map, field.substr(map_name->size() + 1), span));
    }
    if (member != nullptr && type != nullptr) {
      return convert(std::move(member), type->type, span);
    }
  }
  if (type != nullptr) {
    return make_constant(Value::null(type->type), span);
  }
  EVQ_TRY_ASSIGN(ExprPtr otherwise, bind_expr(*call.arguments[1].value, input));
  // Only the rows know which keys a map has.
  return member != nullptr ? value_or(*this, std::move(member), std::move(otherwise), span)
                           : std::move(otherwise);
}

// Whether a row has a value in the field of this name or in one below it, n.x of n, as which the
// members of an object are kept: requests of the older query ask so for an object of any width.
Result<ExprPtr> Binder::bind_object_exists(const ast::Call& call, Span span,
                                           const Relation* input) {
  EVQ_TRY_ASSIGN(const std::string object, name_argument(*call.arguments[0].value, input));
  std::vector<ExprPtr> values;
  EVQ_TRY_ASSIGN(ExprPtr known, bind_if_known(*this, object, span, input));
  if (known != nullptr) {
    values.push_back(std::move(known));
  }
  for (std::size_t i = 0; input != nullptr && i < input->schema().size(); ++i) {
    const Field& field = input->schema()[i];
    if (field.name.starts_with(object + ".")) {
      values.push_back(make_column(i, field.type, span));
    }
  }
  EVQ_TRY(note_expressions(2 * values.size(), span));
  std::vector<ExprPtr> tests;
  for (ExprPtr& value : values) {
    std::vector<ExprPtr> tested;
    tested.push_back(std::move(value));
    EVQ_TRY_ASSIGN(ExprPtr test, this->call("isnotnull", std::move(tested), span));
    tests.push_back(std::move(test));
  }
  return tests.empty()       ? make_constant(Value::boolean(false), span)
         : tests.size() == 1 ? Result<ExprPtr>(std::move(tests[0]))
                             : this->call("op_or", std::move(tests), span);
}

Result<ExprPtr> Binder::bind_pack_all(const ast::Call& call, Span span, const Relation* input) {
  Value skip_empty = Value::boolean(false);
  if (!call.arguments.empty()) {
    const ast::Expr& flag = *call.arguments[0].value;
    auto constant = bind_constant(flag, "whether to leave out nulls");
    const bool is_flag = constant.ok() && (constant.value().type() == Type::kBool ||
                                           constant.value().type() == Type::kNull);
    if (!is_flag && (constant.ok() || bind_expr(flag, input).ok())) {
      Error error = diag::invalid_constant(flag.span, "what pack_all() leaves out",
                                           "be said by a constant true or false");
      error.hint = "bag_pack('key', value) packs the fields it names";
      return error;
    }
    EVQ_TRY_ASSIGN(skip_empty, std::move(constant));
  }
  EVQ_TRY(note_expressions(input != nullptr ? 2 * input->schema().size() : 0, span));
  std::vector<ExprPtr> args;
  args.push_back(make_constant(std::move(skip_empty), span));
  for (NamedColumn& column : input != nullptr ? pass_through(*input) : std::vector<NamedColumn>()) {
    args.push_back(make_constant(Value::string(column.name), span));
    args.push_back(std::move(column.expr));
  }
  return this->call("pack_all", std::move(args), span);
}

Result<ExprPtr> Binder::bind_bag_pack_columns(const ast::Call& call, Span span,
                                              const Relation* input) {
  std::vector<ExprPtr> args;
  for (const ast::Argument& argument : call.arguments) {
    const std::string key = derived_name(*argument.value, input);
    if (key.empty()) {
      return diag::name_required(argument.value->span, call.function.text);
    }
    EVQ_TRY_ASSIGN(ExprPtr value, bind_expr(*argument.value, input));
    args.push_back(make_constant(Value::string(key), argument.value->span));
    args.push_back(std::move(value));
  }
  return this->call("bag_pack", std::move(args), span);
}

Result<ExprPtr> Binder::bind_toscalar(const ast::Call& call, Span span, const Relation* input) {
  const ast::Expr& table = *call.arguments[0].value;
  if (!may_be_table(table, environment_)) {
    // One value for all rows: a name is the query's own, or a partition's key, before a field.
    const bool own_names = std::exchange(own_names_first_, true);
    auto value = bind_expr(table, input);
    own_names_first_ = own_names;
    return value.ok() ? fold_once(std::move(value).value(), context()) : std::move(value);
  }
  EVQ_TRY_ASSIGN(Relation relation, table_of_expr(table));
  const Type type = relation.schema().size() == 0 ? Type::kNull : relation.schema()[0].type;
  // The first row's first column: the only element of the list.
  EVQ_TRY_ASSIGN(const ExprPtr list, first_column(limit(std::move(relation), 1), span));
  const DynamicView values(list->constant.as_text());
  Value first = values.size() == 0 ? Value() : value_from_dynamic(values.at(0));
  return make_constant(first.is_null() ? Value::null(type) : std::move(first), span);
}

// With the width that `set query_bin_auto_size` gives, or that suits the conditions on the time of
// the rows; the registry's row otherwise.
Result<ExprPtr> Binder::bind_bin_auto(const ast::Call& call, Span span, const Relation* input) {
  std::vector<ExprPtr> args;
  if (!bin_auto_size_.has_value()) {
    EVQ_TRY_ASSIGN(ExprPtr bound, bind_registry_call(call, span, input));
    if (input == nullptr || !bound->is_call("bin_auto")) {
      return bound;
    }
    EVQ_TRY_ASSIGN(const std::optional<EvalContext> asked,
                   asked_time_range(*input->node, context()));
    if (!asked.has_value()) {
      return bound;
    }
    args.push_back(std::move(bound->args[0]));
    args.push_back(make_constant(Value::timespan(auto_bin_ns(*asked)), span));
    return this->call("bin", std::move(args), span);
  }
  EVQ_TRY_ASSIGN(ExprPtr value, bind_expr(*call.arguments[0].value, input));
  args.push_back(std::move(value));
  args.push_back(make_constant(*bin_auto_size_, span));
  if (bin_auto_at_.has_value()) {
    args.push_back(make_constant(*bin_auto_at_, span));
  }
  return this->call(bin_auto_at_.has_value() ? "bin_at" : "bin", std::move(args), span);
}

Result<ExprPtr> Binder::bind_cursor_current(const ast::Call& call, Span span,
                                            const Relation* input) {
  return options_.current_cursor.empty()
             ? bind_registry_call(call, span, input)
             : make_constant(Value::string(options_.current_cursor), span);
}

Result<ExprPtr> Binder::bind_ingestion_time(const ast::Call& /*call*/, Span span,
                                            const Relation* input) {
  if (input != nullptr) {
    if (const auto at = input->schema().find("_sysTime"); at.has_value()) {
      return make_column(*at, input->schema()[*at].type, span);
    }
  }
  return make_constant(Value::null(Type::kDatetime), span);
}

// The names of a table's columns, or of the rows at hand with *, as a constant list.
Result<ExprPtr> Binder::bind_column_names_of(const ast::Call& call, Span span,
                                             const Relation* input) {
  const ast::Expr& table = *call.arguments[0].value;
  DynamicBuilder list;
  list.begin_array();
  const auto add = [&](const Relation& relation) {
    for (const Field& field : relation.schema().fields()) {
      if (!is_hidden(field.name)) {
        list.add_string(field.name);
      }
    }
  };
  if (std::holds_alternative<ast::Star>(table.node) && input != nullptr) {
    add(*input);
  } else {
    EVQ_TRY_ASSIGN(const Relation relation, table_of_expr(table));
    add(relation);
  }
  list.end_array();
  return make_constant(Value::dynamic(list.take()), span);
}

// What may be in a table's first column, each value once and in any order, as a constant list of
// elements of `element`.
Result<ExprPtr> Binder::values_of_table(const ast::Expr& table, Span span, Type* element) {
  EVQ_TRY_ASSIGN(Relation relation, table_of_expr(table));
  if (relation.schema().size() == 0) {
    return first_column(std::move(relation), span);
  }
  const Field first = relation.schema()[0];
  *element = first.type;
  Aggregate distinct;
  distinct.groups.push_back(0);
  std::vector<NodePtr> inputs;
  inputs.push_back(std::move(relation.node));
  return constant_list(*this, *make_node(std::move(distinct), std::move(inputs), Schema({first})),
                       span);
}

// The first column of a table as a constant list.
Result<ExprPtr> Binder::first_column(Relation relation, Span span) const {
  relation = order_naturally(std::move(relation), options_.event_order);
  return constant_list(*this, *relation.node, span);
}

}  // namespace evq::plan

// Calls: registry functions, the few that need the binder itself (column_ifexists, bag_pack(*),
// toscalar, …), and functions that the query defines.

#include <algorithm>
#include <array>
#include <utility>

#include "apl/plan/binder.h"
#include "apl/plan/field_name.h"
#include "apl/plan/fold.h"
#include "apl/plan/window_names.h"

namespace evq::plan {
namespace {

std::vector<std::string_view> function_names() {
  std::vector<std::string_view> names;
  for (const ScalarFunction* row : all_functions()) {
    names.push_back(row->name);
  }
  return names;
}

// The text of a constant string argument, or of a bare name.
// Kusto puts the text first where APL puts it last. A text that is the same in every row, and
// something to look for in it that is not, make sense only in Kusto's order.
bool text_comes_first(std::string_view function, const std::vector<ExprPtr>& args) {
  const bool differs = function == "replace_string" || function == "replace_regex"
                           ? args.size() == 3
                           : function == "countof" && args.size() == 2;
  return differs && !args[0]->is_constant() && args.back()->is_constant();
}

// How many first arguments of a function are texts of whatever is given.
std::size_t arguments_as_text(std::string_view function) {
  return function == "indexof" ? 2 : function == "reverse" || function == "strrep" ? 1 : 0;
}

bool is_subquery(const ast::Expr& expr) {
  return std::holds_alternative<ast::Subquery>(expr.node);
}

std::size_t required_parameters(const std::vector<ast::Parameter>& parameters) {
  return static_cast<std::size_t>(std::ranges::count_if(
      parameters,
      [](const ast::Parameter& parameter) { return parameter.default_value == nullptr; }));
}

// What the body of a function defines for itself; install() gives it the frame it sees.
void add_lets(const ast::Lambda& lambda, Environment* frame) {
  for (const ast::Let& let : lambda.lets) {
    Environment::Meaning meaning;
    if (const auto* expr = std::get_if<ast::ExprPtr>(&let.value)) {
      meaning = Environment::LetExpr{expr->get(), nullptr};
    } else if (const auto* pipeline = std::get_if<ast::PipelinePtr>(&let.value)) {
      meaning = Environment::LetPipeline{pipeline->get(), nullptr};
    } else {
      meaning =
          Environment::Function{std::get<std::unique_ptr<ast::Lambda>>(let.value).get(), nullptr};
    }
    frame->names.emplace(let.name.text, std::move(meaning));
  }
}

}  // namespace

std::string argument_range(std::size_t min, std::size_t max) {
  if (min == max) {
    return std::to_string(min);
  }
  if (max >= kArgumentsUnlimited) {
    return "at least " + std::to_string(min);
  }
  return std::to_string(min) + " to " + std::to_string(max);
}

Result<ExprPtr> Binder::bind_call(const ast::Call& call, Span span, const Relation* input) {
  if (const Environment::Meaning* meaning = environment_->find(call.function.text)) {
    if (const auto* function = std::get_if<Environment::Function>(meaning)) {
      return bind_lambda_call(*function, call, span, input);
    }
  }
  if (aggregate_binder_ != nullptr) {
    if (const AggregateFunction* aggregate = find_aggregate(call.function.text)) {
      return aggregate_binder_(*aggregate, call, span);
    }
  }
  bool handled = false;
  auto special = bind_special_call(call, span, input, &handled);
  if (handled) {
    return special;
  }
  const ScalarFunction* row = find_function(call.function.text);
  if (row == nullptr ||
      (static_cast<unsigned>(row->flags) & static_cast<unsigned>(FunctionFlags::kInternal)) != 0) {
    if (find_aggregate(call.function.text) != nullptr) {
      return diag::aggregate_in_scalar(call.function.span, call.function.text);
    }
    Error error = diag::unknown_function(call.function.span, call.function.text, function_names());
    if (input != nullptr && find_field(input->schema(), call.function.text).has_value()) {
      error.hint = "'" + call.function.text + "' is a field: write " + call.function.text +
                   "[0], or bin(" + call.function.text + ", …)";
    }
    return error;
  }
  EVQ_TRY_ASSIGN(std::vector<ExprPtr> args, bind_arguments(call, input));
  for (std::size_t i = 0; i < std::min(args.size(), arguments_as_text(row->name)); ++i) {
    if (is_numeric(args[i]->type) || args[i]->type == Type::kDatetime ||
        args[i]->type == Type::kTimespan || args[i]->type == Type::kBool) {
      std::vector<ExprPtr> value;
      value.push_back(std::move(args[i]));
      EVQ_TRY_ASSIGN(args[i], this->call("tostring", std::move(value), span));
    }
  }
  if (text_comes_first(row->name, args)) {
    std::rotate(args.begin(), args.begin() + 1, args.end());
    warnings_.push_back(std::string(row->name) +
                        "() took its first argument for the text, since the last is the same in "
                        "every row; APL writes " +
                        signature(*row));
  }
  const ArgumentCount count = argument_count(*row);
  if (!takes_arguments(count.min, count.max, args.size())) {
    return diag::wrong_argument_count(span, row->name, argument_range(count.min, count.max),
                                      args.size(), signature(*row));
  }
  std::vector<Type> types;
  for (const ExprPtr& arg : args) {
    types.push_back(arg->type);
  }
  EVQ_TRY_ASSIGN(ExprPtr bound, make_call(*row, std::move(args), context(), span));
  EVQ_TRY(check_strict(*bound, types, row->name));
  return fold(std::move(bound), context());
}

Result<std::vector<ExprPtr>> Binder::bind_arguments(const ast::Call& call, const Relation* input) {
  std::vector<ExprPtr> args;
  const bool packs_names = call.function.text == "bag_pack" || call.function.text == "pack";
  const auto pack_row = [&](Span span) {
    for (std::size_t i = 0; input != nullptr && i < input->schema().size(); ++i) {
      const Field& field = input->schema()[i];
      if (is_hidden(field.name)) {
        continue;
      }
      if (packs_names) {
        args.push_back(make_constant(Value::string(field.name), span));
      }
      args.push_back(make_column(i, field.type, span));
    }
  };
  for (const ast::Argument& argument : call.arguments) {
    if (argument.name.has_value()) {
      return diag::single_equals(argument.name->span);
    }
    if (std::holds_alternative<ast::Star>(argument.value->node) && input != nullptr &&
        (packs_names || call.function.text == "pack_array")) {
      pack_row(argument.value->span);
      continue;
    }
    if (const auto* type = std::get_if<ast::TypeOf>(&argument.value->node)) {
      // Functions take typeof(long) as a typed null.
      args.push_back(make_constant(Value::null(type->type), argument.value->span));
      continue;
    }
    if (is_subquery(*argument.value)) {
      EVQ_TRY_ASSIGN(ExprPtr list, scalar_of_table(*argument.value, argument.value->span));
      args.push_back(std::move(list));
      continue;
    }
    EVQ_TRY_ASSIGN(ExprPtr bound, bind_expr(*argument.value, input));
    args.push_back(std::move(bound));
  }
  return args;
}

Result<ExprPtr> Binder::bind_special_call(const ast::Call& call, Span span, const Relation* input,
                                          bool* handled) {
  *handled = true;
  const std::string_view name = call.function.text;
  const auto arity = [&](std::size_t wanted) { return call.arguments.size() == wanted; };
  if ((name == "column_ifexists" || name == "ensure_field") && arity(2)) {
    EVQ_TRY_ASSIGN(const std::string field, name_argument(*call.arguments[0].value, input));
    if (input != nullptr) {
      if (const auto at = find_field(input->schema(), field); at.has_value()) {
        return make_column(*at, input->schema()[*at].type, span);
      }
    }
    if (const auto* type = std::get_if<ast::TypeOf>(&call.arguments[1].value->node)) {
      return make_constant(Value::null(type->type), span);
    }
    return bind_expr(*call.arguments[1].value, input);
  }
  if (name == "pack_all" && call.arguments.size() <= 1) {
    EVQ_TRY_ASSIGN(const Value skip_empty, arity(0) ? Value::boolean(false)
                                                    : bind_constant(*call.arguments[0].value,
                                                                    "whether to leave out nulls"));
    std::vector<ExprPtr> args;
    args.push_back(make_constant(skip_empty, span));
    for (NamedColumn& column :
         input != nullptr ? pass_through(*input) : std::vector<NamedColumn>()) {
      args.push_back(make_constant(Value::string(column.name), span));
      args.push_back(std::move(column.expr));
    }
    return this->call("pack_all", std::move(args), span);
  }
  if (name == "bag_pack_columns" && !call.arguments.empty()) {
    std::vector<ExprPtr> args;
    for (const ast::Argument& argument : call.arguments) {
      const std::string key = derived_name(*argument.value, input);
      if (key.empty()) {
        return diag::name_required(argument.value->span, name);
      }
      EVQ_TRY_ASSIGN(ExprPtr value, bind_expr(*argument.value, input));
      args.push_back(make_constant(Value::string(key), argument.value->span));
      args.push_back(std::move(value));
    }
    return this->call("bag_pack", std::move(args), span);
  }
  if (name == "toscalar" && arity(1)) {
    if (!may_be_table(*call.arguments[0].value)) {
      return bind_expr(*call.arguments[0].value, input);  // one value already
    }
    EVQ_TRY_ASSIGN(ExprPtr list, scalar_of_table(*call.arguments[0].value, span));
    // The first row's first column: the list's first element.
    const DynamicView values(list->constant.as_text());
    return make_constant(
        list->constant.is_null() || values.size() == 0 ? Value() : value_from_dynamic(values.at(0)),
        span);
  }
  if (name == "bin_auto" && arity(1) && bin_auto_size_.has_value()) {
    std::vector<ExprPtr> args;
    EVQ_TRY_ASSIGN(ExprPtr value, bind_expr(*call.arguments[0].value, input));
    args.push_back(std::move(value));
    args.push_back(make_constant(*bin_auto_size_, span));
    if (bin_auto_at_.has_value()) {
      args.push_back(make_constant(*bin_auto_at_, span));
    }
    return this->call(bin_auto_at_.has_value() ? "bin_at" : "bin", std::move(args), span);
  }
  if (name == "column_names_of" && arity(1)) {
    return column_names(*call.arguments[0].value, span, input);
  }
  if (name == "cursor_current" && arity(0) && !options_.current_cursor.empty()) {
    return make_constant(Value::string(options_.current_cursor), span);
  }
  if (name == "ingestion_time" && arity(0)) {
    if (input != nullptr) {
      if (const auto at = input->schema().find("_sysTime"); at.has_value()) {
        return make_column(*at, input->schema()[*at].type, span);
      }
    }
    return make_constant(Value::null(Type::kDatetime), span);
  }
  if (is_window_function(name)) {
    return bind_window_call(call, span, input);
  }
  *handled = false;
  return diag::empty_query();  // not looked at
}

// The names of a table's columns, or of the rows at hand with *, as a constant list.
Result<ExprPtr> Binder::column_names(const ast::Expr& table, Span span, const Relation* input) {
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

// The first column of a table as a constant list.
Result<ExprPtr> Binder::scalar_of_table(const ast::Expr& table, Span span) {
  EVQ_TRY_ASSIGN(Relation relation, table_of_expr(table));
  relation = order_naturally(std::move(relation), options_.default_ascending);
  EVQ_TRY_ASSIGN(const Table rows, run_now(*relation.node, span, "a subquery for its value"));
  DynamicBuilder list;
  list.begin_array();
  for (std::size_t i = 0; i < rows.rows && !rows.columns.empty(); ++i) {
    list.add_value(rows.columns[0].value(i));
  }
  list.end_array();
  return make_constant(Value::dynamic(list.take()), span);
}

bool Binder::may_be_table(const ast::Expr& expr) const {
  const auto* call = std::get_if<ast::Call>(&expr.node);
  const auto* field = std::get_if<ast::FieldRef>(&expr.node);
  if (call == nullptr && field == nullptr) {
    return is_subquery(expr);
  }
  const std::string& name = call != nullptr ? call->function.text : field->name.text;
  const Environment::Meaning* meaning = environment_->find(name);
  if (meaning == nullptr) {
    return field != nullptr || find_function(name) == nullptr;
  }
  if (const auto* let = std::get_if<Environment::LetExpr>(meaning)) {
    return may_be_table(*let->expr);
  }
  if (const auto* function = std::get_if<Environment::Function>(meaning)) {
    const auto* body = std::get_if<ast::ExprPtr>(&function->lambda->body);
    return body == nullptr || may_be_table(**body);
  }
  return !std::holds_alternative<Environment::Scalar>(*meaning);
}

Result<Relation> Binder::table_of_expr(const ast::Expr& expr) {
  if (const auto* subquery = std::get_if<ast::Subquery>(&expr.node)) {
    return bind_pipeline(*subquery->pipeline);
  }
  if (const auto* field = std::get_if<ast::FieldRef>(&expr.node)) {
    return named_table(field->name.text, expr.span);
  }
  if (const auto* call = std::get_if<ast::Call>(&expr.node)) {
    return bind_table_call(*call, expr.span, nullptr);
  }
  return diag::table_expected(expr.span, "a scalar");
}

// ---- functions of the query

// An argument as its parameter's type, which a wrong one must not reach as null.
Result<ExprPtr> Binder::parameter_value(ExprPtr value, std::string_view function,
                                        const ast::Parameter& parameter, std::size_t index) {
  EVQ_TRY_ASSIGN(value, adapt(std::move(value), parameter.type, false));
  if (!implicit_cast_cost(value->type, parameter.type).has_value()) {
    return diag::wrong_argument_type(value->span, function, index + 1, type_name(parameter.type),
                                     type_name(value->type));
  }
  return make_cast(std::move(value), parameter.type);
}

Result<Environment> Binder::bind_parameters(const Environment::Function& function,
                                            const ast::Call& call, Span span,
                                            const Relation* input) {
  Environment frame;
  frame.outer = function.defined_in;
  const std::vector<ast::Parameter>& parameters = function.lambda->parameters;
  if (call.arguments.size() > parameters.size()) {
    return diag::wrong_argument_count(
        span, call.function.text,
        argument_range(required_parameters(parameters), parameters.size()), call.arguments.size(),
        "");
  }
  std::size_t position = 0;
  for (const ast::Argument& argument : call.arguments) {
    const ast::Parameter* parameter = &parameters[position++];
    if (argument.name.has_value()) {
      const auto named = std::ranges::find(parameters, argument.name->text,
                                           [](const ast::Parameter& p) { return p.name.text; });
      if (named == parameters.end()) {
        std::vector<std::string_view> names;
        for (const ast::Parameter& known : parameters) {
          names.push_back(known.name.text);
        }
        return diag::unknown_argument(argument.name->span, call.function.text, argument.name->text,
                                      names);
      }
      parameter = &*named;
    }
    if (frame.names.contains(parameter->name.text)) {
      return diag::duplicate_argument(argument.value->span, call.function.text,
                                      parameter->name.text);
    }
    if (parameter->is_table) {
      EVQ_TRY_ASSIGN(Relation table, table_of_expr(*argument.value));
      frame.names.emplace(parameter->name.text,
                          Environment::BoundTable{std::move(table.node), table.name});
      continue;
    }
    EVQ_TRY_ASSIGN(ExprPtr bound, bind_expr(*argument.value, input));
    EVQ_TRY_ASSIGN(bound, parameter_value(std::move(bound), call.function.text, *parameter,
                                          static_cast<std::size_t>(parameter - &parameters[0])));
    frame.names.emplace(parameter->name.text, Environment::Scalar{std::move(bound)});
  }
  for (const ast::Parameter& parameter : parameters) {
    if (frame.names.contains(parameter.name.text)) {
      continue;
    }
    if (parameter.default_value == nullptr) {
      return diag::missing_argument(span, call.function.text, parameter.name.text);
    }
    EVQ_TRY_ASSIGN(ExprPtr bound, bind_expr(*parameter.default_value, nullptr));
    frame.names.emplace(parameter.name.text,
                        Environment::Scalar{make_cast(std::move(bound), parameter.type)});
  }
  add_lets(*function.lambda, &frame);
  return frame;
}

namespace {

// Lets of a function body see the body's own frame, which has an address only now.
Environment* install(std::vector<std::unique_ptr<Environment>>* frames, Environment frame) {
  frames->push_back(std::make_unique<Environment>(std::move(frame)));
  Environment* at = frames->back().get();
  for (auto& [name, meaning] : at->names) {
    if (auto* let = std::get_if<Environment::LetExpr>(&meaning);
        let != nullptr && let->defined_in == nullptr) {
      let->defined_in = at;
    } else if (auto* pipeline = std::get_if<Environment::LetPipeline>(&meaning);
               pipeline != nullptr && pipeline->defined_in == nullptr) {
      pipeline->defined_in = at;
    } else if (auto* function = std::get_if<Environment::Function>(&meaning);
               function != nullptr && function->defined_in == nullptr) {
      function->defined_in = at;
    }
  }
  return at;
}

constexpr int kFunctionDepthMax = 32;

}  // namespace

Result<ExprPtr> Binder::bind_lambda_call(const Environment::Function& function,
                                         const ast::Call& call, Span span, const Relation* input) {
  if (depth_ >= kFunctionDepthMax) {
    return diag::recursive_function(call.function.span, call.function.text);
  }
  EVQ_TRY_ASSIGN(Environment frame, bind_parameters(function, call, span, input));
  const auto* body = std::get_if<ast::ExprPtr>(&function.lambda->body);
  if (body == nullptr) {
    return diag::scalar_expected(span, "the table that " + call.function.text + "() returns");
  }
  const Environment* outer = std::exchange(environment_, install(&frames_, std::move(frame)));
  ++depth_;
  auto bound = bind_expr(**body, input);
  --depth_;
  environment_ = outer;
  return bound;
}

Result<Relation> Binder::bind_table_call(const ast::Call& call, Span span, Relation* piped) {
  const std::string_view name = call.function.text;
  if ((name == "materialize" || name == "view") && call.arguments.size() == 1) {
    EVQ_TRY_ASSIGN(Relation table, table_of_expr(*call.arguments[0].value));
    Schema schema = table.schema();
    std::shared_ptr<const Node> plan = std::move(table.node);
    table.node = make_node(Shared{std::move(plan)}, {}, std::move(schema));
    return table;
  }
  if ((name == "table" || name == "dataset") && call.arguments.size() == 1) {
    EVQ_TRY_ASSIGN(const Value text, bind_constant(*call.arguments[0].value, "the table's name"));
    return named_table(text.type() == Type::kString ? text.as_text() : "", span);
  }
  const Environment::Meaning* meaning = environment_->find(name);
  const auto* function = meaning != nullptr ? std::get_if<Environment::Function>(meaning) : nullptr;
  if (function == nullptr) {
    if (find_function(name) != nullptr) {
      Error error = diag::table_expected(span, "the scalar " + std::string(name) + "()");
      error.hint = "print " + std::string(name) + "(…) shows its value";
      return error;
    }
    return find_aggregate(name) != nullptr
               ? diag::aggregate_in_scalar(call.function.span, name)
               : diag::unknown_function(call.function.span, name, function_names());
  }
  if (depth_ >= kFunctionDepthMax) {
    return diag::recursive_function(call.function.span, name);
  }
  Environment frame;
  if (piped != nullptr) {
    // invoke f(args): the input is the first parameter.
    if (function->lambda->parameters.empty() || !function->lambda->parameters[0].is_table) {
      return diag::table_expected(span, "the first parameter of " + std::string(name) + "()");
    }
    frame.outer = function->defined_in;
    frame.names.emplace(function->lambda->parameters[0].name.text,
                        Environment::BoundTable{std::move(piped->node), piped->name});
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      if (i + 1 >= function->lambda->parameters.size()) {
        return diag::wrong_argument_count(
            span, name,
            argument_range(required_parameters(function->lambda->parameters) - 1,
                           function->lambda->parameters.size() - 1),
            call.arguments.size(), "");
      }
      const ast::Parameter& parameter = function->lambda->parameters[i + 1];
      EVQ_TRY_ASSIGN(ExprPtr bound, bind_expr(*call.arguments[i].value, nullptr));
      EVQ_TRY_ASSIGN(bound, parameter_value(std::move(bound), name, parameter, i + 1));
      frame.names.emplace(parameter.name.text, Environment::Scalar{std::move(bound)});
    }
    for (std::size_t i = call.arguments.size() + 1; i < function->lambda->parameters.size(); ++i) {
      const ast::Parameter& parameter = function->lambda->parameters[i];
      if (parameter.default_value == nullptr) {
        return diag::missing_argument(span, name, parameter.name.text);
      }
      EVQ_TRY_ASSIGN(ExprPtr bound, bind_expr(*parameter.default_value, nullptr));
      frame.names.emplace(parameter.name.text, Environment::Scalar{std::move(bound)});
    }
    add_lets(*function->lambda, &frame);
  } else {
    EVQ_TRY_ASSIGN(frame, bind_parameters(*function, call, span, nullptr));
  }
  const Environment* outer = std::exchange(environment_, install(&frames_, std::move(frame)));
  ++depth_;
  const auto bind_body = [&]() -> Result<Relation> {
    if (const auto* pipeline = std::get_if<ast::PipelinePtr>(&function->lambda->body)) {
      return bind_pipeline(**pipeline);
    }
    if (const auto* body = std::get_if<ast::ExprPtr>(&function->lambda->body)) {
      return table_of_expr(**body);
    }
    return diag::table_expected(span, "a function");
  };
  auto bound = bind_body();
  --depth_;
  environment_ = outer;
  return bound;
}

bool Binder::keeps_argument_name(std::string_view function) {
  static constexpr std::string_view kNames =
      " abs acos asin atan atan2 bin bin_at bin_auto binary_and binary_not binary_or "
      "binary_shift_left binary_shift_right binary_xor bitset_count_ones ceiling cos "
      "endofday endofmonth endofweek endofyear erf erfc exp exp10 exp2 floor format_bytes "
      "format_datetime format_timespan gamma log log10 log2 loggamma parse_csv parse_json "
      "parsejson pow rand round series_fill_backward series_fill_const series_fill_forward "
      "series_fill_linear series_fir series_iir series_outliers sin split sqrt startofday "
      "startofmonth startofweek startofyear tan tobool toboolean todatetime todecimal "
      "todouble todynamic tohex toint tolong toobject toreal tostring totime totimespan ";
  return kNames.find(" " + std::string(function) + " ") != std::string_view::npos;
}

std::string Binder::derived_name(const ast::Expr& expr, const Relation* input) const {
  if (const auto* field = std::get_if<ast::FieldRef>(&expr.node)) {
    return field->name.text;
  }
  if (const auto* call = std::get_if<ast::Call>(&expr.node)) {
    if (keeps_argument_name(call->function.text) && !call->arguments.empty()) {
      return derived_name(*call->arguments[0].value, input);
    }
    return {};
  }
  const bool path = std::holds_alternative<ast::Member>(expr.node) ||
                    std::holds_alternative<ast::Index>(expr.node);
  if (!path) {
    return {};
  }
  std::vector<std::string> keys;
  const ast::Expr* at = &expr;
  while (true) {
    if (const auto* member = std::get_if<ast::Member>(&at->node)) {
      keys.push_back(member->key.text);
      at = member->object.get();
    } else if (const auto* index = std::get_if<ast::Index>(&at->node)) {
      if (const auto* key = std::get_if<ast::Literal>(&index->key->node)) {
        keys.push_back(key->value.to_text());
      }
      at = index->object.get();
    } else if (const auto* field = std::get_if<ast::FieldRef>(&at->node)) {
      keys.push_back(field->name.text);
      break;
    } else {
      return {};
    }
  }
  std::ranges::reverse(keys);
  std::string dotted;
  std::string underscored;
  for (const std::string& key : keys) {
    dotted.append(dotted.empty() ? "" : ".").append(key);
    underscored.append(underscored.empty() ? "" : "_").append(key);
  }
  // A path to a flattened field keeps the field's own name.
  return input != nullptr && input->schema().find(dotted).has_value() ? dotted : underscored;
}

}  // namespace evq::plan

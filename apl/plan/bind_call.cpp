// Calls of scalar functions: which kind a call is, the arguments of the registry's functions, and
// what the result of a call is named after.

#include <algorithm>
#include <array>
#include <utility>

#include "apl/functions/datetime_parts.h"
#include "apl/plan/binder.h"
#include "apl/plan/field_name.h"
#include "apl/plan/fold.h"
#include "apl/syntax/ast_walker.h"
#include "store/base/ascii.h"

namespace evq::plan {
namespace {

// Whether an argument of a function is in the expression as it is written: it then differs from
// call to call, also where it is a constant in this one.
bool has_parameter(const ast::Expr& expr, const Environment& environment) {
  bool found = false;
  ast::walk(expr, [&](const ast::Expr& node) {
    const auto* field = std::get_if<ast::FieldRef>(&node.node);
    const auto* meaning = field != nullptr ? environment.find(field->name.text) : nullptr;
    if (meaning != nullptr) {
      const auto* scalar = std::get_if<Environment::Scalar>(meaning);
      const auto* let = std::get_if<Environment::LetExpr>(meaning);
      found = found || (scalar != nullptr && scalar->pipelines > 0) ||
              (let != nullptr && has_parameter(*let->expr, *let->defined_in));
    }
    return !found;
  });
  return found;
}

// Kusto puts the text first where APL puts it last. A text that is the same in every row, and
// something to look for in it that is not, make sense only in Kusto's order.
bool text_comes_first(const ast::Call& call, const ScalarFunction& function,
                      const std::vector<ExprPtr>& args, const Environment& environment) {
  if (!function.kusto_text_first || args.size() != argument_count(function).min ||
      call.arguments.size() != args.size() || !args.back()->is_constant() ||
      has_parameter(*call.arguments.back().value, environment)) {
    return false;
  }
  return !args[0]->is_constant() || has_parameter(*call.arguments[0].value, environment);
}

// Kusto's trim functions take a regular expression where APL's take a set of characters; no set
// needs a class or an escape.
bool trims_by_expression(const ScalarFunction& function, const std::vector<ExprPtr>& args) {
  if (!function.takes_character_set || args.size() != 2 || !args[0]->is_constant() ||
      args[0]->constant.type() != Type::kString) {
    return false;
  }
  const std::string_view text = args[0]->constant.as_text();
  const std::size_t escape = text.find('\\');
  const bool escapes =
      escape != std::string_view::npos && escape + 1 < text.size() &&
      std::string_view(".dDsSwW()[]+*?$^|").find(text[escape + 1]) != std::string_view::npos;
  return escapes || (text.find('[') < text.find(']') && text.ends_with('+'));
}

// datetime_add(day, 1, _time): the error of a call's first argument.
Error explain_part(Error error, const ast::Call& call) {
  const ScalarFunction* function = find_function(call.function.text);
  const auto* field = std::get_if<ast::FieldRef>(&call.arguments[0].value->node);
  if (function != nullptr && function->check == check_date_part && field != nullptr &&
      error.span == call.arguments[0].value->span &&
      datetime_part(field->name.text, Datetime{0}).has_value()) {
    error.hint = "the part is a text: '" + field->name.text + "'";
  }
  return error;
}

// Whether it is a time that every event has, of rows that have lost it. Dashboards put
// coalesce(_time, _sysTime) behind any query.
bool is_lost_time(const ast::Expr& expr, const Relation* input, const Environment& environment) {
  const auto* field = std::get_if<ast::FieldRef>(&expr.node);
  return field != nullptr && input != nullptr &&
         (field->name.text == "_time" || field->name.text == "_sysTime") &&
         !find_field(input->schema(), field->name.text).has_value() &&
         environment.find(field->name.text) == nullptr;
}

// tostring(name = value) gives the column its name, as in Kusto; other arguments are named as
// their parameter is, or not at all.
Status check_argument_names(const ast::Call& call) {
  const ScalarFunction* row = find_function(call.function.text);
  for (const ast::Argument& argument : call.arguments) {
    const auto position = static_cast<std::size_t>(&argument - call.arguments.data());
    if (!argument.name.has_value() || (position == 0 && keeps_argument_name(call.function.text)) ||
        (row != nullptr && is_parameter(row->params, position, argument.name->text))) {
      continue;
    }
    return diag::named_argument(argument.name->span, call.function.text);
  }
  return Status::success();
}

}  // namespace

std::vector<std::string_view> function_names() {
  std::vector<std::string_view> names;
  for (const ScalarFunction* row : all_functions()) {
    names.push_back(row->name);
  }
  return names;
}

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
  EVQ_TRY_ASSIGN(const std::optional<CallBinder> special, special_call(call, span));
  if (!special.has_value()) {
    return bind_registry_call(call, span, input);
  }
  EVQ_TRY(check_argument_names(call));
  return (this->**special)(call, span, input);
}

Result<ExprPtr> Binder::bind_registry_call(const ast::Call& call, Span span,
                                           const Relation* input) {
  const ScalarFunction* row = find_function(call.function.text);
  if (row == nullptr ||
      (static_cast<unsigned>(row->flags) & static_cast<unsigned>(FunctionFlags::kInternal)) != 0) {
    if (find_aggregate(call.function.text) != nullptr) {
      return diag::aggregate_in_scalar(call.function.span, call.function.text);
    }
    if (calls_itself(query_, call.function)) {
      return diag::recursive_call(call.function.span, call.function.text);
    }
    Error error = diag::unknown_function(call.function.span, call.function.text, function_names());
    if (const std::string lower = ascii_lower(call.function.text);
        find_aggregate(lower) != nullptr) {
      error.hint = "write | summarize " + lower + "(…)";
    }
    if (input != nullptr && find_field(input->schema(), call.function.text).has_value()) {
      error.hint = "'" + call.function.text + "' is a field: write " + call.function.text +
                   "[0], or bin(" + call.function.text + ", …)";
    }
    return error;
  }
  EVQ_TRY(check_argument_names(call));
  EVQ_TRY_ASSIGN(std::vector<ExprPtr> args, bind_arguments(call, input));
  for (std::size_t i = 0; i < std::min<std::size_t>(args.size(), row->texts_first); ++i) {
    if (is_numeric(args[i]->type) || args[i]->type == Type::kDatetime ||
        args[i]->type == Type::kTimespan || args[i]->type == Type::kBool) {
      // By way of a dynamic, whose text is null where it is: tostring() makes an empty one of null.
      args[i] =
          fold(make_cast(make_cast(std::move(args[i]), Type::kDynamic), Type::kString), context());
    }
  }
  if (text_comes_first(call, *row, args, *environment_)) {
    std::rotate(args.begin(), args.begin() + 1, args.end());
    warn(std::string(row->name) +
         "() took its first argument for the text, since the last is the same in "
         "every row; APL writes " +
         signature(*row));
  }
  if (trims_by_expression(*row, args)) {
    const std::string name(row->name);
    warn(name + "() removes any of these characters; " + name +
         "_regex() takes a regular expression");
  }
  const ArgumentCount count = argument_count(*row);
  if (!takes_arguments(count.min, count.max, args.size())) {
    return diag::wrong_argument_count(span, row->name, argument_range(count.min, count.max),
                                      args.size(), signature(*row));
  }
  std::vector<Type> types;
  types.reserve(args.size());
  for (const ExprPtr& arg : args) {
    types.push_back(arg->type);
  }
  EVQ_TRY_ASSIGN(ExprPtr bound, make_call(*row, std::move(args), context(), span));
  EVQ_TRY(check_strict(*bound, types, row->name));
  return fold(std::move(bound), context());
}

bool keeps_argument_name(std::string_view function) {
  const ScalarFunction* row = find_function(function);
  return row != nullptr && row->result_name == ResultName::kArgument;
}

Result<std::vector<ExprPtr>> Binder::bind_arguments(const ast::Call& call, const Relation* input) {
  std::vector<ExprPtr> args;
  const ScalarFunction* row = find_function(call.function.text);
  const StarArgument star = row != nullptr ? row->star : StarArgument::kNothing;
  const bool lost_times = row != nullptr && row->takes_lost_times;
  const auto pack_row = [&](Span span) {
    for (std::size_t i = 0; input != nullptr && i < input->schema().size(); ++i) {
      const Field& field = input->schema()[i];
      if (is_hidden(field.name)) {
        continue;
      }
      if (star == StarArgument::kNamesAndValues) {
        args.push_back(make_constant(Value::string(field.name), span));
      }
      args.push_back(make_column(i, field.type, span));
    }
  };
  for (const ast::Argument& argument : call.arguments) {
    if (std::holds_alternative<ast::Star>(argument.value->node) && input != nullptr &&
        star != StarArgument::kNothing) {
      EVQ_TRY(note_expressions(2 * input->schema().size(), argument.value->span));
      pack_row(argument.value->span);
      continue;
    }
    if (const auto* type = std::get_if<ast::TypeOf>(&argument.value->node)) {
      // Functions take typeof(long) as a typed null.
      args.push_back(make_constant(Value::null(type->type), argument.value->span));
      continue;
    }
    if (lost_times && is_lost_time(*argument.value, input, *environment_)) {
      args.push_back(make_constant(Value::null(Type::kDatetime), argument.value->span));
      continue;
    }
    if (is_subquery(*argument.value)) {
      EVQ_TRY_ASSIGN(Relation table, table_of_expr(*argument.value));
      EVQ_TRY_ASSIGN(ExprPtr list, first_column(std::move(table), argument.value->span));
      args.push_back(std::move(list));
      continue;
    }
    auto bound = bind_expr(*argument.value, input);
    if (!bound.ok()) {
      return args.empty() ? explain_part(std::move(bound).take_error(), call)
                          : std::move(bound).take_error();
    }
    args.push_back(std::move(bound).value());
  }
  return args;
}

// The field that column_ifexists() gives; empty when it gives the default.
std::string field_if_exists(const ast::Call& call, const Relation* input) {
  if (input == nullptr) {
    return {};
  }
  const auto* name = std::get_if<ast::Literal>(&call.arguments[0].value->node);
  if (name == nullptr || name->value.is_null() || name->value.type() != Type::kString) {
    return {};
  }
  std::string field(name->value.as_text());
  const bool exists = find_field(input->schema(), field).has_value() || input->knows(field) ||
                      input->map_of(field) != nullptr;
  return exists ? field : std::string();
}

std::string Binder::derived_name(const ast::Expr& expr, const Relation* input) const {
  if (const auto* field = std::get_if<ast::FieldRef>(&expr.node)) {
    return field->name.text;
  }
  if (const auto* call = std::get_if<ast::Call>(&expr.node)) {
    const ScalarFunction* row = find_function(call->function.text);
    const ResultName named = row != nullptr ? row->result_name : ResultName::kNone;
    if (named == ResultName::kFieldOrDefault && call->arguments.size() == 2) {
      std::string field = field_if_exists(*call, input);
      return field.empty() ? derived_name(*call->arguments[1].value, input) : field;
    }
    const bool prefixed = named == ResultName::kFunctionArgument;
    if (call->arguments.empty() || !(prefixed || keeps_argument_name(call->function.text))) {
      return {};
    }
    const ast::Argument& first = call->arguments[0];
    std::string name =
        first.name.has_value() ? first.name->text : derived_name(*first.value, input);
    return prefixed && !name.empty() ? call->function.text + "_" + name : name;
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
    } else {
      break;
    }
  }
  // parse_json(field).key is called field_key.
  std::string whole = derived_name(*at, input);
  if (whole.empty()) {
    return {};
  }
  keys.push_back(std::move(whole));
  std::ranges::reverse(keys);
  std::string dotted;
  std::string underscored;
  for (const std::string& key : keys) {
    dotted.append(dotted.empty() ? "" : ".").append(key);
    underscored.append(underscored.empty() ? "" : "_").append(key);
  }
  // A path to a flattened field, or to a virtual one, keeps the field's own name.
  std::vector<PathStep> steps;
  if (input != nullptr && collect_path(expr, &steps)) {
    const auto field = field_of_path(*input, steps);
    if (field.has_value() && field->names == steps.size()) {
      return input->schema()[field->column].name;
    }
    if (!field.has_value() && input->knows(dotted)) {
      return dotted;
    }
  }
  return underscored;
}

}  // namespace evq::plan

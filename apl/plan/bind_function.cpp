// Functions that the query defines, as scalars and as tables, and the calls that stand for a table.

#include <algorithm>
#include <utility>

#include "apl/plan/binder.h"
#include "apl/plan/field_name.h"
#include "apl/plan/fold.h"
#include "apl/plan/shared_draw.h"
#include "apl/plan/stacking.h"
#include "store/base/limits.h"
#include "store/column/dynamic.h"

namespace evq::plan {
namespace {

Error calls_too_deep(Span at) {
  Error error = diag::limit_exceeded(at, "functions that call each other", kQueryCallDepthMax);
  error.hint = "write the body of one where it is called";
  return error;
}

std::size_t required_parameters(const std::vector<ast::Parameter>& parameters) {
  return static_cast<std::size_t>(std::ranges::count_if(
      parameters,
      [](const ast::Parameter& parameter) { return parameter.default_value == nullptr; }));
}

// Where the parameter is that an argument names.
Result<std::size_t> parameter_called(const ast::Name& name, std::string_view function,
                                     const std::vector<ast::Parameter>& parameters) {
  std::vector<std::string_view> names;
  for (const ast::Parameter& parameter : parameters) {
    if (parameter.name.text == name.text) {
      return names.size();
    }
    names.push_back(parameter.name.text);
  }
  return diag::unknown_argument(name.span, function, name.text, names);
}

// The table with the columns that its parameter declares as the types that it gives them, as a
// scalar parameter takes its argument.
Result<Environment::Meaning> bind_table(const Binder& binder, const ast::Parameter& parameter,
                                        Relation table, Span span, std::string_view function) {
  std::vector<std::pair<std::size_t, Type>> converted;
  for (const ast::ColumnSpec& column : parameter.columns) {
    const std::string& name = column.name.text;
    const auto at = find_field(table.schema(), name);
    if (!at.has_value()) {
      if (!table.knows(name)) {
        return binder.unknown_field(&table, name, span);
      }
      continue;
    }
    const Type type = table.schema()[*at].type;
    if (!implicit_cast_cost(type, column.type).has_value()) {
      return diag::invalid_constant(
          span, "the field '" + name + "' of the table for " + std::string(function) + "()",
          "be a " + std::string(type_name(column.type)) + ", not a " +
              std::string(type_name(type)));
    }
    if (type != column.type) {
      converted.emplace_back(*at, column.type);
    }
  }
  if (!converted.empty()) {
    std::vector<NamedColumn> columns = pass_through(table);
    for (const auto& [at, type] : converted) {
      NamedColumn& column =
          *std::ranges::find(columns, table.schema()[at].name, &NamedColumn::name);
      column.expr = make_cast(std::move(column.expr), type);
    }
    table = project(std::move(table), std::move(columns));
  }
  return Environment::Meaning(Environment::BoundTable{std::move(table.node), table.traits()});
}

}  // namespace

// A table with its columns, a scalar bound over `input`, both as their parameter declares them.
Result<Environment::Meaning> Binder::bind_parameter(const ast::Expr& argument,
                                                    std::string_view function,
                                                    const std::vector<ast::Parameter>& parameters,
                                                    std::size_t index, const Relation* input) {
  const ast::Parameter& parameter = parameters[index];
  if (parameter.is_table) {
    EVQ_TRY_ASSIGN(Relation table, table_of_expr(argument));
    return bind_table(*this, parameter, std::move(table), argument.span, function);
  }
  EVQ_TRY_ASSIGN(ExprPtr bound, bind_expr(argument, input));
  EVQ_TRY_ASSIGN(bound, fit(std::move(bound), parameter.type, function, index + 1));
  if (bound->draw == 0 && !is_deterministic(*bound)) {
    bound->draw = ++draws_;
  }
  return Environment::Meaning(Environment::Scalar{std::move(bound), pipelines_});
}

Result<Environment> Binder::bind_parameters(const Environment::Function& function,
                                            const ast::Call& call, Span span, const Relation* input,
                                            Relation* piped) {
  const std::string& name = call.function.text;
  const std::vector<ast::Parameter>& parameters = function.lambda->parameters;
  Environment frame;
  frame.outer = function.defined_in;
  std::size_t position = 0;
  if (piped != nullptr) {
    if (parameters.empty() || !parameters[0].is_table) {
      return diag::table_expected(span, "the first parameter of " + name + "()");
    }
    EVQ_TRY_ASSIGN(Environment::Meaning table,
                   bind_table(*this, parameters[0], std::move(*piped), span, name));
    frame.names.emplace(parameters[0].name.text, std::move(table));
    position = 1;
  }
  if (position + call.arguments.size() > parameters.size()) {
    return diag::wrong_argument_count(
        span, name,
        argument_range(required_parameters(parameters) - position, parameters.size() - position),
        call.arguments.size(), "");
  }
  for (const ast::Argument& argument : call.arguments) {
    std::size_t index = position++;
    if (argument.name.has_value()) {
      EVQ_TRY_ASSIGN(index, parameter_called(*argument.name, name, parameters));
    }
    if (frame.names.contains(parameters[index].name.text)) {
      return diag::duplicate_argument(argument.value->span, name, parameters[index].name.text);
    }
    EVQ_TRY_ASSIGN(Environment::Meaning meaning,
                   bind_parameter(*argument.value, name, parameters, index, input));
    frame.names.emplace(parameters[index].name.text, std::move(meaning));
  }
  for (std::size_t index = 0; index < parameters.size(); ++index) {
    const ast::Parameter& parameter = parameters[index];
    if (frame.names.contains(parameter.name.text)) {
      continue;
    }
    if (parameter.default_value == nullptr) {
      return diag::missing_argument(span, name, parameter.name.text);
    }
    EVQ_TRY_ASSIGN(Environment::Meaning meaning,
                   bind_parameter(*parameter.default_value, name, parameters, index, nullptr));
    frame.names.emplace(parameter.name.text, std::move(meaning));
  }
  return frame;
}

// Binds with the names of `frame` and what the body of the function defines, one call deeper.
template <class Bind>
auto Binder::bind_within(Environment frame, const ast::Lambda& lambda, const Bind& bind) {
  const Environment* outer = environment_;
  frames_.push_back(std::make_unique<Environment>(std::move(frame)));
  environment_ = frames_.back().get();
  for (const ast::Let& let : lambda.lets) {
    define(let);
  }
  ++depth_;
  auto bound = bind();
  --depth_;
  environment_ = outer;
  return bound;
}

Result<ExprPtr> Binder::bind_lambda_call(const Environment::Function& function,
                                         const ast::Call& call, Span span, const Relation* input) {
  if (depth_ >= kQueryCallDepthMax) {
    return calls_too_deep(call.function.span);
  }
  EVQ_TRY_ASSIGN(Environment frame, bind_parameters(function, call, span, input, nullptr));
  const auto* body = std::get_if<ast::ExprPtr>(&function.lambda->body);
  if (body == nullptr) {
    return diag::scalar_expected(span, "the table that " + call.function.text + "() returns");
  }
  // A value of toscalar() is the same wherever its name is used, as in a let.
  const auto* scalar = std::get_if<ast::Call>(&(*body)->node);
  const bool once = scalar != nullptr && scalar->function.text == "toscalar" &&
                    function.lambda->parameters.empty() && function.lambda->lets.empty();
  const std::pair<const ast::Expr*, const Environment*> key(body->get(), function.defined_in);
  if (const auto known = scalars_.find(key); once && known != scalars_.end()) {
    return clone(*known->second);
  }
  const bool own_names = std::exchange(own_names_first_, true);
  auto made =
      bind_within(std::move(frame), *function.lambda, [&] { return bind_expr(**body, input); });
  own_names_first_ = own_names;
  if (once && made.ok() && (*made)->is_constant()) {
    scalars_.emplace(key, clone(**made));
  }
  // Within another function or a let there may be more copies around.
  if (own_names || !made.ok()) {
    return made;
  }
  return share_draws(std::move(made).value());
}

bool calls_itself(const ast::Query* query, const ast::Name& function) {
  const ast::Let* around = nullptr;  // the last one before the call, since that is in its value
  for (std::size_t i = 0; query != nullptr && i < query->statements.size(); ++i) {
    const auto* let = std::get_if<ast::Let>(&query->statements[i]);
    if (let != nullptr && let->name.span.begin < function.span.begin) {
      around = let;
    }
  }
  return around != nullptr && around->name.text == function.text &&
         std::holds_alternative<std::unique_ptr<ast::Lambda>>(around->value);
}

// The names in a let or in the body of a function are those of the place where it stands.
bool may_be_table(const ast::Expr& expr, const Environment* at) {
  const auto* call = std::get_if<ast::Call>(&expr.node);
  const auto* field = std::get_if<ast::FieldRef>(&expr.node);
  if (call == nullptr && field == nullptr) {
    return is_subquery(expr);
  }
  const std::string& name = call != nullptr ? call->function.text : field->name.text;
  const Environment::Meaning* meaning = at->find(name);
  if (meaning == nullptr) {
    return field != nullptr || find_function(name) == nullptr;
  }
  if (const auto* let = std::get_if<Environment::LetExpr>(meaning)) {
    return may_be_table(*let->expr, let->defined_in);
  }
  if (const auto* function = std::get_if<Environment::Function>(meaning)) {
    const auto* body = std::get_if<ast::ExprPtr>(&function->lambda->body);
    return body == nullptr || may_be_table(**body, function->defined_in);
  }
  return !std::holds_alternative<Environment::Scalar>(*meaning);
}

bool is_table(const ast::Expr& expr, const Relation* input, const Environment* at) {
  const auto* call = std::get_if<ast::Call>(&expr.node);
  const auto* field = std::get_if<ast::FieldRef>(&expr.node);
  if (call == nullptr && field == nullptr) {
    return is_subquery(expr);
  }
  const std::string& name = call != nullptr ? call->function.text : field->name.text;
  if (field != nullptr && input != nullptr && find_field(input->schema(), name).has_value()) {
    return false;
  }
  const Environment::Meaning* meaning = at->find(name);
  if (meaning == nullptr) {
    return call != nullptr && (name == "materialize" || name == "table");
  }
  if (const auto* let = std::get_if<Environment::LetExpr>(meaning)) {
    return is_table(*let->expr, input, let->defined_in);
  }
  if (const auto* function = std::get_if<Environment::Function>(meaning)) {
    const auto* body = std::get_if<ast::ExprPtr>(&function->lambda->body);
    return body == nullptr || is_table(**body, input, function->defined_in);
  }
  return !std::holds_alternative<Environment::Scalar>(*meaning);
}

Result<Relation> Binder::table_of_expr(const ast::Expr& expr) {
  const Nesting nesting(&nesting_);
  EVQ_TRY(note_expressions(1, expr.span));
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

// Once for all uses of the let that it stands in.
Result<Relation> Binder::materialize(const ast::Call& call) {
  const std::tuple key(&call, environment_, answer_rows_ && options_.takes_part());
  auto known = materialized_.find(key);
  if (known == materialized_.end()) {
    EVQ_TRY_ASSIGN(Relation table, table_of_expr(*call.arguments[0].value));
    std::shared_ptr<const Node> plan = std::move(table.node);
    known =
        materialized_.emplace(key, Environment::BoundTable{std::move(plan), table.traits()}).first;
  }
  return read_shared(known->second.plan, known->second.traits);
}

Result<Relation> Binder::bind_table_call(const ast::Call& call, Span span, Relation* piped) {
  const std::string_view name = call.function.text;
  if ((name == "materialize" || name == "view") && call.arguments.size() == 1) {
    return materialize(call);
  }
  if ((name == "table" || name == "dataset") && call.arguments.size() == 1) {
    const ast::Expr& argument = *call.arguments[0].value;
    EVQ_TRY_ASSIGN(Value text, bind_constant(argument, "the table's name"));
    if (text.type() == Type::kDynamic && !text.is_null()) {
      text = value_from_dynamic(DynamicView(text.as_text()));
    }
    if (text.type() != Type::kString || text.is_null()) {
      return diag::invalid_constant(argument.span, "the table's name", "be a text");
    }
    return named_table(text.as_text(), span);
  }
  const Environment::Meaning* meaning = environment_->find(name);
  const auto* function = meaning != nullptr ? std::get_if<Environment::Function>(meaning) : nullptr;
  if (function == nullptr) {
    if (find_function(name) != nullptr) {
      Error error = diag::table_expected(span, "the scalar " + std::string(name) + "()");
      error.hint = "print " + std::string(name) + "(…) shows its value";
      return error;
    }
    if (calls_itself(query_, call.function)) {
      return diag::recursive_call(call.function.span, name);
    }
    return find_aggregate(name) != nullptr
               ? diag::aggregate_in_scalar(call.function.span, name)
               : diag::unknown_table_function(call.function.span, name, piped != nullptr);
  }
  if (depth_ >= kQueryCallDepthMax) {
    return calls_too_deep(call.function.span);
  }
  EVQ_TRY_ASSIGN(Environment frame, bind_parameters(*function, call, span, nullptr, piped));
  // There are no rows around a table, so that an argument has one value in all of its body.
  for (auto& [parameter, argument] : frame.names) {
    if (auto* scalar = std::get_if<Environment::Scalar>(&argument)) {
      scalar->expr = fold_once(std::move(scalar->expr), context());
    }
  }
  return bind_within(std::move(frame), *function->lambda, [&]() -> Result<Relation> {
    if (const auto* pipeline = std::get_if<ast::PipelinePtr>(&function->lambda->body)) {
      return bind_pipeline(**pipeline);
    }
    if (const auto* body = std::get_if<ast::ExprPtr>(&function->lambda->body)) {
      return table_of_expr(**body);
    }
    return diag::table_expected(span, "a function");
  });
}

}  // namespace evq::plan

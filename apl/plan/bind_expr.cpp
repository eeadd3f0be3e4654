// Scalar expressions: names, paths, operators. Calls are in bind_call.cpp.

#include <algorithm>
#include <array>
#include <utility>

#include "apl/plan/binder.h"
#include "apl/plan/field_name.h"
#include "apl/plan/fold.h"
#include "apl/plan/shared_draw.h"
#include "apl/syntax/parser.h"
#include "store/base/time.h"
#include "store/base/time_parse.h"

namespace evq::plan {
namespace {

// Virtual fields named by virtual fields; one that names itself ends here with a message.
constexpr int kVirtualDepthMax = 16;

std::string_view symbol_function(ast::BinaryOp op) {
  switch (op) {
    case ast::BinaryOp::kMultiply:
      return "op_multiply";
    case ast::BinaryOp::kDivide:
      return "op_divide";
    case ast::BinaryOp::kModulo:
      return "op_modulo";
    case ast::BinaryOp::kAdd:
      return "op_add";
    case ast::BinaryOp::kSubtract:
      return "op_subtract";
    case ast::BinaryOp::kEqual:
      return "op_equal";
    case ast::BinaryOp::kNotEqual:
      return "op_not_equal";
    case ast::BinaryOp::kLess:
      return "op_less";
    case ast::BinaryOp::kLessEqual:
      return "op_less_equal";
    case ast::BinaryOp::kGreater:
      return "op_greater";
    case ast::BinaryOp::kGreaterEqual:
      return "op_greater_equal";
    case ast::BinaryOp::kEqualFold:
      return "op_equal_fold";
    case ast::BinaryOp::kNotEqualFold:
      return "op_not_equal_fold";
    case ast::BinaryOp::kMatchesRegex:
    case ast::BinaryOp::kContains:
    case ast::BinaryOp::kContainsCs:
    case ast::BinaryOp::kStartswith:
    case ast::BinaryOp::kStartswithCs:
    case ast::BinaryOp::kEndswith:
    case ast::BinaryOp::kEndswithCs:
    case ast::BinaryOp::kHas:
    case ast::BinaryOp::kHasCs:
    case ast::BinaryOp::kHasprefix:
    case ast::BinaryOp::kHasprefixCs:
    case ast::BinaryOp::kHassuffix:
    case ast::BinaryOp::kHassuffixCs:
      break;
  }
  return {};
}

// Whether arithmetic is done by what each row holds: a dynamic beside another, or beside a number
// or a time.
bool goes_by_value(Type left, Type right) {
  const auto fits = [](Type type) {
    return type == Type::kDynamic || is_numeric(type) || type == Type::kTimespan ||
           type == Type::kDatetime;
  };
  return (left == Type::kDynamic && fits(right)) || (right == Type::kDynamic && fits(left));
}

// The constant key of a[…] when it is text.
std::optional<std::string> text_key(const ast::Expr& key) {
  if (const auto* literal = std::get_if<ast::Literal>(&key.node)) {
    if (literal->value.type() == Type::kString && !literal->value.is_null()) {
      return std::string(literal->value.as_text());
    }
  }
  return std::nullopt;
}

// A chain a.b['c'].d as names from left to right.
bool collect_path(const ast::Expr& expr, std::vector<PathStep>* steps) {
  if (const auto* field = std::get_if<ast::FieldRef>(&expr.node)) {
    steps->push_back({field->name.text, expr.span});
    return true;
  }
  if (const auto* member = std::get_if<ast::Member>(&expr.node)) {
    if (!collect_path(*member->object, steps)) {
      return false;
    }
    steps->push_back({member->key.text, expr.span});
    return true;
  }
  if (const auto* index = std::get_if<ast::Index>(&expr.node)) {
    const std::optional<std::string> key = text_key(*index->key);
    if (!key.has_value() || !collect_path(*index->object, steps)) {
      return false;
    }
    steps->push_back({*key, expr.span});
    return true;
  }
  return false;
}

std::string joined(std::span<const PathStep> steps, std::size_t count, bool escape) {
  std::string name = steps[0].key;
  for (std::size_t i = 1; i < count; ++i) {
    name.push_back('.');
    for (const char c : steps[i].key) {
      if (escape && c == '.') {
        name.push_back('\\');
      }
      name.push_back(c);
    }
  }
  return name;
}

// The registry's name of an operator: "op_add", "op_has_cs", "op_not_contains".
std::string operator_function(const ast::Binary& binary) {
  const std::string_view symbol = symbol_function(binary.op);
  if (!symbol.empty()) {
    return std::string(symbol);
  }
  std::string name = binary.negated ? "op_not_" : "op_";
  for (const char c : ast::binary_op_text(binary.op)) {
    name.push_back(c == ' ' ? '_' : c);
  }
  return name;
}

}  // namespace

Result<ExprPtr> Binder::call(std::string_view function, std::vector<ExprPtr> args,
                             Span span) const {
  const ScalarFunction* row = find_function(function);
  EVQ_CHECK(row != nullptr);
  EVQ_TRY_ASSIGN(ExprPtr bound, make_call(*row, std::move(args), context(), span));
  return fold(std::move(bound), context());
}

Result<ExprPtr> Binder::bind_expr(const ast::Expr& expr, const Relation* input) {
  const Nesting nesting(&nesting_);
  const Meanwhile beside(&answer_rows_, false);
  EVQ_TRY(note_expressions(1, expr.span));
  EVQ_TRY_ASSIGN(ExprPtr bound, bind_node(expr, input));
  bound->span = expr.span;
  return bound;
}

Result<ExprPtr> Binder::bind_node(const ast::Expr& expr, const Relation* input) {
  struct Visitor {
    Binder& binder;
    const ast::Expr& expr;
    const Relation* input;

    Result<ExprPtr> operator()(const ast::Literal& literal) {
      return make_constant(literal.value, expr.span);
    }
    Result<ExprPtr> operator()(const ast::FieldRef& field) {
      return binder.bind_name(field.name, expr.span, input);
    }
    Result<ExprPtr> operator()(const ast::Member& /*member*/) {
      return binder.bind_path(expr, input);
    }
    Result<ExprPtr> operator()(const ast::Index& /*index*/) {
      return binder.bind_path(expr, input);
    }
    Result<ExprPtr> operator()(const ast::Star& /*star*/) {
      return diag::misplaced_star(expr.span);
    }
    Result<ExprPtr> operator()(const ast::Call& call) {
      return binder.bind_call(call, expr.span, input);
    }
    Result<ExprPtr> operator()(const ast::Unary& unary) {
      return binder.bind_unary(unary, expr.span, input);
    }
    Result<ExprPtr> operator()(const ast::Binary& binary) {
      return std::holds_alternative<ast::Star>(binary.left->node)
                 ? binder.bind_any_field(binary, expr.span, input)
                 : binder.bind_binary(binary, expr.span, input);
    }
    Result<ExprPtr> operator()(const ast::Logical& logical) {
      return binder.bind_logical(logical, expr.span, input);
    }
    Result<ExprPtr> operator()(const ast::Membership& membership) {
      return binder.bind_membership(membership, expr.span, input);
    }
    Result<ExprPtr> operator()(const ast::Between& between) {
      return binder.bind_between(between, expr.span, input);
    }
    Result<ExprPtr> operator()(const ast::TypeOf& /*type*/) {
      return diag::scalar_expected(expr.span, "typeof(…)");
    }
    Result<ExprPtr> operator()(const ast::Subquery& /*subquery*/) {
      return diag::scalar_expected(expr.span, "a table");
    }
    Result<ExprPtr> operator()(const ast::SearchTerm& /*term*/) {
      return diag::unsupported_feature(expr.span, "a search term outside `search`",
                                       "write field has \"text\"");
    }
  };
  return std::visit(Visitor{*this, expr, input}, expr.node);
}

// In the body of a function and in a let, names known there come first: they were written without
// the fields in mind that there are where they are used.
Result<ExprPtr> Binder::bind_name(const ast::Name& name, Span span, const Relation* input) {
  if (const auto* own = environment_->find_scalar(name.text); own_names_first_ && own != nullptr) {
    return use_scalar(*own, name, input);
  }
  if (input != nullptr) {
    if (const auto at = find_field(input->schema(), name.text); at.has_value()) {
      return make_column(*at, input->schema()[*at].type, span);
    }
  }
  if (const Environment::Meaning* meaning = environment_->find(name.text); meaning != nullptr) {
    return use_scalar(*meaning, name, input);
  }
  if (input != nullptr) {
    const auto at = std::ranges::find(input->virtual_fields, name.text, &VirtualField::name);
    if (at != input->virtual_fields.end()) {
      return bind_virtual(*at, span, input);
    }
    if (std::ranges::find(input->map_fields, name.text) != input->map_fields.end()) {
      return make_constant(Value::null(Type::kDynamic), span);  // declared, no event has it yet
    }
  }
  if (const std::optional<Type> elsewhere = type_elsewhere(name.text); elsewhere.has_value()) {
    return make_constant(Value::null(*elsewhere), span);
  }
  return unknown_field(input, name.text, span);
}

// Binds the field's text over the rows that named it. Spans of that text mean nothing in the query.
Result<ExprPtr> Binder::bind_virtual(const VirtualField& field, Span span, const Relation* input) {
  const auto explain = [&](Error error) {
    error.message = "the virtual field '" + field.name + "': " + error.message;
    error.span = span;
    return error;
  };
  if (depth_ >= kVirtualDepthMax) {
    return diag::recursive_function(span, field.name);
  }
  auto parsed = syntax::parse_expression(field.expression, context().now_ns);
  if (!parsed.ok()) {
    return explain(std::move(parsed).take_error());
  }
  parsed_.push_back(std::move(parsed).value());
  ++depth_;
  const bool own_names = std::exchange(own_names_first_, false);
  auto bound = bind_expr(*parsed_.back(), input);
  own_names_first_ = own_names;
  --depth_;
  if (!bound.ok()) {
    return explain(std::move(bound).take_error());
  }
  return bound;
}

Result<ExprPtr> Binder::use_scalar(const Environment::Meaning& meaning, const ast::Name& name,
                                   const Relation* input) {
  if (const auto* scalar = std::get_if<Environment::Scalar>(&meaning)) {
    EVQ_TRY(note_expressions(node_count(*scalar->expr), name.span));
    return clone(*scalar->expr);
  }
  if (const auto* let = std::get_if<Environment::LetExpr>(&meaning)) {
    return use_let(*let, input);
  }
  if (const auto* function = std::get_if<Environment::Function>(&meaning);
      function != nullptr && std::holds_alternative<ast::ExprPtr>(function->lambda->body)) {
    return bind_lambda_call(*function, ast::Call{name, {}}, name.span, input);
  }
  return diag::scalar_expected(name.span, "the table '" + name.text + "'");
}

// A value of toscalar() is the same wherever its name is used.
Result<ExprPtr> Binder::use_let(const Environment::LetExpr& let, const Relation* input) {
  const auto* call = std::get_if<ast::Call>(&let.expr->node);
  const bool once = call != nullptr && call->function.text == "toscalar";
  const std::pair key(let.expr, let.defined_in);
  if (const auto known = scalars_.find(key); known != scalars_.end()) {
    return clone(*known->second);
  }
  const Environment* outer = std::exchange(environment_, let.defined_in);
  const bool own_names = std::exchange(own_names_first_, true);
  auto bound = bind_expr(*let.expr, input);
  own_names_first_ = own_names;
  environment_ = outer;
  if (once && bound.ok() && (*bound)->is_constant()) {
    scalars_.emplace(key, clone(**bound));
  }
  if (own_names || !bound.ok()) {
    return bound;
  }
  return share_draws(std::move(bound).value());
}

// The longest flattened name that exists, then accesses into its value; null when there is none.
Result<ExprPtr> Binder::bind_longest(std::span<const PathStep> steps, std::size_t count_min,
                                     std::size_t count_max, const Relation* input) const {
  for (std::size_t count = count_max; count >= count_min; --count) {
    std::optional<std::size_t> at = find_field(input->schema(), joined(steps, count, false));
    if (!at.has_value() && count > 1) {
      at = find_field(input->schema(), joined(steps, count, true));
    }
    if (!at.has_value()) {
      continue;
    }
    const Type type = input->schema()[*at].type;
    if (count < steps.size() && type != Type::kDynamic && type != Type::kNull) {
      Error error = unknown_field(input, joined(steps, steps.size(), false), steps.back().span);
      error.hint = "'" + joined(steps, count, false) + "' is a " + std::string(type_name(type)) +
                   " and has no parts";
      error.hint += type == Type::kString ? "; parse_json(…) reads JSON" : "";
      return error;
    }
    ExprPtr bound = make_column(*at, type, steps[count - 1].span);
    for (std::size_t i = count; i < steps.size(); ++i) {
      std::vector<ExprPtr> args;
      args.push_back(std::move(bound));
      args.push_back(make_constant(Value::string(steps[i].key), steps[i].span));
      EVQ_TRY_ASSIGN(bound, call("op_index", std::move(args), steps[i].span));
    }
    return bound;
  }
  return ExprPtr();
}

// As bind_longest, but a path into a map field means its value alone, never a flattened field of
// the same name: the two are different fields.
Result<ExprPtr> Binder::bind_steps(std::span<const PathStep> steps, const Relation* input) const {
  std::size_t map = steps.size();
  while (map > 0 && std::ranges::find(input->map_fields, joined(steps, map, false)) ==
                        input->map_fields.end()) {
    --map;
  }
  if (map > 0) {
    EVQ_TRY_ASSIGN(ExprPtr inside, bind_longest(steps, map, map, input));
    if (inside != nullptr) {
      return inside;
    }
  }
  EVQ_TRY_ASSIGN(ExprPtr bound, bind_longest(steps, 1, steps.size(), input));
  if (bound == nullptr && map > 0) {
    bound = make_constant(Value::null(Type::kDynamic), steps[0].span);  // no event has it yet
  }
  return bound;
}

Result<ExprPtr> Binder::bind_path(const ast::Expr& expr, const Relation* input) {
  std::vector<PathStep> steps;
  if (input != nullptr && collect_path(expr, &steps) &&
      !(own_names_first_ && environment_->find_scalar(steps[0].key) != nullptr)) {
    if (sided_ != nullptr && steps.size() > 1 &&
        (steps[0].key == "$left" || steps[0].key == "$right")) {
      steps.erase(steps.begin());
    }
    EVQ_TRY_ASSIGN(ExprPtr bound, bind_steps(steps, input));
    if (bound != nullptr) {
      return bound;
    }
    for (std::size_t count = steps.size(); count > 0; --count) {
      if (const auto type = type_elsewhere(joined(steps, count, false)); type.has_value()) {
        return make_constant(Value::null(count == steps.size() ? *type : Type::kDynamic),
                             expr.span);
      }
    }
    if (environment_->find(steps[0].key) == nullptr) {
      return unknown_field(input, joined(steps, steps.size(), false), expr.span);
    }
  }
  const auto* member = std::get_if<ast::Member>(&expr.node);
  const auto* index = std::get_if<ast::Index>(&expr.node);
  const ast::Expr& object = member != nullptr ? *member->object : *index->object;
  std::vector<ExprPtr> args;
  EVQ_TRY_ASSIGN(ExprPtr bound_object, bind_expr(object, input));
  args.push_back(std::move(bound_object));
  if (member != nullptr) {
    args.push_back(make_constant(Value::string(member->key.text), member->key.span));
  } else {
    EVQ_TRY_ASSIGN(ExprPtr key, bind_expr(*index->key, input));
    args.push_back(std::move(key));
  }
  return call("op_index", std::move(args), expr.span);
}

namespace {

// Habits of other languages deserve more than the types that would do.
Error arithmetic_mismatch(Span span, ast::BinaryOp op, Type left, Type right) {
  Error error =
      diag::type_mismatch(span, ast::binary_op_text(op), type_name(left), type_name(right));
  const bool text = left == Type::kString || right == Type::kString;
  const auto is_time = [](Type type) { return type == Type::kDatetime || type == Type::kTimespan; };
  if (text && (is_time(left) || is_time(right))) {
    error.hint = "a timespan is written without quotes: 1h; totimespan(…) reads a text";
  } else if (left == right && left == Type::kTimespan) {
    error.hint = "make a number of one of them: duration / 1s";
  } else if (op == ast::BinaryOp::kAdd && left == right && left == Type::kDatetime) {
    error.hint = "take their difference, or add a timespan: time + 1h";
  } else if (text && op == ast::BinaryOp::kAdd) {
    error.hint = "join texts with strcat(a, b)";
  } else if (!text && (is_numeric(left) || is_numeric(right))) {
    error.hint = "give the number a unit: 1d, 2h, 30s";
  }
  return error;
}

}  // namespace

Result<ExprPtr> Binder::bind_binary(const ast::Binary& binary, Span span, const Relation* input) {
  if (std::holds_alternative<ast::Literal>(binary.right->node)) {
    note_quoted_field(*binary.left, input);
  }
  EVQ_TRY_ASSIGN(ExprPtr left, bind_expr(*binary.left, input));
  auto bound_right = bind_expr(*binary.right, input);
  if (const auto* word = std::get_if<ast::FieldRef>(&binary.right->node);
      !bound_right.ok() && word != nullptr && left->type == Type::kString && !word->name.quoted) {
    Error error = std::move(bound_right).take_error();
    if (!error.hint.starts_with("did you mean")) {
      error.hint = "a text needs quotes: '" + word->name.text + "'";
    }
    return error;
  }
  EVQ_TRY_ASSIGN(ExprPtr right, std::move(bound_right));
  EVQ_TRY(adapt_operands(binary.op, &left, &right));
  const Type left_type = left->type;
  const Type right_type = right->type;
  if (strict_types_ && is_comparison(binary.op) && left_type != right_type &&
      left_type != Type::kNull && right_type != Type::kNull &&
      !(is_numeric(left_type) && is_numeric(right_type))) {
    return diag::type_mismatch(span, ast::binary_op_text(binary.op), type_name(left_type),
                               type_name(right_type));
  }
  std::vector<ExprPtr> args;
  args.push_back(std::move(left));
  args.push_back(std::move(right));
  const bool by_value = is_arithmetic(binary.op) && goes_by_value(left_type, right_type);
  auto bound =
      call(operator_function(binary) + (by_value ? "_dynamic" : ""), std::move(args), span);
  const auto either = [&](Type type) { return left_type == type || right_type == type; };
  const bool told = either(Type::kDatetime) || either(Type::kTimespan) || either(Type::kString);
  if (bound.ok() || !is_arithmetic(binary.op) || !told) {
    return bound;
  }
  return arithmetic_mismatch(span, binary.op, left_type, right_type);
}

// `* has "x"`: true when it holds for the text of any column.
Result<ExprPtr> Binder::bind_any_field(const ast::Binary& binary, Span span,
                                       const Relation* input) {
  if (input == nullptr) {
    return diag::misplaced_star(binary.left->span);
  }
  EVQ_TRY_ASSIGN(ExprPtr right, bind_expr(*binary.right, input));
  EVQ_TRY(note_expressions(input->schema().size() * (node_count(*right) + 2), span));
  if (is_search(binary.op) && !binary.negated && right->is_constant() &&
      right->type == Type::kString && !right->constant.is_null() &&
      !right->constant.as_text().empty()) {
    return search_fields(ast::binary_op_text(binary.op), right->constant.as_text(), *input,
                         std::nullopt, span);
  }
  // A number is compared with the numbers of a row, a time with its times.
  const bool by_type = is_comparison(binary.op) && right->type != Type::kString &&
                       right->type != Type::kDynamic && right->type != Type::kNull;
  std::vector<ExprPtr> tests;
  for (std::size_t i = 0; i < input->schema().size(); ++i) {
    const Field& field = input->schema()[i];
    if (is_hidden(field.name)) {
      continue;
    }
    std::vector<ExprPtr> args;
    if (by_type && field.type != Type::kDynamic && field.type != right->type &&
        !(is_numeric(field.type) && is_numeric(right->type))) {
      continue;
    }
    args.push_back(make_column(i, field.type, binary.left->span));
    if (!by_type && field.type != Type::kString) {
      std::vector<ExprPtr> text;
      text.push_back(std::move(args[0]));
      EVQ_TRY_ASSIGN(args[0], call("tostring", std::move(text), binary.left->span));
    }
    args.push_back(clone(*right));
    EVQ_TRY_ASSIGN(ExprPtr test, call(operator_function(binary), std::move(args), span));
    tests.push_back(std::move(test));
  }
  if (tests.empty()) {
    return make_constant(Value::boolean(false), span);
  }
  return tests.size() == 1 ? std::move(tests[0]) : call("op_or", std::move(tests), span);
}

Result<ExprPtr> Binder::bind_logical(const ast::Logical& logical, Span span,
                                     const Relation* input) {
  std::vector<ExprPtr> args;
  for (const ast::ExprPtr& operand : logical.operands) {
    EVQ_TRY_ASSIGN(ExprPtr bound, bind_predicate(*operand, input, logical.is_or ? "or" : "and"));
    args.push_back(std::move(bound));
  }
  return call(logical.is_or ? "op_or" : "op_and", std::move(args), span);
}

Result<ExprPtr> Binder::bind_predicate(const ast::Expr& expr, const Relation* input,
                                       std::string_view where) {
  EVQ_TRY_ASSIGN(ExprPtr bound, bind_expr(expr, input));
  if (bound->type == Type::kBool || bound->type == Type::kNull) {
    return make_cast(std::move(bound), Type::kBool);
  }
  if (bound->type == Type::kDynamic) {
    std::vector<ExprPtr> args;
    args.push_back(std::move(bound));
    return call("tobool", std::move(args), expr.span);
  }
  return diag::predicate_not_bool(expr.span, where, type_name(bound->type));
}

Result<ExprPtr> Binder::bind_unary(const ast::Unary& unary, Span span, const Relation* input) {
  if (unary.op == ast::UnaryOp::kNot) {
    EVQ_TRY_ASSIGN(ExprPtr operand, bind_predicate(*unary.operand, input, "not"));
    std::vector<ExprPtr> args;
    args.push_back(std::move(operand));
    return call("not", std::move(args), span);
  }
  EVQ_TRY_ASSIGN(ExprPtr operand, bind_expr(*unary.operand, input));
  if (unary.op == ast::UnaryOp::kPlus) {
    return operand;
  }
  const bool by_value = operand->type == Type::kDynamic;
  std::vector<ExprPtr> args;
  args.push_back(std::move(operand));
  return call(by_value ? "op_negate_dynamic" : "op_negate", std::move(args), span);
}

namespace {

// in ["a"] reads as the name of a field.
Error explain_list(Error error, const ast::Expr& item) {
  const auto* field = std::get_if<ast::FieldRef>(&item.node);
  if (field != nullptr && field->name.quoted && !error.hint.starts_with("did you mean")) {
    error.hint = "a list of values stands in parentheses: in ('" + field->name.text + "')";
  }
  return error;
}

}  // namespace

Result<ExprPtr> Binder::bind_membership(const ast::Membership& membership, Span span,
                                        const Relation* input) {
  std::vector<ExprPtr> args;
  EVQ_TRY_ASSIGN(ExprPtr value, bind_expr(*membership.value, input));
  if (!membership.list.empty()) {
    const auto* literal = std::get_if<ast::Literal>(&membership.list[0]->node);
    EVQ_TRY_ASSIGN(value, adapt_weekday(std::move(value),
                                        literal != nullptr ? literal->value.type() : Type::kNull));
  }
  const Type value_type = value->type;
  args.push_back(std::move(value));
  for (const ast::ExprPtr& item : membership.list) {
    if (is_table(*item, input, environment_)) {
      EVQ_TRY_ASSIGN(ExprPtr list, scalar_of_table(*item, item->span));
      args.push_back(std::move(list));
      continue;
    }
    auto bound = bind_expr(*item, input);
    if (!bound.ok()) {
      return explain_list(std::move(bound).take_error(), *item);
    }
    EVQ_TRY_ASSIGN(ExprPtr adapted, adapt(std::move(bound).value(), value_type, true));
    args.push_back(std::move(adapted));
  }
  std::string name = membership.negated ? "op_not_" : "op_";
  name += membership.op == ast::MembershipOp::kInFold ? "in_fold"
                                                      : ast::membership_op_text(membership.op);
  return call(name, std::move(args), span);
}

Result<Value> Binder::bind_constant(const ast::Expr& expr, std::string_view what) {
  EVQ_TRY_ASSIGN(ExprPtr bound, bind_expr(expr, nullptr));
  bound = fold(std::move(bound), context());
  if (!bound->is_constant()) {
    return diag::constant_required(expr.span, what);
  }
  return bound->constant;
}

Result<std::uint64_t> Binder::bind_count(const ast::Expr& expr, std::string_view what) {
  EVQ_TRY_ASSIGN(const Value value, bind_constant(expr, what));
  const bool counts = value.type() == Type::kLong && !value.is_null() && value.as_integer() >= 0;
  return counts ? Result<std::uint64_t>(static_cast<std::uint64_t>(value.as_integer()))
                : diag::invalid_constant(expr.span, what, "be a whole number, 0 or more");
}

}  // namespace evq::plan

// Scalar expressions: constants and operators. Names and paths are in bind_name.cpp, calls in
// bind_call.cpp.

#include <algorithm>
#include <utility>

#include "apl/plan/adapt.h"
#include "apl/plan/binder.h"
#include "apl/plan/fold.h"
#include "apl/plan/stacking.h"

namespace evq::plan {
namespace {

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

// The registry's name of an operator: "op_add", "op_has_cs", "op_not_contains".
std::string operator_function(ast::BinaryOp op, bool negated) {
  const std::string_view symbol = symbol_function(op);
  if (!symbol.empty()) {
    return std::string(symbol);
  }
  std::string name = negated ? "op_not_" : "op_";
  for (const char c : ast::binary_op_text(op)) {
    name.push_back(c == ' ' ? '_' : c);
  }
  return name;
}

std::string operator_function(ast::MembershipOp op, bool negated) {
  const std::string_view text =
      op == ast::MembershipOp::kInFold ? "in_fold" : ast::membership_op_text(op);
  return (negated ? "op_not_" : "op_") + std::string(text);
}

// What operators of texts mean where every one of them tells cases apart.
constexpr std::pair<ast::BinaryOp, ast::BinaryOp> kCaseSensitive[] = {
    {ast::BinaryOp::kEqualFold, ast::BinaryOp::kEqual},
    {ast::BinaryOp::kNotEqualFold, ast::BinaryOp::kNotEqual},
    {ast::BinaryOp::kContains, ast::BinaryOp::kContainsCs},
    {ast::BinaryOp::kStartswith, ast::BinaryOp::kStartswithCs},
    {ast::BinaryOp::kEndswith, ast::BinaryOp::kEndswithCs},
    {ast::BinaryOp::kHas, ast::BinaryOp::kHasCs},
    {ast::BinaryOp::kHasprefix, ast::BinaryOp::kHasprefixCs},
    {ast::BinaryOp::kHassuffix, ast::BinaryOp::kHassuffixCs},
};
constexpr std::pair<ast::MembershipOp, ast::MembershipOp> kCaseSensitiveMembership[] = {
    {ast::MembershipOp::kInFold, ast::MembershipOp::kIn},
    {ast::MembershipOp::kHasAny, ast::MembershipOp::kHasAnyCs},
    {ast::MembershipOp::kHasAll, ast::MembershipOp::kHasAllCs},
};

template <class Op, std::size_t N>
Op case_sensitive(Op op, const std::pair<Op, Op> (&forms)[N]) {
  const auto found = std::ranges::find(forms, op, &std::pair<Op, Op>::first);
  return found == std::end(forms) ? op : found->second;
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

namespace {

struct Operand {
  Type type;
  bool is_text;  // one of the events, not one that is written in the query
};

// EndTime - StartTime, now() - StartTime, StartTime + 1h of fields that hold texts; empty for
// others.
std::string texts_as_times(ast::BinaryOp op, const Operand& left, const Operand& right) {
  const bool minus = op == ast::BinaryOp::kSubtract;
  if (minus && left.is_text && right.is_text) {
    return "convert both with todatetime(…), or numbers with toreal(…)";
  }
  const bool from_time = minus && ((left.is_text && right.type == Type::kDatetime) ||
                                   (right.is_text && left.type == Type::kDatetime));
  const bool moved =
      (minus || op == ast::BinaryOp::kAdd) && left.is_text && right.type == Type::kTimespan;
  return from_time || moved ? "convert the text with todatetime(…)" : "";
}

// Habits of other languages deserve more than the types that would do.
Error arithmetic_mismatch(Span span, ast::BinaryOp op, const Operand& left_side,
                          const Operand& right_side) {
  const Type left = left_side.type;
  const Type right = right_side.type;
  Error error =
      diag::type_mismatch(span, ast::binary_op_text(op), type_name(left), type_name(right));
  const bool text = left == Type::kString || right == Type::kString;
  const auto is_time = [](Type type) { return type == Type::kDatetime || type == Type::kTimespan; };
  if (std::string times = texts_as_times(op, left_side, right_side); !times.empty()) {
    error.hint = std::move(times);
  } else if (text && (is_time(left) || is_time(right))) {
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

// service-name, for the field 'service.name'.
Error explain_dash(Error error, const ast::Binary& binary, std::string_view name,
                   const Relation* input) {
  const auto* right = std::get_if<ast::FieldRef>(&binary.right->node);
  if (binary.op == ast::BinaryOp::kSubtract && right != nullptr && input != nullptr &&
      error.message.starts_with("unknown field")) {
    const std::string both = std::string(name) + "-" + right->name.text;
    if (std::string near = diag::did_you_mean(both, visible_names(*input)); !near.empty()) {
      error.hint = std::move(near);
    }
  }
  return error;
}

// Whether the error is about the name itself, not about what a let has it stand for.
bool is_about(const Error& error, const ast::Expr& name) {
  return error.span == name.span && !error.hint.starts_with("did you mean");
}

// status == ok, for a value of type `other`: the word was meant as a text.
Error explain_word(Error error, const ast::Expr& word, Type other) {
  const auto* field = std::get_if<ast::FieldRef>(&word.node);
  if (field != nullptr && !field->name.quoted && other == Type::kString && is_about(error, word)) {
    error.hint = "a text needs quotes: '" + field->name.text + "'";
  }
  return error;
}

}  // namespace

Result<ExprPtr> Binder::bind_binary(const ast::Binary& binary, Span span, const Relation* input) {
  const ast::BinaryOp op = case_sensitive_ ? case_sensitive(binary.op, kCaseSensitive) : binary.op;
  if (std::holds_alternative<ast::Literal>(binary.right->node)) {
    note_quoted_field(*binary.left, input);
  }
  auto bound_left = bind_expr(*binary.left, input);
  if (const auto* name = std::get_if<ast::FieldRef>(&binary.left->node);
      !bound_left.ok() && name != nullptr) {
    return explain_dash(std::move(bound_left).take_error(), binary, name->name.text, input);
  }
  EVQ_TRY_ASSIGN(ExprPtr left, std::move(bound_left));
  auto bound_right = bind_expr(*binary.right, input);
  if (!bound_right.ok()) {
    return explain_word(std::move(bound_right).take_error(), *binary.right, left->type);
  }
  EVQ_TRY_ASSIGN(ExprPtr right, std::move(bound_right));
  EVQ_TRY(adapt_operands(*this, op, &left, &right, input));
  const Type left_type = left->type;
  const Type right_type = right->type;
  if (strict_types_ && is_comparison(op) && left_type != right_type && left_type != Type::kNull &&
      right_type != Type::kNull && !(is_numeric(left_type) && is_numeric(right_type))) {
    return diag::type_mismatch(span, ast::binary_op_text(op), type_name(left_type),
                               type_name(right_type));
  }
  if (is_comparison(op) && left_type == Type::kReal && right_type == Type::kTimespan &&
      right->is_constant() && !left->is_constant()) {
    warn(
        "a number is compared with a timespan as nanoseconds; one of seconds is compared with a "
        "number");
  }
  if (is_comparison(op)) {
    return compare(*this, op, symbol_function(op), std::move(left), std::move(right), span);
  }
  const auto operand = [](const Expr& side) {
    return Operand{side.type, side.type == Type::kString && !side.is_constant()};
  };
  const std::pair operands(operand(*left), operand(*right));
  std::vector<ExprPtr> args;
  args.push_back(std::move(left));
  args.push_back(std::move(right));
  const bool by_value = is_arithmetic(op) && goes_by_value(left_type, right_type);
  auto bound = call(operator_function(op, binary.negated) + (by_value ? "_dynamic" : ""),
                    std::move(args), span);
  const auto either = [&](Type type) { return left_type == type || right_type == type; };
  const bool told = either(Type::kDatetime) || either(Type::kTimespan) || either(Type::kString);
  if (bound.ok() || !is_arithmetic(op) || !told) {
    return bound;
  }
  return arithmetic_mismatch(span, op, operands.first, operands.second);
}

namespace {

// The operator that `op` is the negation of, as a symbol; `op` itself if it is none.
ast::BinaryOp without_negation(ast::BinaryOp op) {
  return op == ast::BinaryOp::kNotEqual       ? ast::BinaryOp::kEqual
         : op == ast::BinaryOp::kNotEqualFold ? ast::BinaryOp::kEqualFold
                                              : op;
}

}  // namespace

// `* has "x"`: true when it holds for the text of any column; `* !has "x"` when it holds for none.
Result<ExprPtr> Binder::bind_any_field(const ast::Binary& binary, Span span,
                                       const Relation* input) {
  if (input == nullptr) {
    return diag::misplaced_star(binary.left->span);
  }
  const ast::BinaryOp written =
      case_sensitive_ ? case_sensitive(binary.op, kCaseSensitive) : binary.op;
  const ast::BinaryOp op = without_negation(written);
  const bool negated = binary.negated || op != written;
  EVQ_TRY_ASSIGN(ExprPtr right, bind_expr(*binary.right, input));
  EVQ_TRY(note_expressions(input->schema().size() * (node_count(*right) + 2), span));
  std::vector<ExprPtr> tests;
  if (is_search(op) && right->is_constant() && right->type == Type::kString &&
      !right->constant.is_null() && !right->constant.as_text().empty()) {
    EVQ_TRY_ASSIGN(ExprPtr test, search_fields(ast::binary_op_text(op), right->constant.as_text(),
                                               *input, nullptr, span));
    tests.push_back(std::move(test));
    return any_of(std::move(tests), negated, span);
  }
  // A number is compared with the numbers of a row, a time with its times.
  const bool by_type = is_comparison(op) && right->type != Type::kString &&
                       right->type != Type::kDynamic && right->type != Type::kNull;
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
    if (!by_type) {
      EVQ_TRY_ASSIGN(args[0], convert(std::move(args[0]), Type::kString, binary.left->span));
    }
    args.push_back(clone(*right));
    EVQ_TRY_ASSIGN(ExprPtr test, call(operator_function(op, false), std::move(args), span));
    tests.push_back(std::move(test));
  }
  return any_of(std::move(tests), negated, span);
}

// Whether any of `tests` of fields holds, as a condition on * means it, or none of them where it is
// negated: a field without a value then counts as one of which the test does not hold.
Result<ExprPtr> Binder::any_of(std::vector<ExprPtr> tests, bool negated, Span span) {
  if (tests.empty()) {
    // Of several tables that are searched, one may well have no such field.
    if (searched_fields_.empty()) {
      warn(std::string("no field here can be compared with what follows *, so that ") +
           (negated ? "every row is kept" : "no row is found"));
    }
    return make_constant(Value::boolean(negated), span);
  }
  EVQ_TRY_ASSIGN(ExprPtr any, tests.size() == 1 ? Result<ExprPtr>(std::move(tests[0]))
                                                : call("op_or", std::move(tests), span));
  if (!negated) {
    return any;
  }
  std::vector<ExprPtr> known;
  known.push_back(std::move(any));
  known.push_back(make_constant(Value::boolean(false), span));
  std::vector<ExprPtr> args(1);
  EVQ_TRY_ASSIGN(args[0], call("coalesce", std::move(known), span));
  return call("not", std::move(args), span);
}

namespace {

// user == 'ann' or 'bob': the second text is one more value, not one more condition.
Error with_list_hint(Error error, const ast::Logical& logical, const ast::Expr& operand) {
  const bool text = std::holds_alternative<ast::Literal>(operand.node);
  if (text && &operand != logical.operands.front().get() && logical.is_or &&
      error.id == diag::predicate_not_bool({}, "", "").id) {
    error.hint = "one of several values: field in (1, 2), or has_any ('a', 'b')";
  }
  return error;
}

}  // namespace

Result<ExprPtr> Binder::bind_logical(const ast::Logical& logical, Span span,
                                     const Relation* input) {
  std::vector<ExprPtr> args;
  for (const ast::ExprPtr& operand : logical.operands) {
    auto bound = bind_predicate(*operand, input, logical.is_or ? "or" : "and");
    if (!bound.ok()) {
      return with_list_hint(std::move(bound).take_error(), logical, *operand);
    }
    args.push_back(std::move(bound).value());
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

// in ["a"] reads as the name of a field; in (web), of a dataset, as one, too. `op` is as written.
Error explain_list(Error error, const ast::Expr& item, Type value, std::string_view op,
                   TableSource& tables) {
  const auto* field = std::get_if<ast::FieldRef>(&item.node);
  const auto is_dataset = [&](const std::string& name) {
    const auto names = tables.table_names();  // without them the hint alone is another
    return names.ok() && std::ranges::count(*names, name) != 0;
  };
  if (field != nullptr && is_about(error, item) && is_dataset(field->name.text)) {
    const std::string name = field->name.quoted ? "['" + field->name.text + "']" : field->name.text;
    error.hint = "'" + field->name.text + "' is a dataset: write " + std::string(op) + " ((" +
                 name + " | project field))";
    return error;
  }
  if (field != nullptr && field->name.quoted && is_about(error, item)) {
    error.hint = "a list of values stands in parentheses: in ('" + field->name.text + "')";
  }
  return explain_word(std::move(error), item, value);
}

// The other operators search the text of the value for the texts of the items.
bool is_by_value(ast::MembershipOp op) {
  return op == ast::MembershipOp::kIn || op == ast::MembershipOp::kInFold;
}

// `* has_any ("x", "y")`: a test of the text of each column. `* in ("x", 5)`: whether the column's
// text is one of the texts, or its value one of the other items; none where it cannot be.
Result<std::vector<ExprPtr>> tests_in(const Binder& binder, const std::string& function,
                                      const ast::Membership& in, const std::vector<ExprPtr>& items,
                                      const Schema& schema, Span span) {
  const bool by_value = is_by_value(in.op);
  const auto comparable = [](Type field, Type item) {
    return field == item || field == Type::kDynamic || item == Type::kDynamic ||
           (is_numeric(field) && is_numeric(item));
  };
  std::vector<ExprPtr> tests;
  for (std::size_t i = 0; i < schema.size(); ++i) {
    if (is_hidden(schema[i].name)) {
      continue;
    }
    const Type type = schema[i].type;
    std::vector<ExprPtr> of_column;
    for (const bool as_text : {true, false}) {
      std::vector<ExprPtr> args;
      args.push_back(make_column(i, type, in.value->span));
      for (const ExprPtr& item : items) {
        const bool of_text = !by_value || item->type == Type::kString;
        if (as_text ? of_text : !of_text && comparable(type, item->type)) {
          args.push_back(clone(*item));
        }
      }
      if (args.size() == 1) {
        continue;
      }
      if (as_text && type != Type::kString) {
        EVQ_TRY_ASSIGN(args[0], binder.text_form(std::move(args[0]), in.value->span));
      }
      EVQ_TRY_ASSIGN(ExprPtr test, binder.call(function, std::move(args), span));
      of_column.push_back(std::move(test));
    }
    if (of_column.size() == 1) {
      tests.push_back(std::move(of_column[0]));
    } else if (!of_column.empty()) {
      EVQ_TRY_ASSIGN(ExprPtr either, binder.call("op_or", std::move(of_column), span));
      tests.push_back(std::move(either));
    }
  }
  return tests;
}

}  // namespace

Result<ExprPtr> Binder::bind_membership(const ast::Membership& in, Span span,
                                        const Relation* input) {
  const auto op = case_sensitive_ ? case_sensitive(in.op, kCaseSensitiveMembership) : in.op;
  const bool by_value = is_by_value(op);
  const bool any_field = std::holds_alternative<ast::Star>(in.value->node) && input != nullptr;
  const std::string function = operator_function(op, in.negated && !any_field);
  std::vector<ExprPtr> args;
  std::vector<bool> of_tables;  // one an argument
  Type value_type = Type::kNull;
  if (!any_field) {
    EVQ_TRY_ASSIGN(ExprPtr value, bind_expr(*in.value, input));
    if (by_value && !in.list.empty()) {
      const auto* literal = std::get_if<ast::Literal>(&in.list[0]->node);
      const Type first = literal != nullptr ? literal->value.type() : Type::kNull;
      EVQ_TRY_ASSIGN(value, adapt_weekday(*this, std::move(value), first, input));
    }
    value_type = value->type;
    args.push_back(std::move(value));
    of_tables.push_back(false);
  }
  std::size_t nodes = 2;
  for (const ast::ExprPtr& item : in.list) {
    of_tables.push_back(is_table(*item, input, environment_));
    if (of_tables.back()) {
      Type element = Type::kNull;
      EVQ_TRY_ASSIGN(ExprPtr list, values_of_table(*item, item->span, &element));
      if (by_value && !any_field) {
        // The list is dynamic: what its elements are must fit as an item of their type would.
        std::vector<ExprPtr> one;
        one.push_back(clone(*args[0]));
        one.push_back(make_constant(Value::null(element), item->span));
        EVQ_TRY(call(function, std::move(one), span));
      }
      args.push_back(std::move(list));
    } else {
      auto bound = bind_expr(*item, input);
      if (!bound.ok()) {
        return explain_list(std::move(bound).take_error(), *item, value_type,
                            ast::membership_op_text(in.op), tables_);
      }
      args.push_back(std::move(bound).value());
    }
    nodes += node_count(*args.back());
  }
  if (!any_field) {
    return by_value ? is_in(*this, function, std::move(args), of_tables, span)
                    : call(function, std::move(args), span);
  }
  EVQ_TRY(note_expressions(input->schema().size() * nodes, span));
  EVQ_TRY_ASSIGN(std::vector<ExprPtr> tests,
                 tests_in(*this, function, in, args, input->schema(), span));
  return any_of(std::move(tests), in.negated, span);
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

// Expressions by precedence climbing: member and index, unary sign, * / %, + -, comparisons (one
// level, no chaining), and, or. Every path to deeper nesting passes a DepthGuard, and make_expr
// bounds the height of what is built iteratively, so trees are never higher than kQueryDepthMax.

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "apl/syntax/diagnostics.h"
#include "apl/syntax/grammar.h"
#include "apl/syntax/words.h"
#include "store/base/limits.h"
#include "store/base/timespan.h"

namespace evq::syntax {

namespace {

using ast::BinaryOp;
using ast::ExprPtr;
using ast::MembershipOp;

struct SymbolOp {
  std::string_view text;
  BinaryOp op;
};

constexpr SymbolOp kComparisons[] = {
    {"==", BinaryOp::kEqual},        {"!=", BinaryOp::kNotEqual},  {"<>", BinaryOp::kNotEqual},
    {"<", BinaryOp::kLess},          {"<=", BinaryOp::kLessEqual}, {">", BinaryOp::kGreater},
    {">=", BinaryOp::kGreaterEqual}, {"=~", BinaryOp::kEqualFold}, {"!~", BinaryOp::kNotEqualFold}};

constexpr SymbolOp kWordOps[] = {{"contains", BinaryOp::kContains},
                                 {"contains_cs", BinaryOp::kContainsCs},
                                 {"startswith", BinaryOp::kStartswith},
                                 {"startswith_cs", BinaryOp::kStartswithCs},
                                 {"endswith", BinaryOp::kEndswith},
                                 {"endswith_cs", BinaryOp::kEndswithCs},
                                 {"has", BinaryOp::kHas},
                                 {"has_cs", BinaryOp::kHasCs},
                                 {"hasprefix", BinaryOp::kHasprefix},
                                 {"hasprefix_cs", BinaryOp::kHasprefixCs},
                                 {"hassuffix", BinaryOp::kHassuffix},
                                 {"hassuffix_cs", BinaryOp::kHassuffixCs},
                                 {"matches", BinaryOp::kMatchesRegex}};

struct WordMembership {
  std::string_view text;
  MembershipOp op;
};

constexpr WordMembership kMemberships[] = {
    {"in", MembershipOp::kIn},          {"in~", MembershipOp::kInFold},
    {"has_any", MembershipOp::kHasAny}, {"has_any_cs", MembershipOp::kHasAnyCs},
    {"has_all", MembershipOp::kHasAll}, {"has_all_cs", MembershipOp::kHasAllCs}};

constexpr SymbolOp kProducts[] = {
    {"*", BinaryOp::kMultiply}, {"/", BinaryOp::kDivide}, {"%", BinaryOp::kModulo}};
constexpr SymbolOp kSums[] = {{"+", BinaryOp::kAdd}, {"-", BinaryOp::kSubtract}};

template <class Table>
auto find_op(const Table& table, std::string_view text) -> decltype(&table[0]) {
  const auto found = std::find_if(std::begin(table), std::end(table),
                                  [&](const auto& row) { return row.text == text; });
  return found == std::end(table) ? nullptr : &*found;
}

int children_height(const ExprPtr& child) {
  return child ? child->height : 0;
}

int children_height(const std::vector<ExprPtr>& children) {
  int height = 0;
  for (const ExprPtr& child : children) {
    height = std::max(height, children_height(child));
  }
  return height;
}

struct HeightOfChildren {
  int operator()(const ast::Literal&) const { return 0; }
  int operator()(const ast::FieldRef&) const { return 0; }
  int operator()(const ast::Star&) const { return 0; }
  int operator()(const ast::TypeOf&) const { return 0; }
  int operator()(const ast::Subquery&) const { return 0; }  // given by parse_subquery
  int operator()(const ast::Member& e) const { return children_height(e.object); }
  int operator()(const ast::Index& e) const {
    return std::max(children_height(e.object), children_height(e.key));
  }
  int operator()(const ast::Call& e) const {
    int height = 0;
    for (const ast::Argument& argument : e.arguments) {
      height = std::max(height, children_height(argument.value));
    }
    return height;
  }
  int operator()(const ast::Unary& e) const { return children_height(e.operand); }
  int operator()(const ast::Binary& e) const {
    return std::max(children_height(e.left), children_height(e.right));
  }
  int operator()(const ast::Logical& e) const { return children_height(e.operands); }
  int operator()(const ast::Membership& e) const {
    return std::max(children_height(e.value), children_height(e.list));
  }
  int operator()(const ast::Between& e) const {
    return std::max({children_height(e.value), children_height(e.low), children_height(e.high)});
  }
  int operator()(const ast::SearchTerm& e) const {
    return std::max(children_height(e.field), children_height(e.term));
  }
};

Result<ExprPtr> parse_unary(TokenCursor& cursor);
Result<ExprPtr> parse_comparison(TokenCursor& cursor);

// ------------------------------------------------------------------------------------ primaries

Result<ExprPtr> parse_string(TokenCursor& cursor) {
  const std::size_t first = cursor.index();
  std::string text;
  while (cursor.peek().kind == TokenKind::kString) {  // neighbours are one literal
    text += cursor.take().text;
  }
  return make_expr(cursor, cursor.span_from(first), ast::Literal{Value::string(std::move(text))});
}

Result<ExprPtr> parse_subquery(TokenCursor& cursor) {
  const std::size_t first = cursor.index();
  const bool outer_search = cursor.in_search();
  const int outer_height = cursor.tallest();
  cursor.set_in_search(false);
  cursor.set_tallest(0);
  EVQ_TRY_ASSIGN(ast::PipelinePtr pipeline, parse_pipeline(cursor));
  const int height = cursor.tallest();
  cursor.set_in_search(outer_search);
  cursor.set_tallest(std::max(outer_height, height));
  return make_expr(cursor, cursor.span_from(first), ast::Subquery{std::move(pipeline)}, height);
}

// A scalar or, where a pipe says so, a table.
Result<ExprPtr> parse_value(TokenCursor& cursor) {
  return at_pipeline(cursor) ? parse_subquery(cursor) : parse_expression(cursor);
}

Result<ExprPtr> parse_parenthesised(TokenCursor& cursor) {
  const std::size_t first = cursor.index();
  cursor.take();
  EVQ_TRY_ASSIGN(ExprPtr inner, parse_value(cursor));
  EVQ_TRY(cursor.expect(")"));
  inner->span = cursor.span_from(first);
  return inner;
}

Result<ExprPtr> parse_typeof(TokenCursor& cursor) {
  const std::size_t first = cursor.index();
  cursor.take();
  ast::TypeOf node;
  const Token& after = cursor.peek(2);
  if (after.is_symbol(":") || cursor.at_quoted_name(1)) {
    EVQ_TRY_ASSIGN(node.columns, parse_columns(cursor));
  } else {
    EVQ_TRY(cursor.expect("("));
    Span span;
    EVQ_TRY_ASSIGN(node.type, parse_type(cursor, &span));
    EVQ_TRY(cursor.expect(")"));
  }
  return make_expr(cursor, cursor.span_from(first), std::move(node));
}

Result<ast::Argument> parse_argument(TokenCursor& cursor) {
  ast::Argument argument;
  const bool quoted = cursor.at_quoted_name();
  if ((cursor.peek().kind == TokenKind::kName && cursor.peek(1).is_symbol("=")) ||
      (quoted && cursor.peek(3).is_symbol("="))) {
    EVQ_TRY_ASSIGN(argument.name, parse_name(cursor, "a name"));
    cursor.take();
  }
  EVQ_TRY_ASSIGN(argument.value, parse_value(cursor));
  return argument;
}

// ago("1h") is the commonest slip with timespans, and would otherwise fail far from its cause.
Status check_quoted_timespan(const ast::Call& call) {
  if (call.function.text != "ago" || call.arguments.size() != 1) {
    return Status::success();
  }
  const auto* literal = std::get_if<ast::Literal>(&call.arguments.front().value->node);
  if (literal == nullptr || literal->value.type() != Type::kString) {
    return Status::success();
  }
  const std::string_view text = literal->value.as_text();
  if (!parse_timespan_literal(text)) {
    return Status::success();
  }
  return diag::quoted_timespan(call.arguments.front().value->span, text);
}

Result<ExprPtr> parse_name_primary(TokenCursor& cursor) {
  const Token& token = cursor.peek();
  const bool calls = cursor.peek(1).is_symbol("(");
  if (spells_bool(token.text)) {
    const bool value = token.text[0] == 't' || token.text[0] == 'T';
    cursor.take();
    return make_expr(cursor, token.span, ast::Literal{Value::boolean(value)});
  }
  if (token.text == "null" && !calls) {
    cursor.take();
    return make_expr(cursor, token.span, ast::Literal{Value::null()});
  }
  if (calls && token.text == "typeof") {
    return parse_typeof(cursor);
  }
  if (calls && token.text == "dynamic") {
    return parse_dynamic_literal(cursor);
  }
  if (cursor.in_search() && token.text == "not") {
    cursor.take();
    // not "x", not(…), and not field:"x" without parentheses.
    EVQ_TRY_ASSIGN(ExprPtr operand,
                   cursor.at("(") ? parse_unary(cursor) : parse_comparison(cursor));
    const Span span{token.span.begin, operand->span.end};
    return make_expr(cursor, span, ast::Unary{ast::UnaryOp::kNot, std::move(operand)});
  }
  if (calls) {
    return parse_call(cursor);
  }
  // `matches`, `has` and the like may be fields where no operand of theirs follows.
  const Token& next = cursor.peek(1);
  const bool operand_follows = next.kind != TokenKind::kEnd && next.kind != TokenKind::kSymbol;
  const bool never_a_field = token.text == "by" || token.text == "and" || token.text == "or" ||
                             token.text.front() == '!' ||
                             (is_infix_word(token.text) && operand_follows);
  const bool negation =
      token.text == "not" && (cursor.peek(1).kind == TokenKind::kName || cursor.at_quoted_name(1));
  if (never_a_field || negation) {
    return cursor.unexpected("an expression");
  }
  const bool sql_word = token.text == "NOT" || token.text == "BY";
  if (sql_word && cursor.peek(1).kind == TokenKind::kName) {
    return cursor.unexpected("an expression");
  }
  cursor.take();
  return make_expr(cursor, token.span,
                   ast::FieldRef{{.text = token.text, .span = token.span, .quoted = false}});
}

Result<ExprPtr> parse_primary(TokenCursor& cursor) {
  const Token& token = cursor.peek();
  switch (token.kind) {
    case TokenKind::kLiteral:
      cursor.take();
      return make_expr(cursor, token.span, ast::Literal{token.value});
    case TokenKind::kString:
      return parse_string(cursor);
    case TokenKind::kName:
      return parse_name_primary(cursor);
    case TokenKind::kEnd:
    case TokenKind::kSymbol:
      break;
  }
  if (cursor.at_quoted_name()) {
    if (cursor.peek(3).is_symbol("(") && cursor.joined(3)) {
      return parse_call(cursor);
    }
    EVQ_TRY_ASSIGN(ast::Name name, parse_name(cursor, "a name"));
    const Span span = name.span;
    return make_expr(cursor, span, ast::FieldRef{std::move(name)});
  }
  if (token.is_symbol("(")) {
    return parse_parenthesised(cursor);
  }
  if (token.is_symbol("*")) {
    cursor.take();
    return make_expr(cursor, token.span, ast::Star{});
  }
  cursor.may_end_with(Expected::kExpression);
  return cursor.unexpected("an expression");
}

// a[key]; a[from:to] is the slice up to `to`, and either end may be left out.
Result<ExprPtr> parse_index(TokenCursor& cursor, std::size_t first, ExprPtr object) {
  cursor.take();
  const Span begin = cursor.peek().span;
  ExprPtr key;
  if (!cursor.at(":")) {
    EVQ_TRY_ASSIGN(key, parse_expression(cursor));
  }
  if (cursor.at("..")) {
    return diag::foreign_symbol(cursor.peek().span, "a[from..to]", "array_slice(a, from, to)");
  }
  if (!cursor.accept(":")) {
    EVQ_TRY(cursor.expect("]"));
    return make_expr(cursor, cursor.span_from(first),
                     ast::Index{std::move(object), std::move(key)});
  }
  ast::Call slice{ast::Name{.text = "array_slice", .span = begin, .quoted = false}, {}};
  if (key == nullptr) {
    EVQ_TRY_ASSIGN(key, make_expr(cursor, begin, ast::Literal{Value::integer(0)}));
  }
  ExprPtr end;
  if (cursor.at("]")) {
    EVQ_TRY_ASSIGN(end, make_expr(cursor, begin, ast::Literal{Value::integer(INT64_MAX)}));
  } else {
    EVQ_TRY_ASSIGN(end, parse_expression(cursor));
  }
  EVQ_TRY(cursor.expect("]"));
  slice.arguments.push_back({std::nullopt, std::move(object)});
  slice.arguments.push_back({std::nullopt, std::move(key)});
  slice.arguments.push_back({std::nullopt, std::move(end)});
  return make_expr(cursor, cursor.span_from(first), std::move(slice));
}

// .name, .['name'], [key] after a primary.
Result<ExprPtr> parse_postfix(TokenCursor& cursor) {
  const std::size_t first = cursor.index();
  EVQ_TRY_ASSIGN(ExprPtr expr, parse_primary(cursor));
  for (;;) {
    if (cursor.at(".")) {
      cursor.take();
      if (cursor.at("[")) {
        continue;  // a.['b'] is a['b']
      }
      EVQ_TRY_ASSIGN(ast::Name key, parse_name(cursor, "a key after '.'"));
      EVQ_TRY_ASSIGN(expr, make_expr(cursor, cursor.span_from(first),
                                     ast::Member{std::move(expr), std::move(key)}));
      continue;
    }
    if (cursor.at("[") && !cursor.at_next_query()) {
      EVQ_TRY_ASSIGN(expr, parse_index(cursor, first, std::move(expr)));
      continue;
    }
    return expr;
  }
}

Result<ExprPtr> parse_unary(TokenCursor& cursor) {
  DepthGuard guard(cursor);
  EVQ_TRY(guard.take_status());
  const Token& token = cursor.peek();
  if (!token.is_symbol("-") && !token.is_symbol("+")) {
    return parse_postfix(cursor);
  }
  const auto op = token.is_symbol("-") ? ast::UnaryOp::kMinus : ast::UnaryOp::kPlus;
  const std::size_t first = cursor.index();
  cursor.take();
  EVQ_TRY_ASSIGN(ExprPtr operand, parse_unary(cursor));
  return make_expr(cursor, cursor.span_from(first), ast::Unary{op, std::move(operand)});
}

template <class Table>
Result<ExprPtr> parse_left_associative(TokenCursor& cursor, const Table& table,
                                       Result<ExprPtr> (*parse_operand)(TokenCursor&)) {
  const std::size_t first = cursor.index();
  EVQ_TRY_ASSIGN(ExprPtr left, parse_operand(cursor));
  while (cursor.peek().kind == TokenKind::kSymbol) {
    const SymbolOp* op = find_op(table, cursor.peek().text);
    if (op == nullptr) {
      break;
    }
    cursor.take();
    EVQ_TRY_ASSIGN(ExprPtr right, parse_operand(cursor));
    EVQ_TRY_ASSIGN(left, make_expr(cursor, cursor.span_from(first),
                                   ast::Binary{op->op, false, std::move(left), std::move(right)}));
  }
  return left;
}

Result<ExprPtr> parse_product(TokenCursor& cursor) {
  return parse_left_associative(cursor, kProducts, parse_unary);
}

// --------------------------------------------------------------------------------- comparisons

// The field that the expression is, dots included; empty when it is none.
std::string path_of(const ast::Expr& expr) {
  if (const auto* field = std::get_if<ast::FieldRef>(&expr.node)) {
    return field->name.text;
  }
  if (const auto* member = std::get_if<ast::Member>(&expr.node)) {
    const std::string object = path_of(*member->object);
    return object.empty() ? object : object + "." + member->key.text;
  }
  return {};
}

// For completion: what follows is compared with `left`.
void note_compared(const TokenCursor& cursor, const ast::Expr& left) {
  if (ExpectationRecorder* recorder = cursor.recorder_at_end()) {
    recorder->note_compared(path_of(left));
  }
}

// For completion: the operators that compare what stands before them.
void note_comparisons(const TokenCursor& cursor) {
  for (const std::string_view symbol : {"==", "!=", "=~", "!~", "<", "<=", ">", ">="}) {
    cursor.may_go_on_with(symbol);
  }
  for (const std::string_view word : infix_words()) {
    if (word != "and" && word != "or") {
      cursor.may_go_on_with(word == "matches" ? "matches regex" : word);
    }
  }
}

Result<ExprPtr> parse_between(TokenCursor& cursor, std::size_t first, ExprPtr value) {
  const bool negated = cursor.take().text.front() == '!';
  EVQ_TRY(cursor.expect("(", "(low .. high)"));
  EVQ_TRY_ASSIGN(ExprPtr low, parse_arithmetic(cursor));
  EVQ_TRY(cursor.expect(".."));
  EVQ_TRY_ASSIGN(ExprPtr high, parse_arithmetic(cursor));
  EVQ_TRY(cursor.expect(")"));
  return make_expr(cursor, cursor.span_from(first),
                   ast::Between{negated, std::move(value), std::move(low), std::move(high)});
}

Result<ExprPtr> parse_membership(TokenCursor& cursor, std::size_t first, ExprPtr value,
                                 MembershipOp op) {
  const bool negated = cursor.take().text.front() == '!';
  ast::Membership node{op, negated, std::move(value), {}};
  if (!cursor.at("(")) {
    // A let-bound list may stand without parentheses.
    EVQ_TRY_ASSIGN(ExprPtr list, parse_arithmetic(cursor));
    node.list.push_back(std::move(list));
    return make_expr(cursor, cursor.span_from(first), std::move(node));
  }
  cursor.take();
  while (!cursor.at(")")) {
    note_compared(cursor, *node.value);
    EVQ_TRY_ASSIGN(ExprPtr item, parse_value(cursor));
    node.list.push_back(std::move(item));
    if (!cursor.accept(",")) {
      break;
    }
  }
  EVQ_TRY(cursor.expect(")", "',' or ')'"));
  return make_expr(cursor, cursor.span_from(first), std::move(node));
}

// The operator at the cursor, taken; nothing when there is none.
std::optional<std::pair<BinaryOp, bool>> accept_comparison(TokenCursor& cursor) {
  const Token& token = cursor.peek();
  if (token.kind == TokenKind::kSymbol) {
    const SymbolOp* op = find_op(kComparisons, token.text);
    if (op == nullptr) {
      return std::nullopt;
    }
    cursor.take();
    return std::pair(op->op, false);
  }
  if (token.kind != TokenKind::kName) {
    return std::nullopt;
  }
  std::string_view word = token.text;
  const bool negated = word.starts_with('!');
  word.remove_prefix(negated ? 1 : 0);
  const SymbolOp* op = find_op(kWordOps, word);
  const bool regex = op != nullptr && op->op == BinaryOp::kMatchesRegex;
  if (op == nullptr || (regex && !cursor.peek(1).is_word("regex"))) {
    return std::nullopt;
  }
  cursor.take();
  if (regex) {
    cursor.take();
  }
  return std::pair(op->op, negated);
}

// The null that the next operand begins with, in parentheses or not; null() is a call.
const Token* find_null(const TokenCursor& cursor) {
  std::size_t i = 0;
  while (cursor.peek(i).is_symbol("(")) {
    ++i;
  }
  const Token& token = cursor.peek(i);
  const bool found =
      (token.is_word("null") || token.is_word("NULL")) && !cursor.peek(i + 1).is_symbol("(");
  return found ? &token : nullptr;
}

Result<ExprPtr> parse_one_comparison(TokenCursor& cursor) {
  const std::size_t first = cursor.index();
  EVQ_TRY_ASSIGN(ExprPtr left, parse_arithmetic(cursor));
  if (cursor.in_search() && cursor.accept(":")) {
    EVQ_TRY_ASSIGN(ExprPtr term, parse_arithmetic(cursor));
    return make_expr(cursor, cursor.span_from(first),
                     ast::SearchTerm{std::move(left), std::move(term)});
  }
  const Token& token = cursor.peek();
  if (token.is_word("between") || token.is_word("!between")) {
    return parse_between(cursor, first, std::move(left));
  }
  if (token.kind == TokenKind::kName) {
    const std::string_view word = std::string_view(token.text).substr(token.text[0] == '!' ? 1 : 0);
    if (const WordMembership* member = find_op(kMemberships, word)) {
      return parse_membership(cursor, first, std::move(left), member->op);
    }
  }
  const auto op = accept_comparison(cursor);
  if (!op) {
    if (cursor.recorder_at_end() != nullptr) {
      note_comparisons(cursor);
    }
    return left;
  }
  if (const Token* null = find_null(cursor)) {
    return diag::null_comparison(null->span, op->first == BinaryOp::kNotEqual);
  }
  note_compared(cursor, *left);
  EVQ_TRY_ASSIGN(ExprPtr right, parse_arithmetic(cursor));
  return make_expr(cursor, cursor.span_from(first),
                   ast::Binary{op->first, op->second, std::move(left), std::move(right)});
}

Result<ExprPtr> parse_comparison(TokenCursor& cursor) {
  EVQ_TRY_ASSIGN(ExprPtr expr, parse_one_comparison(cursor));
  const Token& after = cursor.peek();
  if (accept_comparison(cursor)) {
    return diag::chained_comparison(after.span, after.text);
  }
  return expr;
}

// Operands with `word` between them, "and" or "or".
Result<ExprPtr> parse_logical(TokenCursor& cursor, std::string_view word,
                              Result<ExprPtr> (*parse_operand)(TokenCursor&)) {
  const std::size_t first = cursor.index();
  EVQ_TRY_ASSIGN(ExprPtr left, parse_operand(cursor));
  if (!cursor.accept_infix(word)) {
    return left;
  }
  ast::Logical node{word == "or", {}};
  node.operands.push_back(std::move(left));
  do {
    EVQ_TRY_ASSIGN(ExprPtr operand, parse_operand(cursor));
    node.operands.push_back(std::move(operand));
  } while (cursor.accept_infix(word));
  return make_expr(cursor, cursor.span_from(first), std::move(node));
}

Result<ExprPtr> parse_conjunction(TokenCursor& cursor) {
  return parse_logical(cursor, "and", parse_comparison);
}

}  // namespace

Result<ExprPtr> make_expr(TokenCursor& cursor, Span span, ast::ExprNode node, int inner_height) {
  const int height = std::max(inner_height, std::visit(HeightOfChildren{}, node)) + 1;
  if (static_cast<std::size_t>(height) > kQueryDepthMax) {
    return diag::nested_too_deep(cursor.peek().span, kQueryDepthMax);
  }
  cursor.set_tallest(std::max(cursor.tallest(), height));
  auto expr = std::make_unique<ast::Expr>();
  expr->span = span;
  expr->height = height;
  expr->node = std::move(node);
  return expr;
}

Result<ExprPtr> parse_arithmetic(TokenCursor& cursor) {
  return parse_left_associative(cursor, kSums, parse_product);
}

Result<ExprPtr> parse_expression(TokenCursor& cursor) {
  return parse_logical(cursor, "or", parse_conjunction);
}

Result<ExprPtr> parse_call(TokenCursor& cursor) {
  const std::size_t first = cursor.index();
  ast::Call call;
  EVQ_TRY_ASSIGN(call.function, parse_name(cursor, "a function"));
  EVQ_TRY(cursor.expect("("));
  const bool outer_search = cursor.in_search();
  cursor.set_in_search(false);
  while (!cursor.at(")")) {
    if (ExpectationRecorder* recorder = cursor.recorder_at_end()) {
      recorder->note_call(call.function.text, call.arguments.size());
    }
    EVQ_TRY_ASSIGN(ast::Argument argument, parse_argument(cursor));
    call.arguments.push_back(std::move(argument));
    if (!cursor.accept(",")) {
      break;
    }
  }
  cursor.set_in_search(outer_search);
  EVQ_TRY(cursor.expect(")", "',' or ')'"));
  EVQ_TRY(check_quoted_timespan(call));
  return make_expr(cursor, cursor.span_from(first), std::move(call));
}

Result<ExprPtr> parse_search_predicate(TokenCursor& cursor) {
  cursor.set_in_search(true);
  Result<ExprPtr> predicate = parse_expression(cursor);
  cursor.set_in_search(false);
  return predicate;
}

}  // namespace evq::syntax

#include "apl/syntax/parser.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apl/syntax/diagnostics.h"
#include "apl/syntax/expectations.h"
#include "apl/syntax/grammar.h"
#include "apl/syntax/habits.h"
#include "apl/syntax/lexer.h"
#include "apl/syntax/operators.h"

namespace evq::syntax {

namespace {

// The name after a pipe, hyphens joined: mv-expand. Leaves the cursor after it.
Result<ast::Name> parse_operator_name(TokenCursor& cursor) {
  const std::size_t first = cursor.index();
  cursor.may_end_with(Expected::kOperator);
  if (cursor.peek().kind != TokenKind::kName) {
    return cursor.unexpected("an operator after '|'");
  }
  std::string text = cursor.take().text;
  while (cursor.at("-") && cursor.joined() && cursor.joined(1) &&
         cursor.peek(1).kind == TokenKind::kName) {
    cursor.take();
    text += "-" + cursor.take().text;
  }
  return ast::Name{.text = std::move(text), .span = cursor.span_from(first), .quoted = false};
}

Result<ast::Operator> parse_operator(TokenCursor& cursor) {
  EVQ_TRY(cursor.count_operator());
  const std::size_t first = cursor.index();
  if (cursor.recorder() != nullptr) {
    cursor.recorder()->begin_operator(cursor.peek().span.begin);
  }
  if (std::optional<Error> habit = operator_habit(cursor);
      habit && find_operator(cursor.peek().text) == nullptr) {
    return *std::move(habit);
  }
  EVQ_TRY_ASSIGN(const ast::Name name, parse_operator_name(cursor));
  const OperatorInfo* info = find_operator(name.text);
  if (info == nullptr || info->parse == nullptr) {
    if (std::optional<Error> habit = name_habit(name.text, name.span)) {
      return *std::move(habit);
    }
    Error error = diag::unknown_operator(name.span, name.text, operator_names());
    if (std::string hint = operator_name_hint(cursor, name.text); !hint.empty()) {
      error.hint = std::move(hint);
    } else if (error.hint.empty()) {
      error.hint = "evq help operators lists them all";
    }
    return error;
  }
  ast::Operator op;
  op.name_span = name.span;
  EVQ_TRY_ASSIGN(op.node, info->parse(cursor));
  op.span = cursor.span_from(first);
  return op;
}

Status parse_operators(TokenCursor& cursor, ast::OperatorList* operators) {
  do {
    EVQ_TRY_ASSIGN(ast::Operator op, parse_operator(cursor));
    operators->push_back(std::move(op));
  } while (cursor.accept("|"));
  return Status::success();
}

Result<ast::Set> parse_set(TokenCursor& cursor) {
  const std::size_t first = cursor.index();
  cursor.take();
  ast::Set set;
  EVQ_TRY_ASSIGN(set.name, parse_name(cursor, "an option's name"));
  if (cursor.accept("=")) {
    EVQ_TRY_ASSIGN(set.value, parse_arithmetic(cursor));
  }
  set.span = cursor.span_from(first);
  return set;
}

Result<ast::Parameter> parse_parameter(TokenCursor& cursor) {
  ast::Parameter parameter;
  EVQ_TRY_ASSIGN(parameter.name, parse_name(cursor, "a parameter"));
  EVQ_TRY(cursor.expect(":"));
  if (cursor.at("(")) {
    parameter.is_table = true;
    if (cursor.peek(1).is_symbol("*")) {
      cursor.take();
      cursor.take();
      parameter.any_columns = true;
      EVQ_TRY(cursor.expect(")"));
    } else {
      EVQ_TRY_ASSIGN(parameter.columns, parse_columns(cursor));
    }
    return parameter;
  }
  Span span;
  EVQ_TRY_ASSIGN(parameter.type, parse_type(cursor, &span));
  if (cursor.accept("=")) {
    EVQ_TRY_ASSIGN(parameter.default_value, parse_expression(cursor));
  }
  return parameter;
}

Result<ast::DeclareParameters> parse_declare(TokenCursor& cursor) {
  const std::size_t first = cursor.index();
  cursor.take();
  EVQ_TRY(cursor.expect_word("query_parameters"));
  ast::DeclareParameters declare;
  EVQ_TRY_ASSIGN(declare.parameters, parse_parameters(cursor));
  declare.span = cursor.span_from(first);
  return declare;
}

// (a:long, …) { … }, perhaps after `view`. Of a text that ends before the body, the parameters
// tell.
bool at_lambda(const TokenCursor& cursor) {
  const std::size_t ahead = cursor.at_word("view") ? 1 : 0;
  const Token& open = cursor.peek(ahead);
  if (!open.is_symbol("(")) {
    return false;
  }
  const Token& behind = cursor.token(open.partner + 1);
  const bool parameters =
      cursor.peek(ahead + 1).is_symbol(")") || cursor.peek(ahead + 2).is_symbol(":");
  return behind.is_symbol("{") || (behind.kind == TokenKind::kEnd && parameters);
}

Result<ast::LetValue> parse_let_value(TokenCursor& cursor) {
  if (std::optional<Error> address = address_habit(cursor)) {
    return *std::move(address);
  }
  if (at_pipeline(cursor)) {
    EVQ_TRY_ASSIGN(ast::PipelinePtr pipeline, parse_pipeline(cursor));
    return ast::LetValue{std::move(pipeline)};
  }
  EVQ_TRY_ASSIGN(ast::ExprPtr expr, parse_expression(cursor));
  return ast::LetValue{std::move(expr)};
}

// let name = value; … before the body of a function or a pipeline in parentheses.
Result<std::vector<ast::Let>> parse_inner_lets(TokenCursor& cursor) {
  std::vector<ast::Let> lets;
  while (cursor.accept_word("let")) {
    EVQ_TRY_ASSIGN(ast::Let let, parse_let(cursor));
    lets.push_back(std::move(let));
    EVQ_TRY(cursor.expect(";"));
  }
  return lets;
}

Result<std::unique_ptr<ast::Lambda>> parse_lambda(TokenCursor& cursor) {
  DepthGuard guard(cursor);
  EVQ_TRY(guard.take_status());
  const std::size_t first = cursor.index();
  auto lambda = std::make_unique<ast::Lambda>();
  lambda->is_view = cursor.accept_word("view");
  EVQ_TRY_ASSIGN(lambda->parameters, parse_parameters(cursor));
  EVQ_TRY(cursor.expect("{"));
  EVQ_TRY_ASSIGN(lambda->lets, parse_inner_lets(cursor));
  EVQ_TRY_ASSIGN(lambda->body, parse_let_value(cursor));
  cursor.accept(";");
  EVQ_TRY(cursor.expect("}"));
  lambda->span = cursor.span_from(first);
  return lambda;
}

bool at_statement(const TokenCursor& cursor, std::string_view word) {
  cursor.may_end_with({&word, 1});
  return cursor.at_word(word) &&
         (cursor.peek(1).kind == TokenKind::kName || cursor.at_quoted_name(1));
}

Status parse_statement(TokenCursor& cursor, ast::Query* query) {
  if (cursor.recorder() != nullptr) {
    cursor.recorder()->begin_statement(cursor.peek().span.begin);
  }
  cursor.may_end_with(Expected::kStatement);
  if (at_statement(cursor, "let")) {
    cursor.take();
    EVQ_TRY_ASSIGN(ast::Let let, parse_let(cursor));
    query->statements.emplace_back(std::move(let));
  } else if (at_statement(cursor, "set")) {
    EVQ_TRY_ASSIGN(ast::Set set, parse_set(cursor));
    query->statements.emplace_back(std::move(set));
  } else if (at_statement(cursor, "declare")) {
    EVQ_TRY_ASSIGN(ast::DeclareParameters declare, parse_declare(cursor));
    query->statements.emplace_back(std::move(declare));
  } else {
    EVQ_TRY_ASSIGN(ast::PipelinePtr pipeline, parse_pipeline(cursor));
    query->pipelines.push_back(std::move(pipeline));
  }
  return Status::success();
}

// Operators with mistakes that completion passes over to reach the end of a text.
constexpr std::size_t kBrokenOperatorsMax = 8;

// Parses with `recorder`; the error that kept it from the end, if there is one.
std::optional<Error> record_expectations(std::string_view text, const std::vector<Token>& tokens,
                                         ExpectationRecorder* recorder) {
  TokenCursor cursor(text, tokens, recorder);
  ast::Query query;
  for (;;) {
    if (cursor.accept(";")) {
      continue;
    }
    Status parsed = parse_statement(cursor, &query);
    if (!parsed.ok()) {
      return std::move(parsed).take_error();
    }
    if (!cursor.accept(";")) {
      return cursor.at_end() ? std::nullopt : std::optional(cursor.unexpected("';'"));
    }
  }
}

// Makes blanks of the pipe and operator that hold the error, so that all other places stay. False
// when no operator follows it: then nothing is known about the end.
bool blank_operator(const std::vector<Token>& tokens, const Error& error, std::string* text) {
  const std::size_t at = error.span.value_or(Span{}).begin;
  for (std::size_t i = tokens.size(); i-- > 0;) {
    if (!tokens[i].is_symbol("|") || tokens[i].span.begin > at) {
      continue;
    }
    std::size_t next = tokens[i].next_delimiter;
    while (tokens[next].is_symbol(",")) {
      next = tokens[next].next_delimiter;
    }
    if (tokens[next].is_symbol("|") && tokens[next].span.begin > at) {
      std::fill(text->begin() + static_cast<std::ptrdiff_t>(tokens[i].span.begin),
                text->begin() + static_cast<std::ptrdiff_t>(tokens[next].span.begin), ' ');
      return true;
    }
  }
  return false;
}

}  // namespace

Result<ast::Let> parse_let(TokenCursor& cursor) {
  const std::size_t first = cursor.index();
  ast::Let let;
  EVQ_TRY_ASSIGN(let.name, parse_name(cursor, "a name"));
  EVQ_TRY(cursor.expect("="));
  if (at_lambda(cursor)) {
    EVQ_TRY_ASSIGN(std::unique_ptr<ast::Lambda> lambda, parse_lambda(cursor));
    let.value = std::move(lambda);
  } else {
    EVQ_TRY_ASSIGN(let.value, parse_let_value(cursor));
  }
  let.span = cursor.span_from(first);
  return let;
}

bool at_inner_let(const TokenCursor& cursor) {
  return cursor.at_word("let") && cursor.index() > 0 &&
         cursor.token(cursor.index() - 1).is_symbol("(") &&
         (cursor.peek(1).kind == TokenKind::kName || cursor.at_quoted_name(1));
}

Result<std::vector<ast::Parameter>> parse_parameters(TokenCursor& cursor) {
  std::vector<ast::Parameter> parameters;
  EVQ_TRY(cursor.expect("(", "(name:type, …)"));
  while (!cursor.at(")")) {
    EVQ_TRY_ASSIGN(ast::Parameter parameter, parse_parameter(cursor));
    parameters.push_back(std::move(parameter));
    if (!cursor.accept(",")) {
      break;
    }
  }
  EVQ_TRY(cursor.expect(")", "',' or ')'"));
  return parameters;
}

Result<ast::PipelinePtr> parse_pipeline(TokenCursor& cursor) {
  DepthGuard guard(cursor);
  EVQ_TRY(guard.take_status());
  const std::size_t first = cursor.index();
  auto pipeline = std::make_unique<ast::Pipeline>();
  if (cursor.recorder() != nullptr) {
    cursor.recorder()->enter_pipeline(cursor.peek().span.begin);
  }
  if (at_inner_let(cursor)) {
    EVQ_TRY_ASSIGN(pipeline->lets, parse_inner_lets(cursor));
  }
  const std::size_t source = cursor.index();
  EVQ_TRY_ASSIGN(pipeline->source, parse_source(cursor));
  pipeline->source_span = cursor.span_from(source);
  if (cursor.accept("|")) {
    EVQ_TRY(parse_operators(cursor, &pipeline->operators));
  }
  pipeline->span = cursor.span_from(first);
  if (cursor.recorder() != nullptr) {
    cursor.recorder()->leave();
  }
  return pipeline;
}

Result<ast::OperatorList> parse_operator_block(TokenCursor& cursor) {
  DepthGuard guard(cursor);
  EVQ_TRY(guard.take_status());
  ast::OperatorList operators;
  EVQ_TRY(cursor.expect("("));
  cursor.accept("|");
  if (cursor.recorder() != nullptr) {
    cursor.recorder()->enter_block(cursor.peek().span.begin);
  }
  EVQ_TRY(parse_operators(cursor, &operators));
  if (cursor.recorder() != nullptr) {
    cursor.recorder()->leave();
  }
  EVQ_TRY(cursor.expect(")", "'|' or ')'"));
  return operators;
}

ast::PipelinePtr wrap_source(Span span, ast::SourceNode source) {
  auto pipeline = std::make_unique<ast::Pipeline>();
  pipeline->span = span;
  pipeline->source_span = span;
  pipeline->source = std::move(source);
  return pipeline;
}

Expectations expectations_at_end(std::string_view text) {
  std::string readable(text);
  for (std::size_t attempt = 0; attempt <= kBrokenOperatorsMax; ++attempt) {
    const std::vector<Token> tokens = lex_unfinished(readable);
    if (tokens.empty()) {
      break;
    }
    ExpectationRecorder recorder;
    const std::optional<Error> error = record_expectations(readable, tokens, &recorder);
    Expectations found = recorder.take();
    const bool reached = !found.kinds.empty() || !found.words.empty() || !found.infix.empty();
    if (reached || !error.has_value() || !blank_operator(tokens, *error, &readable)) {
      return found;
    }
  }
  return {};
}

Result<ast::Query> parse(std::string_view text, std::int64_t now_ns) {
  EVQ_TRY_ASSIGN(std::vector<Token> tokens, lex(text, now_ns));
  TokenCursor cursor(text, std::move(tokens));
  ast::Query query;
  while (!cursor.at_end()) {
    if (cursor.accept(";")) {
      continue;
    }
    EVQ_TRY(parse_statement(cursor, &query));
    if (!cursor.at_end() && !cursor.at(";")) {
      return cursor.unexpected("'|', ';' or the end of the query");
    }
  }
  if (query.pipelines.empty()) {
    return diag::empty_query();
  }
  return query;
}

Result<ast::ExprPtr> parse_expression(std::string_view text, std::int64_t now_ns) {
  EVQ_TRY_ASSIGN(std::vector<Token> tokens, lex(text, now_ns));
  TokenCursor cursor(text, std::move(tokens));
  EVQ_TRY_ASSIGN(ast::ExprPtr expression, parse_expression(cursor));
  if (!cursor.at_end()) {
    return cursor.unexpected("the end of the expression");
  }
  return expression;
}

}  // namespace evq::syntax

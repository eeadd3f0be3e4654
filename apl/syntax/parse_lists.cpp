// The lists operators are made of: names, patterns, columns, sort keys, options, tables.

#include <algorithm>
#include <memory>
#include <utility>

#include "apl/syntax/diagnostics.h"
#include "apl/syntax/grammar.h"
#include "apl/syntax/habits.h"
#include "apl/syntax/words.h"
#include "store/base/ascii.h"
#include "store/base/limits.h"

namespace evq::syntax {

namespace {

// Digits behind a star: *1, node*07.
bool at_digits_after_star(const TokenCursor& cursor, const ast::NamePattern& pattern) {
  const Token& token = cursor.peek();
  return pattern.parts.size() > 1 && pattern.parts.back().empty() &&
         token.kind == TokenKind::kLiteral && is_digit(cursor.slice(token.span).front());
}

// A pattern is a run of names, quoted names, stars and dots without blanks between them.
bool continues_pattern(const TokenCursor& cursor, const ast::NamePattern& pattern) {
  const Token& token = cursor.peek();
  return cursor.joined() &&
         (token.kind == TokenKind::kName || token.is_symbol("*") || token.is_symbol(".") ||
          cursor.at_quoted_name() || at_digits_after_star(cursor, pattern));
}

// Of a name in quotes, which the lexer cannot tell from other texts, or of one in several parts.
Status check_name_size(std::string_view name, Span at) {
  return name.size() <= kQueryNameBytesMax ? Status()
                                           : Status(diag::name_too_long(at, kQueryNameBytesMax));
}

bool begins_pattern(const TokenCursor& cursor) {
  const Token& token = cursor.peek();
  return (token.kind == TokenKind::kName && token.text.front() != '!') || token.is_symbol("*") ||
         cursor.at_quoted_name();
}

// Whether the token continues a name without quotes that the lexer takes apart: "logs", "2024",
// "-".
bool continues_name(const TokenCursor& cursor, std::size_t ahead) {
  const Token& token = cursor.peek(ahead);
  return token.kind != TokenKind::kEnd && cursor.joined(ahead) &&
         std::ranges::all_of(cursor.slice(token.span), [](char c) {
           return is_letter_or_digit(c) || c == '_' || c == '.' || c == '-';
         });
}

// sample-http-logs.v1 or 2024-logs without quotes: the dashes would read as subtractions. `first`
// is the name's first token, and a dash may be the next one.
Status check_dashes(const TokenCursor& cursor, std::size_t first) {
  const auto is_part = [&](std::size_t ahead) {
    const TokenKind kind = cursor.peek(ahead).kind;
    return cursor.joined(ahead) && (kind == TokenKind::kName || kind == TokenKind::kLiteral);
  };
  if (!cursor.peek().is_symbol("-") || !cursor.joined() || !is_part(1)) {
    return Status::success();
  }
  std::size_t parts = 2;
  for (std::size_t ahead = 2; continues_name(cursor, ahead); ++ahead) {
    parts = is_part(ahead) ? ahead + 1 : parts;
  }
  const Span span{cursor.token(first).span.begin,
                  cursor.token(cursor.index() + parts - 1).span.end};
  return diag::unquoted_dashes(span, cursor.slice(span));
}

// The same for a name that begins with a number and has a letter: no pattern does, and without one
// it may be a sum.
Status check_dashes_behind_number(TokenCursor& cursor) {
  const std::string_view number = cursor.slice(cursor.peek().span);
  bool worded = false;
  for (std::size_t ahead = 1; continues_name(cursor, ahead); ++ahead) {
    worded = worded || cursor.peek(ahead).kind == TokenKind::kName;
  }
  if (!worded || number.empty() ||
      !std::ranges::all_of(number, [](char c) { return is_digit(c); })) {
    return Status::success();
  }
  const std::size_t first = cursor.index();
  cursor.take();
  Status checked = check_dashes(cursor, first);
  cursor.move_to(first);
  return checked;
}

// In a dataset's quoted name a star is a wildcard too: ['logs-*'].
void split_stars(ast::NamePattern* pattern) {
  std::vector<std::string> parts{""};
  for (std::size_t i = 0; i < pattern->parts.size(); ++i) {
    if (i > 0) {
      parts.emplace_back();
    }
    for (const char c : pattern->parts[i]) {
      if (c == '*') {
        parts.emplace_back();
      } else {
        parts.back() += c;
      }
    }
  }
  pattern->parts = std::move(parts);
}

// One token, so that what follows (a table in parentheses, a pattern) is not taken for its rest.
Result<ast::ExprPtr> parse_option_value(TokenCursor& cursor) {
  const Token& token = cursor.peek();
  const bool boolean = spells_bool(token.text);
  if (token.kind == TokenKind::kName && !boolean && token.text != "dynamic") {
    cursor.take();
    return make_expr(cursor, token.span, ast::Literal{Value::string(token.text)});
  }
  if (token.kind == TokenKind::kString) {
    cursor.take();
    return make_expr(cursor, token.span, ast::Literal{Value::string(token.text)});
  }
  if (cursor.at_quoted_name()) {
    EVQ_TRY_ASSIGN(ast::Name name, parse_name(cursor, "a value"));
    const Span span = name.span;
    return make_expr(cursor, span, ast::FieldRef{std::move(name)});
  }
  return parse_arithmetic(cursor);
}

std::string any_of(std::span<const std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) {
    text.append(text.empty() ? "one of " : ", ").append(word);
  }
  return text;
}

// `kinds` are the values of an option `kind`, which the end of the text asks for.
Result<ast::Option> parse_option(TokenCursor& cursor, std::span<const std::string_view> kinds) {
  ast::Option option;
  EVQ_TRY_ASSIGN(option.name, parse_name(cursor, "an option"));
  EVQ_TRY(cursor.expect("="));
  if (option.name.text == "kind") {
    cursor.may_end_with(kinds);
    if (cursor.at_end() && !kinds.empty()) {
      return cursor.unexpected(any_of(kinds));
    }
  }
  EVQ_TRY_ASSIGN(option.value, parse_option_value(cursor));
  return option;
}

bool at_option(const TokenCursor& cursor) {
  return cursor.peek().kind == TokenKind::kName && cursor.peek(1).is_symbol("=");
}

Status check_option(const ast::Option& option, std::string_view operator_name,
                    std::span<const std::string_view> allowed) {
  if (std::find(allowed.begin(), allowed.end(), option.name.text) == allowed.end()) {
    return diag::unknown_option(option.name.span, operator_name, option.name.text, allowed);
  }
  return Status::success();
}

}  // namespace

void note_options(const TokenCursor& cursor, std::span<const std::string_view> allowed) {
  if (ExpectationRecorder* recorder = cursor.recorder_at_end()) {
    for (const std::string_view name : allowed) {
      recorder->note_option(name);
    }
  }
}

Result<ast::Name> parse_name(TokenCursor& cursor, std::string_view what) {
  const std::size_t first = cursor.index();
  if (cursor.at_quoted_name()) {
    cursor.take();
    std::string text = cursor.take().text;
    cursor.take();
    EVQ_TRY(check_name_size(text, cursor.span_from(first)));
    return ast::Name{.text = std::move(text), .span = cursor.span_from(first), .quoted = true};
  }
  const Token& token = cursor.peek();
  if (token.kind != TokenKind::kName || token.text.front() == '!' || token.text.back() == '~') {
    return cursor.unexpected(what);
  }
  cursor.take();
  return ast::Name{.text = token.text, .span = token.span, .quoted = false};
}

Result<ast::Name> parse_field_name(TokenCursor& cursor) {
  const std::size_t first = cursor.index();
  EVQ_TRY_ASSIGN(ast::Name name, parse_name(cursor, "a field"));
  while (cursor.accept(".")) {
    EVQ_TRY_ASSIGN(const ast::Name key, parse_name(cursor, "a key after '.'"));
    name.text.append(".").append(key.text);
    name.span = cursor.span_from(first);
    EVQ_TRY(check_name_size(name.text, name.span));
  }
  return name;
}

Result<ast::Name> parse_text_name(TokenCursor& cursor) {
  const Token& token = cursor.peek();
  if (token.text.empty()) {
    return cursor.unexpected("a name");
  }
  cursor.take();
  EVQ_TRY(check_name_size(token.text, token.span));
  return ast::Name{.text = token.text, .span = token.span, .quoted = true};
}

Result<ast::NamePattern> parse_name_pattern(TokenCursor& cursor, std::string_view what) {
  if (!begins_pattern(cursor)) {
    return cursor.unexpected(what);
  }
  const std::size_t first = cursor.index();
  ast::NamePattern pattern{.parts = {""}, .span = {}};
  do {
    if (cursor.at_quoted_name()) {
      std::string& part = pattern.parts.back();
      part += part.empty() || part.ends_with('.') ? "" : ".";  // geo['city'] is geo.city
      cursor.take();
      part += cursor.take().text;
      cursor.take();
    } else if (cursor.at("*")) {
      cursor.take();
      pattern.parts.emplace_back();
    } else if (at_digits_after_star(cursor, pattern)) {
      pattern.parts.back() += cursor.slice(cursor.take().span);
    } else {
      pattern.parts.back() += cursor.take().text;  // a name, or the dot of a path
    }
  } while (continues_pattern(cursor, pattern));
  pattern.span = cursor.span_from(first);
  EVQ_TRY(check_name_size(pattern.text(), pattern.span));
  return pattern;
}

Result<std::vector<ast::NamePattern>> parse_name_patterns(TokenCursor& cursor) {
  std::vector<ast::NamePattern> patterns;
  do {
    cursor.may_end_with(Expected::kField);
    EVQ_TRY_ASSIGN(ast::NamePattern pattern, parse_name_pattern(cursor, "a field"));
    patterns.push_back(std::move(pattern));
  } while (cursor.accept(","));
  return patterns;
}

Result<ast::NamedExpr> parse_named_expr(TokenCursor& cursor) {
  const std::size_t first = cursor.index();
  ast::NamedExpr item;
  const Token& token = cursor.peek();
  // (a, b) = expr
  if (token.is_symbol("(") && cursor.token(token.partner + 1).is_symbol("=")) {
    cursor.take();
    do {
      EVQ_TRY_ASSIGN(ast::Name name, parse_name(cursor, "a name"));
      item.names.push_back(std::move(name));
    } while (cursor.accept(","));
    EVQ_TRY(cursor.expect(")"));
    cursor.take();
  } else if (token.kind == TokenKind::kString && cursor.peek(1).is_symbol("=")) {
    EVQ_TRY_ASSIGN(ast::Name name, parse_text_name(cursor));
    item.names.push_back(std::move(name));
    cursor.take();
  } else {
    // a = expr, ['a'] = expr, a.b = expr
    std::size_t ahead = cursor.at_quoted_name() ? 3 : 1;
    bool names = cursor.at_quoted_name() || token.kind == TokenKind::kName;
    while (names && cursor.peek(ahead).is_symbol(".") &&
           cursor.peek(ahead + 1).kind == TokenKind::kName) {
      ahead += 2;
    }
    names = names && cursor.peek(ahead).is_symbol("=");
    if (names) {
      EVQ_TRY_ASSIGN(ast::NamePattern path, parse_name_pattern(cursor, "a name"));
      EVQ_TRY(cursor.expect("="));
      item.names.push_back({.text = path.text(), .span = path.span, .quoted = false});
    }
  }
  EVQ_TRY_ASSIGN(item.value, parse_expression(cursor));
  item.span = cursor.span_from(first);
  return item;
}

Result<std::vector<ast::NamedExpr>> parse_named_exprs(TokenCursor& cursor) {
  std::vector<ast::NamedExpr> items;
  do {
    EVQ_TRY_ASSIGN(ast::NamedExpr item, parse_named_expr(cursor));
    items.push_back(std::move(item));
  } while (cursor.accept(","));
  return items;
}

Result<std::vector<ast::SortKey>> parse_sort_keys(TokenCursor& cursor) {
  std::vector<ast::SortKey> keys;
  do {
    ast::SortKey key;
    EVQ_TRY_ASSIGN(key.value, parse_expression(cursor));
    if (cursor.accept_word("asc")) {
      key.descending = false;
    } else {
      cursor.accept_word("desc");
    }
    if (cursor.accept_word("nulls")) {
      if (cursor.accept_word("first")) {
        key.nulls = ast::NullsOrder::kFirst;
      } else {
        EVQ_TRY(cursor.expect_word("last", "'first' or 'last'"));
        key.nulls = ast::NullsOrder::kLast;
      }
    }
    keys.push_back(std::move(key));
  } while (cursor.accept(","));
  return keys;
}

Result<Type> parse_type(TokenCursor& cursor, Span* span) {
  const Token& token = cursor.peek();
  cursor.may_end_with(Expected::kType);
  if (token.kind != TokenKind::kName) {
    return cursor.unexpected("a type");
  }
  *span = token.span;
  std::optional<Type> type = type_from_name(token.text);
  if (!type) {
    type = type_from_name(ascii_lower(token.text));
  }
  if (!type) {
    return diag::unknown_type(token.span, token.text);
  }
  cursor.take();
  return *type;
}

Result<std::vector<ast::ColumnSpec>> parse_columns(TokenCursor& cursor) {
  EVQ_TRY(cursor.expect("(", "(name:type, …)"));
  std::vector<ast::ColumnSpec> columns;
  while (!cursor.at(")")) {
    ast::ColumnSpec column;
    EVQ_TRY_ASSIGN(column.name, parse_name(cursor, "a column"));
    EVQ_TRY(cursor.expect(":"));
    EVQ_TRY_ASSIGN(column.type, parse_type(cursor, &column.type_span));
    columns.push_back(std::move(column));
    if (!cursor.accept(",")) {
      break;
    }
  }
  EVQ_TRY(cursor.expect(")", "',' or ')'"));
  return columns;
}

Result<ast::TableItem> parse_table_item(TokenCursor& cursor) {
  const std::size_t first = cursor.index();
  cursor.may_end_with(Expected::kTable);
  if (std::optional<Error> address = address_habit(cursor)) {
    return *std::move(address);
  }
  if (cursor.accept("(")) {
    EVQ_TRY_ASSIGN(ast::PipelinePtr pipeline, parse_pipeline(cursor));
    EVQ_TRY(cursor.expect(")"));
    return ast::TableItem{std::move(pipeline)};
  }
  const Token& word = cursor.peek();
  const bool bare_source =
      word.is_word("datatable") || word.is_word("externaldata") || word.is_word("external_data");
  if (bare_source && cursor.peek(1).is_symbol("(")) {
    EVQ_TRY_ASSIGN(ast::SourceNode source, parse_source(cursor));
    return ast::TableItem{wrap_source(cursor.span_from(first), std::move(source))};
  }
  const bool quoted_call =
      cursor.at_quoted_name() && cursor.peek(3).is_symbol("(") && cursor.joined(3);
  if (quoted_call || (cursor.peek().kind == TokenKind::kName && cursor.peek(1).is_symbol("("))) {
    EVQ_TRY_ASSIGN(ast::ExprPtr call, parse_call(cursor));
    const Span span = call->span;
    return ast::TableItem{wrap_source(span, ast::CallSource{std::move(call)})};
  }
  EVQ_TRY(check_dashes_behind_number(cursor));
  EVQ_TRY_ASSIGN(ast::NamePattern pattern, parse_name_pattern(cursor, "a dataset"));
  EVQ_TRY(check_dashes(cursor, first));
  split_stars(&pattern);
  return ast::TableItem{std::move(pattern)};
}

Result<std::vector<ast::TableItem>> parse_table_items(TokenCursor& cursor) {
  std::vector<ast::TableItem> items;
  do {
    EVQ_TRY_ASSIGN(ast::TableItem item, parse_table_item(cursor));
    items.push_back(std::move(item));
  } while (cursor.accept(","));
  return items;
}

Status skip_hints(TokenCursor& cursor) {
  while (cursor.at_word("hint") && cursor.peek(1).is_symbol(".")) {
    cursor.take();
    cursor.take();
    EVQ_TRY_ASSIGN(const ast::Option option, parse_option(cursor, {}));
    static_cast<void>(option);
  }
  return Status::success();
}

Result<std::vector<ast::Option>> parse_options(TokenCursor& cursor, std::string_view operator_name,
                                               std::span<const std::string_view> allowed,
                                               std::span<const std::string_view> kinds,
                                               bool names_follow) {
  std::vector<ast::Option> options;
  EVQ_TRY(skip_hints(cursor));
  note_options(cursor, allowed);
  const auto is_option = [&] {
    return at_option(cursor) && (!names_follow || std::find(allowed.begin(), allowed.end(),
                                                            cursor.peek().text) != allowed.end());
  };
  while (is_option()) {
    EVQ_TRY_ASSIGN(ast::Option option, parse_option(cursor, kinds));
    EVQ_TRY(check_option(option, operator_name, allowed));
    options.push_back(std::move(option));
    EVQ_TRY(skip_hints(cursor));
  }
  return options;
}

Result<std::vector<ast::Option>> parse_option_list(TokenCursor& cursor,
                                                   std::string_view operator_name,
                                                   std::span<const std::string_view> allowed) {
  std::vector<ast::Option> options;
  EVQ_TRY(cursor.expect("(", "(name=value, …)"));
  while (!cursor.at(")")) {
    note_options(cursor, allowed);
    EVQ_TRY_ASSIGN(ast::Option option, parse_option(cursor, {}));
    if (!allowed.empty()) {
      EVQ_TRY(check_option(option, operator_name, allowed));
    }
    options.push_back(std::move(option));
    if (!cursor.accept(",")) {
      break;
    }
  }
  EVQ_TRY(cursor.expect(")", "',' or ')'"));
  return options;
}

std::string option_text(const ast::Option& option) {
  const auto* literal = std::get_if<ast::Literal>(&option.value->node);
  if (literal == nullptr || literal->value.is_null()) {
    return {};
  }
  return literal->value.type() == Type::kString ? std::string(literal->value.as_text())
                                                : literal->value.to_text();
}

}  // namespace evq::syntax

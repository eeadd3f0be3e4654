// Operators that take values apart: parse, parse-where, parse-kv, redact, mv-expand, mv-apply.

#include <algorithm>
#include <utility>

#include "apl/syntax/diagnostics.h"
#include "apl/syntax/grammar.h"

namespace evq::syntax {

namespace {

std::span<const std::string_view> parse_kinds(bool filter) {
  static constexpr std::string_view kKinds[] = {"simple", "regex", "relaxed"};
  return std::span(kKinds).first(filter ? 2 : 3);
}

Result<ast::ParseKind> parse_kind(const ast::Option& option, bool filter) {
  const std::span<const std::string_view> allowed = parse_kinds(filter);
  const std::string text = option_text(option);
  const auto found = std::find(allowed.begin(), allowed.end(), text);
  if (found == allowed.end()) {
    return diag::invalid_option_value(option.value->span, "kind", text, allowed);
  }
  return static_cast<ast::ParseKind>(found - allowed.begin());
}

Result<ast::ParseItem> parse_pattern_item(TokenCursor& cursor) {
  const Token& token = cursor.peek();
  if (token.is_symbol("*")) {
    cursor.take();
    return ast::ParseItem{ast::ParseStar{token.span}};
  }
  if (token.kind == TokenKind::kString) {
    cursor.take();
    return ast::ParseItem{ast::ParseText{token.text, token.span}};
  }
  ast::ColumnSpec column;
  EVQ_TRY_ASSIGN(column.name, parse_name(cursor, "a string, a name or *"));
  if (cursor.accept(":")) {
    EVQ_TRY_ASSIGN(column.type, parse_type(cursor, &column.type_span));
  }
  return ast::ParseItem{std::move(column)};
}

bool at_pattern_item(const TokenCursor& cursor) {
  const Token& token = cursor.peek();
  if (token.kind == TokenKind::kName) {
    return token.text.front() != '!' && !(cursor.after_blank_line() && cursor.at_next_query());
  }
  return token.kind == TokenKind::kString || token.is_symbol("*") ||
         (cursor.at_quoted_name() && !cursor.at_next_query());
}

Result<ast::OperatorNode> parse_parse_family(TokenCursor& cursor, bool filter) {
  constexpr std::string_view kOptions[] = {"kind", "flags"};
  const std::string_view name = filter ? "parse-where" : "parse";
  ast::Parse node;
  node.filter = filter;
  note_options(cursor, kOptions);
  if (cursor.at_word("kind") || cursor.at_word("hint") || cursor.at_word("flags")) {
    EVQ_TRY_ASSIGN(const std::vector<ast::Option> options,
                   parse_options(cursor, name, kOptions, parse_kinds(filter)));
    for (const ast::Option& option : options) {
      if (option.name.text == "kind") {
        EVQ_TRY_ASSIGN(node.kind, parse_kind(option, filter));
      } else {
        node.flags = option_text(option);
      }
    }
  }
  EVQ_TRY_ASSIGN(node.value, parse_arithmetic(cursor));
  EVQ_TRY(cursor.expect_word("with", "'with' and a pattern"));
  do {
    EVQ_TRY_ASSIGN(ast::ParseItem item, parse_pattern_item(cursor));
    node.pattern.push_back(std::move(item));
  } while (cursor.accept(",") || at_pattern_item(cursor));  // commas are allowed and mean nothing
  return ast::OperatorNode{std::move(node)};
}

Result<ast::ExpandItem> parse_expand_item(TokenCursor& cursor) {
  ast::ExpandItem item;
  EVQ_TRY_ASSIGN(item.value, parse_named_expr(cursor));
  if (!cursor.accept_word("to")) {
    return item;
  }
  EVQ_TRY(cursor.expect_word("typeof", "typeof(type)"));
  EVQ_TRY(cursor.expect("("));
  Span span;
  EVQ_TRY_ASSIGN(item.to_type, parse_type(cursor, &span));
  EVQ_TRY(cursor.expect(")"));
  return item;
}

Result<std::vector<ast::ExpandItem>> parse_expand_items(TokenCursor& cursor) {
  std::vector<ast::ExpandItem> items;
  do {
    EVQ_TRY_ASSIGN(ast::ExpandItem item, parse_expand_item(cursor));
    items.push_back(std::move(item));
  } while (cursor.accept(","));
  return items;
}

Result<ast::ExprPtr> parse_expand_limit(TokenCursor& cursor) {
  if (!cursor.accept_word("limit")) {
    return ast::ExprPtr{};
  }
  return parse_arithmetic(cursor);
}

bool at_expand_option(const TokenCursor& cursor) {
  return cursor.peek(1).is_symbol("=") &&
         (cursor.at_word("kind") || cursor.at_word("bagexpansion") ||
          cursor.at_word("with_itemindex"));
}

struct ExpandOptions {
  ast::ExpandKind kind = ast::ExpandKind::kDefault;
  std::optional<ast::Name> item_index;
};

Result<ExpandOptions> parse_expand_options(TokenCursor& cursor) {
  constexpr std::string_view kKinds[] = {"bag", "array"};
  ExpandOptions options;
  EVQ_TRY(skip_hints(cursor));
  while (at_expand_option(cursor)) {
    const bool index = cursor.at_word("with_itemindex");
    cursor.take();
    cursor.take();
    EVQ_TRY_ASSIGN(ast::Name word, parse_name(cursor, index ? "a name" : "bag or array"));
    if (index) {
      options.item_index = std::move(word);
    } else if (word.text != "bag" && word.text != "array") {
      return diag::invalid_option_value(word.span, "kind", word.text, kKinds);
    } else {
      options.kind = word.text == "bag" ? ast::ExpandKind::kBag : ast::ExpandKind::kArray;
    }
    EVQ_TRY(skip_hints(cursor));
  }
  return options;
}

}  // namespace

Result<ast::OperatorNode> parse_parse(TokenCursor& cursor) {
  return parse_parse_family(cursor, false);
}

Result<ast::OperatorNode> parse_parse_where(TokenCursor& cursor) {
  return parse_parse_family(cursor, true);
}

Result<ast::OperatorNode> parse_parse_kv(TokenCursor& cursor) {
  constexpr std::string_view kOptions[] = {"pair_delimiter", "kv_delimiter", "quote",
                                           "escape",         "greedy",       "regex"};
  ast::ParseKv node;
  EVQ_TRY_ASSIGN(node.value, parse_arithmetic(cursor));
  EVQ_TRY(cursor.expect_word("as", "as (key:type, …)"));
  EVQ_TRY(cursor.expect("(", "(key:type, …)"));
  while (!cursor.at(")")) {
    ast::ColumnSpec column;
    EVQ_TRY_ASSIGN(column.name, parse_name(cursor, "a key"));
    if (cursor.accept(":")) {
      EVQ_TRY_ASSIGN(column.type, parse_type(cursor, &column.type_span));
    }
    node.columns.push_back(std::move(column));
    if (!cursor.accept(",")) {
      break;
    }
  }
  EVQ_TRY(cursor.expect(")", "',' or ')'"));
  if (cursor.accept_word("with")) {
    EVQ_TRY_ASSIGN(node.options, parse_option_list(cursor, "parse-kv", kOptions));
  }
  return ast::OperatorNode{std::move(node)};
}

Result<ast::OperatorNode> parse_mv_expand(TokenCursor& cursor) {
  ast::MvExpand node;
  EVQ_TRY_ASSIGN(ExpandOptions options, parse_expand_options(cursor));
  node.kind = options.kind;
  node.item_index = std::move(options.item_index);
  EVQ_TRY_ASSIGN(node.items, parse_expand_items(cursor));
  EVQ_TRY_ASSIGN(node.limit, parse_expand_limit(cursor));
  return ast::OperatorNode{std::move(node)};
}

Result<ast::OperatorNode> parse_mv_apply(TokenCursor& cursor) {
  ast::MvApply node;
  EVQ_TRY_ASSIGN(ExpandOptions options, parse_expand_options(cursor));
  node.kind = options.kind;
  node.item_index = std::move(options.item_index);
  EVQ_TRY_ASSIGN(node.items, parse_expand_items(cursor));
  EVQ_TRY_ASSIGN(node.limit, parse_expand_limit(cursor));
  EVQ_TRY(cursor.expect_word("on", "on ( operators )"));
  EVQ_TRY_ASSIGN(node.body, parse_operator_block(cursor));
  return ast::OperatorNode{std::move(node)};
}

Result<ast::OperatorNode> parse_redact(TokenCursor& cursor) {
  constexpr std::string_view kOptions[] = {"replaceToken", "replaceHash", "redactGroups"};
  ast::Redact node;
  EVQ_TRY_ASSIGN(node.options, parse_options(cursor, "redact", kOptions));
  do {
    EVQ_TRY_ASSIGN(ast::ExprPtr pattern, parse_arithmetic(cursor));
    node.patterns.push_back(std::move(pattern));
  } while (cursor.accept(","));
  if (cursor.accept_word("on")) {
    EVQ_TRY_ASSIGN(node.fields, parse_name_patterns(cursor));
  }
  return ast::OperatorNode{std::move(node)};
}

}  // namespace evq::syntax

// Operators that bring several tables together: join, lookup, union, search.

#include <algorithm>
#include <utility>

#include "apl/syntax/diagnostics.h"
#include "apl/syntax/grammar.h"
#include "store/base/ascii.h"

namespace evq::syntax {

namespace {

struct JoinName {
  std::string_view text;
  ast::JoinKind kind;
};

constexpr JoinName kJoinNames[] = {
    {"inner", ast::JoinKind::kInner},           {"innerunique", ast::JoinKind::kInnerUnique},
    {"leftouter", ast::JoinKind::kLeftOuter},   {"rightouter", ast::JoinKind::kRightOuter},
    {"fullouter", ast::JoinKind::kFullOuter},   {"leftanti", ast::JoinKind::kLeftAnti},
    {"rightanti", ast::JoinKind::kRightAnti},   {"leftsemi", ast::JoinKind::kLeftSemi},
    {"rightsemi", ast::JoinKind::kRightSemi},   {"anti", ast::JoinKind::kLeftAnti},
    {"leftantisemi", ast::JoinKind::kLeftAnti}, {"rightantisemi", ast::JoinKind::kRightAnti}};

constexpr std::string_view kJoinKinds[] = {"inner",      "innerunique", "leftouter",
                                           "rightouter", "fullouter",   "leftanti",
                                           "rightanti",  "leftsemi",    "rightsemi"};

constexpr std::string_view kLookupKinds[] = {"leftouter", "inner"};

constexpr std::string_view kUnionKinds[] = {"inner", "outer"};

struct JoinParts {
  ast::JoinKind kind = ast::JoinKind::kDefault;
  ast::PipelinePtr right;
  std::vector<ast::ExprPtr> conditions;
};

// What SQL and others call a kind of join, in lower case without signs.
struct JoinHabit {
  std::string_view word;
  std::string_view hint;
};
constexpr JoinHabit kJoinHabits[] = {
    {"left", "write kind=leftouter"},
    {"right", "write kind=rightouter"},
    {"full", "write kind=fullouter"},
    {"outer", "write kind=fullouter, or leftouter to keep all rows of the left side only"},
    {"semi", "write kind=leftsemi"},
    {"exists", "write kind=leftsemi"},
    {"except", "write kind=leftanti"},
    {"cross", "a field that is equal everywhere pairs all rows: extend k = 1 on both sides, on k"}};

Result<ast::JoinKind> parse_lookup_kind(const ast::Option& option) {
  const std::string text = option_text(option);
  if (std::ranges::find(kLookupKinds, text) == std::end(kLookupKinds)) {
    return diag::unsupported_kind(option.value->span, "lookup", text, "leftouter, inner");
  }
  return std::ranges::find(kJoinNames, text, &JoinName::text)->kind;
}

Result<ast::JoinKind> parse_join_kind(const ast::Option& option) {
  const std::string text = option_text(option);
  const auto* found = std::ranges::find(kJoinNames, text, &JoinName::text);
  if (found != std::end(kJoinNames)) {
    return found->kind;
  }
  Error error = diag::invalid_option_value(option.value->span, "kind", text, kJoinKinds);
  std::string word = ascii_lower(text);
  std::erase_if(word, [](char c) { return !is_letter(c); });
  const auto* habit = std::ranges::find(kJoinHabits, word, &JoinHabit::word);
  if (habit != std::end(kJoinHabits)) {
    error.hint = habit->hint;
  } else if (std::ranges::find(kJoinNames, word, &JoinName::text) != std::end(kJoinNames)) {
    error.hint = "write kind=" + word;
  }
  return error;
}

// join left (…): a kind without its name where the table should be.
Status refuse_bare_kind(const TokenCursor& cursor) {
  const Token& token = cursor.peek();
  const Token& next = cursor.peek(1);
  const bool table_follows =
      next.is_symbol("(") || (next.kind == TokenKind::kName && !next.is_word("on"));
  if (token.kind != TokenKind::kName || !table_follows) {
    return Status::success();
  }
  const std::string word = ascii_lower(token.text);
  const auto* habit = std::ranges::find(kJoinHabits, word, &JoinHabit::word);
  const bool known = std::ranges::find(kJoinNames, word, &JoinName::text) != std::end(kJoinNames);
  if (habit == std::end(kJoinHabits) && !known) {
    return Status::success();
  }
  Error error = diag::unexpected_token(token.span, "a table", "'" + token.text + "'");
  error.hint = known ? "write kind=" + word : std::string(habit->hint);
  return error;
}

// Adds the conditions of `on`, which commas or ands stand between.
void add_conditions(ast::ExprPtr condition, std::vector<ast::ExprPtr>* conditions) {
  auto* logical = std::get_if<ast::Logical>(&condition->node);
  if (logical == nullptr || logical->is_or) {
    conditions->push_back(std::move(condition));
    return;
  }
  for (ast::ExprPtr& operand : logical->operands) {
    add_conditions(std::move(operand), conditions);
  }
}

// join print x = 1 on x, join t | where … on x: a pipeline as the table.
Error explain_table(Error error, const TokenCursor& cursor, std::size_t table,
                    std::string_view name) {
  constexpr std::string_view kSources[] = {"print", "range", "union", "search", "find"};
  const bool source = std::ranges::find(kSources, cursor.token(table).text) != std::end(kSources);
  if (cursor.at("|") || (source && !cursor.at_end())) {
    error.hint = "a pipeline on the right side stands in parentheses: " + std::string(name) +
                 " (…) on field";
  }
  return error;
}

// on a == b == c: the comma between two conditions is missing.
Error explain_condition(Error error) {
  if (error.id == "APL1020") {
    error.hint = "separate two conditions by a comma: on a, $left.b == $right.c";
  }
  return error;
}

Result<JoinParts> parse_join_parts(TokenCursor& cursor, std::string_view name) {
  constexpr std::string_view kOptions[] = {"kind"};
  const bool is_lookup = name == "lookup";
  const std::span<const std::string_view> kinds =
      is_lookup ? std::span<const std::string_view>(kLookupKinds) : kJoinKinds;
  JoinParts parts;
  EVQ_TRY_ASSIGN(const std::vector<ast::Option> options,
                 parse_options(cursor, name, kOptions, kinds));
  for (const ast::Option& option : options) {
    EVQ_TRY_ASSIGN(parts.kind, is_lookup ? parse_lookup_kind(option) : parse_join_kind(option));
  }
  EVQ_TRY(refuse_bare_kind(cursor));
  const std::size_t table = cursor.index();
  EVQ_TRY_ASSIGN(ast::TableItem item, parse_table_item(cursor));
  if (auto* pattern = std::get_if<ast::NamePattern>(&item)) {
    const Span span = pattern->span;
    parts.right = wrap_source(span, ast::TableRef{std::move(*pattern)});
  } else {
    parts.right = std::get<ast::PipelinePtr>(std::move(item));
  }
  EVQ_TRY(skip_hints(cursor));
  if (Status on = cursor.expect_word("on", "'on' and the key fields"); !on.ok()) {
    return explain_table(std::move(on).take_error(), cursor, table, name);
  }
  do {
    Result<ast::ExprPtr> parsed = parse_expression(cursor);
    if (!parsed.ok()) {
      return explain_condition(std::move(parsed).take_error());
    }
    add_conditions(std::move(parsed).value(), &parts.conditions);
  } while (cursor.accept(","));
  return parts;
}

Result<bool> option_bool(const ast::Option& option) {
  constexpr std::string_view kBools[] = {"true", "false"};
  const auto* literal = std::get_if<ast::Literal>(&option.value->node);
  if (literal != nullptr && !literal->value.is_null() && literal->value.type() == Type::kBool) {
    return literal->value.as_bool();
  }
  return diag::invalid_option_value(option.value->span, option.name.text, option_text(option),
                                    kBools);
}

Status apply_union_option(const ast::Option& option, ast::Union* node) {
  const std::string text = option_text(option);
  if (option.name.text == "kind") {
    if (text != "inner" && text != "outer") {
      return diag::invalid_option_value(option.value->span, "kind", text, kUnionKinds);
    }
    node->kind = text == "inner" ? ast::UnionKind::kInner : ast::UnionKind::kOuter;
  } else if (option.name.text == "isfuzzy") {
    EVQ_TRY_ASSIGN(node->is_fuzzy, option_bool(option));
  } else {
    node->with_source = ast::Name{.text = text, .span = option.value->span, .quoted = false};
    if (const auto* field = std::get_if<ast::FieldRef>(&option.value->node)) {
      node->with_source = field->name;
    }
  }
  return Status::success();
}

}  // namespace

Result<ast::OperatorNode> parse_join(TokenCursor& cursor) {
  EVQ_TRY_ASSIGN(JoinParts parts, parse_join_parts(cursor, "join"));
  return ast::OperatorNode{
      ast::Join{parts.kind, std::move(parts.right), std::move(parts.conditions)}};
}

Result<ast::OperatorNode> parse_lookup(TokenCursor& cursor) {
  EVQ_TRY_ASSIGN(JoinParts parts, parse_join_parts(cursor, "lookup"));
  return ast::OperatorNode{
      ast::Lookup{parts.kind, std::move(parts.right), std::move(parts.conditions)}};
}

Result<ast::OperatorNode> parse_union(TokenCursor& cursor) {
  constexpr std::string_view kOptions[] = {"kind", "withsource", "isfuzzy"};
  ast::Union node;
  EVQ_TRY_ASSIGN(const std::vector<ast::Option> options,
                 parse_options(cursor, "union", kOptions, kUnionKinds));
  for (const ast::Option& option : options) {
    EVQ_TRY(apply_union_option(option, &node));
  }
  EVQ_TRY_ASSIGN(node.tables, parse_table_items(cursor));
  return ast::OperatorNode{std::move(node)};
}

Result<ast::OperatorNode> parse_search(TokenCursor& cursor) {
  constexpr std::string_view kOptions[] = {"kind"};
  constexpr std::string_view kKinds[] = {"default", "case_insensitive", "case_sensitive"};
  ast::Search node;
  if (cursor.at_word("kind") || cursor.at_word("hint")) {
    EVQ_TRY_ASSIGN(const std::vector<ast::Option> options,
                   parse_options(cursor, "search", kOptions, kKinds));
    for (const ast::Option& option : options) {
      const std::string text = option_text(option);
      const auto found = std::find(std::begin(kKinds), std::end(kKinds), text);
      if (found == std::end(kKinds)) {
        return diag::invalid_option_value(option.value->span, "kind", text, kKinds);
      }
      node.kind = static_cast<ast::SearchKind>(found - std::begin(kKinds));
    }
  }
  if (cursor.at_word("in") && cursor.peek(1).is_symbol("(")) {
    cursor.take();
    cursor.take();
    EVQ_TRY_ASSIGN(node.tables, parse_table_items(cursor));
    EVQ_TRY(cursor.expect(")", "',' or ')'"));
  }
  EVQ_TRY_ASSIGN(node.predicate, parse_search_predicate(cursor));
  return ast::OperatorNode{std::move(node)};
}

}  // namespace evq::syntax

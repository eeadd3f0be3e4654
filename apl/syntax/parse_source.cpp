// What a pipeline starts with: a dataset, print, range, datatable, externaldata, union, search,
// find, a call, or a pipeline in parentheses.

#include <utility>

#include "apl/syntax/diagnostics.h"
#include "apl/syntax/grammar.h"
#include "apl/syntax/habits.h"
#include "apl/syntax/words.h"

namespace evq::syntax {

namespace {

// `print`, `union`, `search` and `find` name a dataset when nothing that could be theirs follows.
bool has_operand(const TokenCursor& cursor) {
  const Token& next = cursor.peek(1);
  switch (next.kind) {
    case TokenKind::kEnd:
      return cursor.recorder() != nullptr;  // an operand may still be written
    case TokenKind::kString:
    case TokenKind::kLiteral:
      return true;
    case TokenKind::kName:
      // `search in (…)` is the one infix word that may follow.
      return !is_infix_word(next.text) ||
             (next.text == "in" && cursor.peek().text != "print" && cursor.peek().text != "union");
    case TokenKind::kSymbol:
      break;
  }
  return next.text == "(" || next.text == "-" || next.text == "+" || next.text == "*" ||
         cursor.at_quoted_name(1);
}

// The second is how Kusto's pages write it at times.
bool is_external_word(const Token& token) {
  return token.is_word("externaldata") || token.is_word("external_data");
}

bool at_source_word(const TokenCursor& cursor) {
  const Token& token = cursor.peek();
  if (token.kind != TokenKind::kName) {
    return false;
  }
  const Token& next = cursor.peek(1);
  if (token.text == "datatable" || is_external_word(token)) {
    return next.is_symbol("(");
  }
  if (token.text == "range") {
    return next.kind == TokenKind::kName || cursor.at_quoted_name(1);
  }
  const bool word = token.text == "print" || token.text == "union" || token.text == "search" ||
                    token.text == "find";
  return word && has_operand(cursor);
}

Result<ast::SourceNode> parse_print(TokenCursor& cursor) {
  ast::Print print;
  EVQ_TRY_ASSIGN(print.items, parse_named_exprs(cursor));
  return ast::SourceNode{std::move(print)};
}

Result<ast::SourceNode> parse_range(TokenCursor& cursor) {
  ast::Range range;
  EVQ_TRY_ASSIGN(range.column, parse_name(cursor, "a column"));
  EVQ_TRY(cursor.expect_word("from"));
  EVQ_TRY_ASSIGN(range.from, parse_arithmetic(cursor));
  EVQ_TRY(cursor.expect_word("to"));
  EVQ_TRY_ASSIGN(range.to, parse_arithmetic(cursor));
  EVQ_TRY(cursor.expect_word("step"));
  EVQ_TRY_ASSIGN(range.step, parse_arithmetic(cursor));
  return ast::SourceNode{std::move(range)};
}

// [a, b, …] with an optional comma at the end.
Result<std::vector<ast::ExprPtr>> parse_bracketed(TokenCursor& cursor) {
  std::vector<ast::ExprPtr> values;
  EVQ_TRY(cursor.expect("[", "[values, …]"));
  while (!cursor.at("]")) {
    EVQ_TRY_ASSIGN(ast::ExprPtr value, parse_expression(cursor));
    values.push_back(std::move(value));
    if (!cursor.accept(",")) {
      break;
    }
  }
  EVQ_TRY(cursor.expect("]", "',' or ']'"));
  return values;
}

Result<ast::SourceNode> parse_datatable(TokenCursor& cursor) {
  ast::Datatable table;
  EVQ_TRY_ASSIGN(table.columns, parse_columns(cursor));
  EVQ_TRY_ASSIGN(table.values, parse_bracketed(cursor));
  return ast::SourceNode{std::move(table)};
}

Result<ast::SourceNode> parse_externaldata(TokenCursor& cursor) {
  ast::ExternalData data;
  EVQ_TRY_ASSIGN(data.columns, parse_columns(cursor));
  EVQ_TRY_ASSIGN(data.locations, parse_bracketed(cursor));
  if (cursor.accept_word("with")) {
    EVQ_TRY_ASSIGN(data.options, parse_option_list(cursor, "externaldata", {}));
  }
  return ast::SourceNode{std::move(data)};
}

Result<ast::SourceNode> parse_union_source(TokenCursor& cursor) {
  EVQ_TRY_ASSIGN(ast::OperatorNode node, parse_union(cursor));
  return ast::SourceNode{std::get<ast::Union>(std::move(node))};
}

Result<ast::SourceNode> parse_search_source(TokenCursor& cursor) {
  EVQ_TRY_ASSIGN(ast::OperatorNode node, parse_search(cursor));
  return ast::SourceNode{std::get<ast::Search>(std::move(node))};
}

Status parse_find_columns(TokenCursor& cursor, ast::Find* find) {
  do {
    if (cursor.at_word("pack_all") && cursor.peek(1).is_symbol("(")) {
      cursor.take();
      cursor.take();
      EVQ_TRY(cursor.expect(")"));
      find->pack_rest = true;
      continue;
    }
    ast::ColumnSpec column;
    EVQ_TRY_ASSIGN(column.name, parse_field_name(cursor));
    column.type = Type::kNull;
    if (cursor.accept(":")) {
      EVQ_TRY_ASSIGN(column.type, parse_type(cursor, &column.type_span));
    }
    find->columns.push_back(std::move(column));
  } while (cursor.accept(","));
  return Status::success();
}

// project-smart, project-away, … after find's predicate.
bool accept_hyphenated(TokenCursor& cursor, std::string_view second) {
  if (!cursor.at_word("project") || !cursor.peek(1).is_symbol("-") ||
      !cursor.peek(2).is_word(second)) {
    return false;
  }
  cursor.take();
  cursor.take();
  cursor.take();
  return true;
}

Result<ast::SourceNode> parse_find(TokenCursor& cursor) {
  constexpr std::string_view kOptions[] = {"withsource", "datascope"};
  ast::Find find;
  EVQ_TRY_ASSIGN(const std::vector<ast::Option> options, parse_options(cursor, "find", kOptions));
  for (const ast::Option& option : options) {
    if (option.name.text == "withsource") {
      const auto* field = std::get_if<ast::FieldRef>(&option.value->node);
      find.with_source =
          field != nullptr
              ? field->name
              : ast::Name{.text = option_text(option), .span = option.value->span, .quoted = false};
    }
  }
  if (cursor.accept_word("in")) {
    EVQ_TRY(cursor.expect("("));
    EVQ_TRY_ASSIGN(find.tables, parse_table_items(cursor));
    EVQ_TRY(cursor.expect(")"));
  }
  cursor.accept_word("where");
  EVQ_TRY_ASSIGN(find.predicate, parse_search_predicate(cursor));
  if (accept_hyphenated(cursor, "smart")) {
    find.smart = true;
  } else if (!(cursor.at_word("project") && cursor.peek(1).is_symbol("-")) &&
             cursor.accept_word("project")) {
    EVQ_TRY(parse_find_columns(cursor, &find));
  }
  if (accept_hyphenated(cursor, "away")) {
    EVQ_TRY_ASSIGN(find.away, parse_name_patterns(cursor));
  }
  return ast::SourceNode{std::move(find)};
}

struct SourceWord {
  std::string_view word;
  Result<ast::SourceNode> (*parse)(TokenCursor& cursor);
};

constexpr SourceWord kSourceWords[] = {{"print", parse_print},
                                       {"range", parse_range},
                                       {"datatable", parse_datatable},
                                       {"externaldata", parse_externaldata},
                                       {"external_data", parse_externaldata},
                                       {"union", parse_union_source},
                                       {"search", parse_search_source},
                                       {"find", parse_find}};

}  // namespace

bool at_pipeline(const TokenCursor& cursor) {
  return cursor.token(cursor.peek().next_delimiter).is_symbol("|") || at_source_word(cursor) ||
         at_inner_let(cursor);
}

Result<ast::SourceNode> parse_source(TokenCursor& cursor) {
  cursor.may_end_with(Expected::kSource);
  if (std::optional<Error> habit = source_habit(cursor)) {
    return *std::move(habit);
  }
  if (at_source_word(cursor)) {
    for (const SourceWord& source : kSourceWords) {
      if (cursor.accept_word(source.word)) {
        return source.parse(cursor);
      }
    }
  }
  if (cursor.accept("(")) {
    ast::NestedSource nested;
    EVQ_TRY_ASSIGN(nested.pipeline, parse_pipeline(cursor));
    cursor.accept(";");
    EVQ_TRY(cursor.expect(")"));
    return ast::SourceNode{std::move(nested)};
  }
  EVQ_TRY_ASSIGN(ast::TableItem item, parse_table_item(cursor));
  if (auto* pattern = std::get_if<ast::NamePattern>(&item)) {
    return ast::SourceNode{ast::TableRef{std::move(*pattern)}};
  }
  return std::move(std::get<ast::PipelinePtr>(item)->source);
}

}  // namespace evq::syntax

// Operators that work row by row or reorder rows: where, extend, the project family, sort, limit …

#include <utility>

#include "apl/syntax/diagnostics.h"
#include "apl/syntax/grammar.h"

namespace evq::syntax {

namespace {

Result<ast::ReorderDirection> parse_direction(TokenCursor& cursor) {
  if (cursor.accept_word("asc")) {
    return ast::ReorderDirection::kAsc;
  }
  if (cursor.accept_word("desc")) {
    return ast::ReorderDirection::kDesc;
  }
  if (!cursor.at_word("granny")) {
    return ast::ReorderDirection::kNone;
  }
  cursor.take();
  EVQ_TRY(cursor.expect("-", "granny-asc or granny-desc"));
  if (cursor.accept_word("asc")) {
    return ast::ReorderDirection::kGrannyAsc;
  }
  EVQ_TRY(cursor.expect_word("desc", "granny-asc or granny-desc"));
  return ast::ReorderDirection::kGrannyDesc;
}

// The options of an operator that has none: hints are fine, anything else is an error.
Status skip_only_hints(TokenCursor& cursor, std::string_view operator_name) {
  EVQ_TRY_ASSIGN(const std::vector<ast::Option> options, parse_options(cursor, operator_name, {}));
  static_cast<void>(options);
  return Status::success();
}

// An operator whose operand is missing gives a better message than "expected an expression".
bool at_operand(const TokenCursor& cursor) {
  if (cursor.recorder_at_end() != nullptr) {
    return true;  // it may still be written
  }
  return !cursor.at_end() && !cursor.at("|") && !cursor.at(";") && !cursor.at(")");
}

Status need_operand(const TokenCursor& cursor, std::string_view name, std::string_view what) {
  if (at_operand(cursor)) {
    return Status::success();
  }
  const std::size_t last = cursor.index() - 1;
  return diag::missing_clause(cursor.token(last).span, name, what);
}

}  // namespace

Result<ast::OperatorNode> parse_where(TokenCursor& cursor) {
  EVQ_TRY(need_operand(cursor, "where", "a condition"));
  ast::Where node;
  EVQ_TRY_ASSIGN(node.predicate, parse_expression(cursor));
  return ast::OperatorNode{std::move(node)};
}

Result<ast::OperatorNode> parse_count(TokenCursor& cursor) {
  if (cursor.at_word("by")) {
    return diag::unsupported_feature(cursor.peek().span, "count by",
                                     "write | summarize count() by field");
  }
  ast::Count node;
  if (cursor.accept_word("as")) {
    EVQ_TRY_ASSIGN(node.name, parse_name(cursor, "a name"));
  }
  return ast::OperatorNode{std::move(node)};
}

Result<ast::OperatorNode> parse_getschema(TokenCursor&) {
  return ast::OperatorNode{ast::GetSchema{}};
}

Result<ast::OperatorNode> parse_distinct(TokenCursor& cursor) {
  EVQ_TRY(skip_hints(cursor));
  EVQ_TRY(need_operand(cursor, "distinct", "fields or *"));
  ast::Distinct node;
  EVQ_TRY_ASSIGN(node.items, parse_named_exprs(cursor));
  return ast::OperatorNode{std::move(node)};
}

Result<ast::OperatorNode> parse_extend(TokenCursor& cursor) {
  EVQ_TRY(need_operand(cursor, "extend", "name = expression"));
  ast::Extend node;
  EVQ_TRY_ASSIGN(node.items, parse_named_exprs(cursor));
  return ast::OperatorNode{std::move(node)};
}

Result<ast::OperatorNode> parse_extend_valid(TokenCursor& cursor) {
  EVQ_TRY(need_operand(cursor, "extend-valid", "name = expression"));
  ast::Extend node;
  node.keep_invalid = true;
  EVQ_TRY_ASSIGN(node.items, parse_named_exprs(cursor));
  return ast::OperatorNode{std::move(node)};
}

Result<ast::OperatorNode> parse_project(TokenCursor& cursor) {
  EVQ_TRY(need_operand(cursor, "project", "fields"));
  ast::Project node;
  EVQ_TRY_ASSIGN(node.items, parse_named_exprs(cursor));
  return ast::OperatorNode{std::move(node)};
}

Result<ast::OperatorNode> parse_project_away(TokenCursor& cursor) {
  ast::ProjectAway node;
  EVQ_TRY_ASSIGN(node.fields, parse_name_patterns(cursor));
  return ast::OperatorNode{std::move(node)};
}

Result<ast::OperatorNode> parse_project_keep(TokenCursor& cursor) {
  ast::ProjectKeep node;
  EVQ_TRY_ASSIGN(node.fields, parse_name_patterns(cursor));
  return ast::OperatorNode{std::move(node)};
}

Result<ast::OperatorNode> parse_project_rename(TokenCursor& cursor) {
  ast::ProjectRename node;
  do {
    ast::RenameItem item;
    ast::NamePattern to;
    if (cursor.peek().kind == TokenKind::kString) {
      EVQ_TRY_ASSIGN(item.to, parse_text_name(cursor));
    } else {
      EVQ_TRY_ASSIGN(to, parse_name_pattern(cursor, "new = old"));
      item.to = {.text = to.text(), .span = to.span, .quoted = false};
    }
    EVQ_TRY(cursor.expect("=", "'=' and the old name"));
    EVQ_TRY_ASSIGN(item.from, parse_name_pattern(cursor, "the old name"));
    if (to.is_wild() || item.from.is_wild()) {
      const ast::NamePattern& wild = to.is_wild() ? to : item.from;
      return diag::unexpected_token(wild.span, "one name", "'" + wild.text() + "'");
    }
    node.items.push_back(std::move(item));
  } while (cursor.accept(","));
  return ast::OperatorNode{std::move(node)};
}

Result<ast::OperatorNode> parse_project_reorder(TokenCursor& cursor) {
  ast::ProjectReorder node;
  do {
    ast::ReorderItem item;
    EVQ_TRY_ASSIGN(item.fields, parse_name_pattern(cursor, "a field"));
    EVQ_TRY_ASSIGN(item.direction, parse_direction(cursor));
    node.items.push_back(std::move(item));
  } while (cursor.accept(","));
  return ast::OperatorNode{std::move(node)};
}

Result<ast::OperatorNode> parse_project_by_names(TokenCursor& cursor) {
  ast::ProjectByNames node;
  do {
    EVQ_TRY_ASSIGN(ast::ExprPtr name, parse_expression(cursor));
    node.names.push_back(std::move(name));
  } while (cursor.accept(","));
  return ast::OperatorNode{std::move(node)};
}

Result<ast::OperatorNode> parse_limit(TokenCursor& cursor) {
  EVQ_TRY(need_operand(cursor, "limit", "a number of rows"));
  ast::Limit node;
  EVQ_TRY_ASSIGN(node.count, parse_arithmetic(cursor));
  return ast::OperatorNode{std::move(node)};
}

Result<ast::OperatorNode> parse_sample(TokenCursor& cursor) {
  EVQ_TRY(need_operand(cursor, "sample", "a fraction such as 0.1"));
  ast::Sample node;
  EVQ_TRY_ASSIGN(node.amount, parse_arithmetic(cursor));
  return ast::OperatorNode{std::move(node)};
}

Result<ast::OperatorNode> parse_sample_distinct(TokenCursor& cursor) {
  EVQ_TRY(need_operand(cursor, "sample-distinct", "a number of values"));
  ast::SampleDistinct node;
  EVQ_TRY_ASSIGN(node.count, parse_arithmetic(cursor));
  EVQ_TRY(cursor.expect_word("of"));
  EVQ_TRY_ASSIGN(node.of, parse_expression(cursor));
  return ast::OperatorNode{std::move(node)};
}

Result<ast::OperatorNode> parse_sort(TokenCursor& cursor) {
  EVQ_TRY(skip_hints(cursor));
  EVQ_TRY(cursor.expect_word("by"));
  ast::Sort node;
  EVQ_TRY_ASSIGN(node.keys, parse_sort_keys(cursor));
  return ast::OperatorNode{std::move(node)};
}

Result<ast::OperatorNode> parse_top(TokenCursor& cursor) {
  EVQ_TRY(need_operand(cursor, "top", "a number of rows"));
  ast::Top node;
  EVQ_TRY_ASSIGN(node.count, parse_arithmetic(cursor));
  EVQ_TRY(skip_hints(cursor));
  EVQ_TRY(cursor.expect_word("by"));
  EVQ_TRY_ASSIGN(node.keys, parse_sort_keys(cursor));
  return ast::OperatorNode{std::move(node)};
}

Result<ast::OperatorNode> parse_serialize(TokenCursor& cursor) {
  ast::Serialize node;
  if (at_operand(cursor)) {
    EVQ_TRY_ASSIGN(node.items, parse_named_exprs(cursor));
  }
  return ast::OperatorNode{std::move(node)};
}

Result<ast::OperatorNode> parse_as(TokenCursor& cursor) {
  EVQ_TRY(skip_only_hints(cursor, "as"));
  ast::As node;
  EVQ_TRY_ASSIGN(node.name, parse_name(cursor, "a name"));
  return ast::OperatorNode{std::move(node)};
}

Result<ast::OperatorNode> parse_consume(TokenCursor& cursor) {
  constexpr std::string_view kOptions[] = {"decodeblocks"};
  ast::Consume node;
  EVQ_TRY_ASSIGN(node.options, parse_options(cursor, "consume", kOptions));
  return ast::OperatorNode{std::move(node)};
}

Result<ast::OperatorNode> parse_invoke(TokenCursor& cursor) {
  ast::Invoke node;
  EVQ_TRY_ASSIGN(node.call, parse_call(cursor));
  return ast::OperatorNode{std::move(node)};
}

Result<ast::OperatorNode> parse_evaluate(TokenCursor& cursor) {
  EVQ_TRY(skip_hints(cursor));
  ast::Evaluate node;
  cursor.may_end_with(Expected::kPlugin);
  EVQ_TRY_ASSIGN(node.call, parse_call(cursor));
  if (!cursor.accept(":")) {
    return ast::OperatorNode{std::move(node)};
  }
  // : (*, name:type): the star keeps columns that are not listed.
  if (cursor.at("(") && cursor.peek(1).is_symbol("*")) {
    node.keep_others = true;
    cursor.take();
    cursor.take();
    if (cursor.accept(")")) {
      return ast::OperatorNode{std::move(node)};
    }
    EVQ_TRY(cursor.expect(","));
    do {
      ast::ColumnSpec column;
      EVQ_TRY_ASSIGN(column.name, parse_name(cursor, "a column"));
      EVQ_TRY(cursor.expect(":"));
      EVQ_TRY_ASSIGN(column.type, parse_type(cursor, &column.type_span));
      node.columns.push_back(std::move(column));
    } while (cursor.accept(","));
    EVQ_TRY(cursor.expect(")"));
    return ast::OperatorNode{std::move(node)};
  }
  EVQ_TRY_ASSIGN(node.columns, parse_columns(cursor));
  return ast::OperatorNode{std::move(node)};
}

}  // namespace evq::syntax

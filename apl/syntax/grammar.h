#pragma once
// The grammar's own functions, shared by the parser's files: each reads one construct at the cursor
// and leaves the cursor after it. Private to this layer; others call parser.h.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apl/syntax/ast.h"
#include "apl/syntax/token_cursor.h"
#include "store/base/result.h"

namespace evq::syntax {

// ------------------------------------------------------------------ expressions (parse_expr.cpp)

Result<ast::ExprPtr> parse_expression(TokenCursor& cursor);
// Parses up to comparisons and and/or: `in`, `==` and the like belong to the operator around it.
Result<ast::ExprPtr> parse_arithmetic(TokenCursor& cursor);
// Parses name(arguments).
Result<ast::ExprPtr> parse_call(TokenCursor& cursor);
// Parses an expression that may hold `field:term` and `not`.
Result<ast::ExprPtr> parse_search_predicate(TokenCursor& cursor);
// Wraps a node, setting its height; fails past kQueryDepthMax. `inner_height` is that of the
// expressions inside a subquery.
Result<ast::ExprPtr> make_expr(TokenCursor& cursor, Span span, ast::ExprNode node,
                               int inner_height = 0);
// Parses dynamic(…); the cursor is at the word.
Result<ast::ExprPtr> parse_dynamic_literal(TokenCursor& cursor);

// ------------------------------------------------------------------------ lists (parse_lists.cpp)

Result<ast::Name> parse_name(TokenCursor& cursor, std::string_view what);
// Parses the name of a field, which may be written as a path: geo.city.
Result<ast::Name> parse_field_name(TokenCursor& cursor);
// Parses a name written as a text, where only a name can stand: "Error rate" = …
Result<ast::Name> parse_text_name(TokenCursor& cursor);
Result<ast::NamePattern> parse_name_pattern(TokenCursor& cursor, std::string_view what);
Result<std::vector<ast::NamePattern>> parse_name_patterns(TokenCursor& cursor);
Result<ast::NamedExpr> parse_named_expr(TokenCursor& cursor);
Result<std::vector<ast::NamedExpr>> parse_named_exprs(TokenCursor& cursor);
Result<std::vector<ast::SortKey>> parse_sort_keys(TokenCursor& cursor);
Result<Type> parse_type(TokenCursor& cursor, Span* span);
// Parses (name:type, …).
Result<std::vector<ast::ColumnSpec>> parse_columns(TokenCursor& cursor);
// Parses a dataset name, pattern, call or parenthesised pipeline.
Result<ast::TableItem> parse_table_item(TokenCursor& cursor);
Result<std::vector<ast::TableItem>> parse_table_items(TokenCursor& cursor);
// Reads hint.x=y … and forgets them.
Status skip_hints(TokenCursor& cursor);
// Parses name=value … for the allowed names, hints skipped; ends at the first token that is no
// option. `kinds` are the values that completion offers for an option `kind`. With `names_follow`
// the options end at a name that is none, for `name =` may follow them.
Result<std::vector<ast::Option>> parse_options(TokenCursor& cursor, std::string_view operator_name,
                                               std::span<const std::string_view> allowed,
                                               std::span<const std::string_view> kinds = {},
                                               bool names_follow = false);
// Notes for completion the names of the options that may stand here.
void note_options(const TokenCursor& cursor, std::span<const std::string_view> allowed);
// Parses (name=value, …).
Result<std::vector<ast::Option>> parse_option_list(TokenCursor& cursor,
                                                   std::string_view operator_name,
                                                   std::span<const std::string_view> allowed);
// Returns the text of an option's value: a word or a string.
std::string option_text(const ast::Option& option);

// ------------------------------------------------------------ pipelines (parser.cpp, sources)

// Whether a pipeline, not a scalar, begins here: a pipe follows before the next delimiter, or the
// word starts a source or, behind a parenthesis, a let.
bool at_pipeline(const TokenCursor& cursor);
Result<ast::PipelinePtr> parse_pipeline(TokenCursor& cursor);
Result<ast::SourceNode> parse_source(TokenCursor& cursor);
// Parses ( operator | operator ), applied to the enclosing rows.
Result<ast::OperatorList> parse_operator_block(TokenCursor& cursor);
// Makes a pipeline that is just this source.
ast::PipelinePtr wrap_source(Span span, ast::SourceNode source);
// Parses let name = value; the cursor is after `let`.
Result<ast::Let> parse_let(TokenCursor& cursor);
// Whether `let name` follows right behind an opening parenthesis.
bool at_inner_let(const TokenCursor& cursor);
Result<std::vector<ast::Parameter>> parse_parameters(TokenCursor& cursor);

// --------------------------------------------- operators, each after its name (operators.cpp)

Result<ast::OperatorNode> parse_as(TokenCursor& cursor);
Result<ast::OperatorNode> parse_consume(TokenCursor& cursor);
Result<ast::OperatorNode> parse_count(TokenCursor& cursor);
Result<ast::OperatorNode> parse_distinct(TokenCursor& cursor);
Result<ast::OperatorNode> parse_evaluate(TokenCursor& cursor);
Result<ast::OperatorNode> parse_extend(TokenCursor& cursor);
Result<ast::OperatorNode> parse_extend_valid(TokenCursor& cursor);
Result<ast::OperatorNode> parse_facet(TokenCursor& cursor);
Result<ast::OperatorNode> parse_fork(TokenCursor& cursor);
Result<ast::OperatorNode> parse_getschema(TokenCursor& cursor);
Result<ast::OperatorNode> parse_invoke(TokenCursor& cursor);
Result<ast::OperatorNode> parse_join(TokenCursor& cursor);
Result<ast::OperatorNode> parse_limit(TokenCursor& cursor);
Result<ast::OperatorNode> parse_lookup(TokenCursor& cursor);
Result<ast::OperatorNode> parse_make_series(TokenCursor& cursor);
Result<ast::OperatorNode> parse_mv_apply(TokenCursor& cursor);
Result<ast::OperatorNode> parse_mv_expand(TokenCursor& cursor);
Result<ast::OperatorNode> parse_parse(TokenCursor& cursor);
Result<ast::OperatorNode> parse_parse_kv(TokenCursor& cursor);
Result<ast::OperatorNode> parse_parse_where(TokenCursor& cursor);
Result<ast::OperatorNode> parse_partition(TokenCursor& cursor);
Result<ast::OperatorNode> parse_project(TokenCursor& cursor);
Result<ast::OperatorNode> parse_project_away(TokenCursor& cursor);
Result<ast::OperatorNode> parse_project_by_names(TokenCursor& cursor);
Result<ast::OperatorNode> parse_project_keep(TokenCursor& cursor);
Result<ast::OperatorNode> parse_project_rename(TokenCursor& cursor);
Result<ast::OperatorNode> parse_project_reorder(TokenCursor& cursor);
Result<ast::OperatorNode> parse_redact(TokenCursor& cursor);
Result<ast::OperatorNode> parse_reduce(TokenCursor& cursor);
Result<ast::OperatorNode> parse_render(TokenCursor& cursor);
Result<ast::OperatorNode> parse_sample(TokenCursor& cursor);
Result<ast::OperatorNode> parse_sample_distinct(TokenCursor& cursor);
Result<ast::OperatorNode> parse_scan(TokenCursor& cursor);
Result<ast::OperatorNode> parse_search(TokenCursor& cursor);
Result<ast::OperatorNode> parse_serialize(TokenCursor& cursor);
Result<ast::OperatorNode> parse_sort(TokenCursor& cursor);
Result<ast::OperatorNode> parse_summarize(TokenCursor& cursor);
Result<ast::OperatorNode> parse_top(TokenCursor& cursor);
Result<ast::OperatorNode> parse_top_hitters(TokenCursor& cursor);
Result<ast::OperatorNode> parse_top_nested(TokenCursor& cursor);
Result<ast::OperatorNode> parse_union(TokenCursor& cursor);
Result<ast::OperatorNode> parse_where(TokenCursor& cursor);

}  // namespace evq::syntax

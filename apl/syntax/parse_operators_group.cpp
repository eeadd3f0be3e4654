// Operators that group, nest or match rows: summarize, make-series, top-nested, partition, scan …

#include <algorithm>
#include <utility>

#include "apl/syntax/diagnostics.h"
#include "apl/syntax/grammar.h"
#include "apl/syntax/words.h"
#include "store/base/number.h"

namespace evq::syntax {

namespace {

bool at_operator_end(const TokenCursor& cursor) {
  return cursor.at_end() || cursor.at("|") || cursor.at(";") || cursor.at(")") || cursor.at("}");
}

// For completion: whether the expressions that follow may aggregate.
void allow_aggregates(const TokenCursor& cursor, bool allowed) {
  if (cursor.recorder() != nullptr) {
    cursor.recorder()->allow_aggregates(allowed);
  }
}

Result<ast::SeriesItem> parse_series_item(TokenCursor& cursor) {
  ast::SeriesItem item;
  EVQ_TRY_ASSIGN(item.aggregate, parse_named_expr(cursor));
  if (cursor.accept_word("default")) {
    EVQ_TRY(cursor.expect("="));
    EVQ_TRY_ASSIGN(item.default_value, parse_arithmetic(cursor));
  }
  return item;
}

// [name =] expr, without taking a following `in`.
Result<ast::NamedExpr> parse_axis(TokenCursor& cursor) {
  const std::size_t first = cursor.index();
  ast::NamedExpr axis;
  const std::size_t size = cursor.at_quoted_name() ? 3 : 1;
  if (cursor.peek(size).is_symbol("=")) {
    EVQ_TRY_ASSIGN(ast::Name name, parse_name(cursor, "a name"));
    axis.names.push_back(std::move(name));
    cursor.take();
  }
  EVQ_TRY_ASSIGN(axis.value, parse_arithmetic(cursor));
  axis.span = cursor.span_from(first);
  return axis;
}

Status parse_series_step(TokenCursor& cursor, ast::MakeSeries* node) {
  EVQ_TRY(cursor.expect_word("step", "'step' and the size of a bin"));
  EVQ_TRY_ASSIGN(node->step, parse_arithmetic(cursor));
  return Status::success();
}

// range(from, to, step), or range(from, to) step STEP
Status parse_series_range(TokenCursor& cursor, ast::MakeSeries* node) {
  node->in_range = true;
  EVQ_TRY(cursor.expect_word("range", "range(from, to, step)"));
  EVQ_TRY(cursor.expect("("));
  EVQ_TRY_ASSIGN(node->from, parse_expression(cursor));
  EVQ_TRY(cursor.expect(","));
  EVQ_TRY_ASSIGN(node->to, parse_expression(cursor));
  if (cursor.peek().is_symbol(")") && cursor.peek(1).is_word("step")) {
    cursor.take();
    return parse_series_step(cursor, node);
  }
  EVQ_TRY(cursor.expect(","));
  EVQ_TRY_ASSIGN(node->step, parse_expression(cursor));
  return cursor.expect(")");
}

// [in] [from A] [to B] step S: Axiom's page writes the `in`.
Status parse_series_steps(TokenCursor& cursor, ast::MakeSeries* node) {
  if (cursor.accept_word("from")) {
    EVQ_TRY_ASSIGN(node->from, parse_arithmetic(cursor));
  }
  if (cursor.accept_word("to")) {
    EVQ_TRY_ASSIGN(node->to, parse_arithmetic(cursor));
  }
  return parse_series_step(cursor, node);
}

Result<ast::TopNestedLevel> parse_level(TokenCursor& cursor) {
  ast::TopNestedLevel level;
  if (!cursor.at_word("of")) {
    EVQ_TRY_ASSIGN(level.count, parse_arithmetic(cursor));
  }
  EVQ_TRY(cursor.expect_word("of"));
  EVQ_TRY_ASSIGN(level.of, parse_named_expr(cursor));
  if (cursor.accept_word("with")) {
    EVQ_TRY(cursor.expect_word("others"));
    EVQ_TRY(cursor.expect("="));
    EVQ_TRY_ASSIGN(level.others, parse_arithmetic(cursor));
  }
  EVQ_TRY(cursor.expect_word("by"));
  allow_aggregates(cursor, true);
  EVQ_TRY_ASSIGN(level.by, parse_named_expr(cursor));
  allow_aggregates(cursor, false);
  if (cursor.accept_word("asc")) {
    level.descending = false;
  } else {
    cursor.accept_word("desc");
  }
  return level;
}

// ------------------------------------------------------------------------------------------ scan

Status parse_scan_declarations(TokenCursor& cursor, ast::Scan* node) {
  EVQ_TRY(cursor.expect("("));
  do {
    ast::ScanColumn item;
    EVQ_TRY_ASSIGN(item.column.name, parse_name(cursor, "a column"));
    EVQ_TRY(cursor.expect(":"));
    EVQ_TRY_ASSIGN(item.column.type, parse_type(cursor, &item.column.type_span));
    if (cursor.accept("=")) {
      EVQ_TRY_ASSIGN(item.default_value, parse_arithmetic(cursor));
    }
    node->declared.push_back(std::move(item));
  } while (cursor.accept(","));
  return cursor.expect(")");
}

Result<ast::ScanOutput> parse_scan_output(TokenCursor& cursor) {
  constexpr std::string_view kOutputs[] = {"all", "last", "none"};
  const Token& word = cursor.peek();
  const auto found = std::find(std::begin(kOutputs), std::end(kOutputs), word.text);
  if (found == std::end(kOutputs)) {
    return diag::invalid_option_value(word.span, "output", word.text, kOutputs);
  }
  cursor.take();
  return static_cast<ast::ScanOutput>(found - std::begin(kOutputs));
}

Result<ast::ScanStep> parse_scan_step(TokenCursor& cursor) {
  ast::ScanStep step;
  EVQ_TRY(cursor.expect_word("step"));
  EVQ_TRY_ASSIGN(step.name, parse_name(cursor, "a step's name"));
  step.optional = cursor.accept_word("optional");
  if (cursor.accept_word("output")) {
    EVQ_TRY(cursor.expect("="));
    EVQ_TRY_ASSIGN(step.output, parse_scan_output(cursor));
  }
  EVQ_TRY(cursor.expect(":"));
  EVQ_TRY_ASSIGN(step.condition, parse_expression(cursor));
  if (!cursor.accept("=>")) {
    return step;
  }
  do {
    ast::ScanAssignment assignment;
    EVQ_TRY_ASSIGN(assignment.name, parse_name(cursor, "a column"));
    EVQ_TRY(cursor.expect("="));
    EVQ_TRY_ASSIGN(assignment.value, parse_expression(cursor));
    step.assignments.push_back(std::move(assignment));
  } while (cursor.accept(","));
  return step;
}

}  // namespace

Result<ast::OperatorNode> parse_summarize(TokenCursor& cursor) {
  EVQ_TRY(skip_hints(cursor));
  allow_aggregates(cursor, true);
  if (at_operator_end(cursor)) {
    constexpr std::string_view kBy[] = {"by"};
    cursor.may_end_with(Expected::kExpression);
    cursor.may_end_with(kBy);
    return diag::missing_clause(cursor.token(cursor.index() - 1).span, "summarize",
                                "an aggregation or by");
  }
  ast::Summarize node;
  if (!cursor.at_word("by")) {
    EVQ_TRY_ASSIGN(node.aggregates, parse_named_exprs(cursor));
  }
  if (cursor.accept_word("by")) {
    node.has_by = true;
    allow_aggregates(cursor, false);
    EVQ_TRY(skip_hints(cursor));
    EVQ_TRY_ASSIGN(node.groups, parse_named_exprs(cursor));
  }
  return ast::OperatorNode{std::move(node)};
}

Result<ast::OperatorNode> parse_make_series(TokenCursor& cursor) {
  constexpr std::string_view kOptions[] = {"kind"};
  constexpr std::string_view kKinds[] = {"nonempty"};
  ast::MakeSeries node;
  if (cursor.at_word("kind") || cursor.at_word("hint")) {
    EVQ_TRY_ASSIGN(const std::vector<ast::Option> options,
                   parse_options(cursor, "make-series", kOptions, kKinds, true));
    for (const ast::Option& option : options) {
      if (option_text(option) != kKinds[0]) {
        return diag::invalid_option_value(option.value->span, "kind", option_text(option), kKinds);
      }
      node.non_empty = true;
    }
  }
  allow_aggregates(cursor, true);
  do {
    EVQ_TRY_ASSIGN(ast::SeriesItem item, parse_series_item(cursor));
    node.items.push_back(std::move(item));
  } while (cursor.accept(","));
  allow_aggregates(cursor, false);
  EVQ_TRY(cursor.expect_word("on", "'on' and the axis"));
  EVQ_TRY_ASSIGN(node.axis, parse_axis(cursor));
  if (cursor.accept_word("in") && !cursor.at_word("from")) {
    EVQ_TRY(parse_series_range(cursor, &node));
  } else {
    EVQ_TRY(parse_series_steps(cursor, &node));
  }
  if (cursor.accept_word("by")) {
    EVQ_TRY_ASSIGN(node.groups, parse_named_exprs(cursor));
  }
  return ast::OperatorNode{std::move(node)};
}

Result<ast::OperatorNode> parse_top_hitters(TokenCursor& cursor) {
  ast::TopHitters node;
  EVQ_TRY_ASSIGN(node.count, parse_arithmetic(cursor));
  EVQ_TRY(cursor.expect_word("of"));
  EVQ_TRY_ASSIGN(node.of, parse_expression(cursor));
  if (cursor.accept_word("by")) {
    EVQ_TRY_ASSIGN(node.weight, parse_expression(cursor));
  }
  return ast::OperatorNode{std::move(node)};
}

Result<ast::OperatorNode> parse_top_nested(TokenCursor& cursor) {
  ast::TopNested node;
  for (;;) {
    EVQ_TRY_ASSIGN(ast::TopNestedLevel level, parse_level(cursor));
    node.levels.push_back(std::move(level));
    if (!cursor.accept(",")) {
      return ast::OperatorNode{std::move(node)};
    }
    EVQ_TRY(cursor.expect_word("top", "top-nested"));
    EVQ_TRY(cursor.expect("-", "top-nested"));
    EVQ_TRY(cursor.expect_word("nested", "top-nested"));
  }
}

Result<ast::OperatorNode> parse_partition(TokenCursor& cursor) {
  EVQ_TRY(skip_hints(cursor));
  ast::Partition node;
  EVQ_TRY(cursor.expect_word("by"));
  const Token& parenthesis = cursor.peek(1);
  if (parenthesis.is_symbol("(") && cursor.token(parenthesis.partner + 1).is_symbol("(")) {
    EVQ_TRY_ASSIGN(node.by, parse_expression(cursor));
  } else {
    // A call would swallow the block: the key is a name or path, so stop before '('.
    EVQ_TRY_ASSIGN(ast::NamePattern key, parse_name_pattern(cursor, "a field"));
    const Span span = key.span;
    EVQ_TRY_ASSIGN(
        node.by,
        make_expr(cursor, span, ast::FieldRef{{.text = key.text(), .span = span, .quoted = true}}));
  }
  if (cursor.accept("{")) {
    EVQ_TRY_ASSIGN(node.pipeline, parse_pipeline(cursor));
    EVQ_TRY(cursor.expect("}"));
    return ast::OperatorNode{std::move(node)};
  }
  EVQ_TRY_ASSIGN(node.body, parse_operator_block(cursor));
  return ast::OperatorNode{std::move(node)};
}

Result<ast::OperatorNode> parse_scan(TokenCursor& cursor) {
  ast::Scan node;
  if (cursor.at_word("with_match_id")) {
    cursor.take();
    EVQ_TRY(cursor.expect("="));
    EVQ_TRY_ASSIGN(node.match_id, parse_name(cursor, "a name"));
  }
  if (cursor.accept_word("order")) {
    EVQ_TRY(cursor.expect_word("by"));
    EVQ_TRY_ASSIGN(node.order, parse_sort_keys(cursor));
  }
  if (cursor.accept_word("partition")) {
    EVQ_TRY(cursor.expect_word("by"));
    EVQ_TRY_ASSIGN(node.partition, parse_named_exprs(cursor));
  }
  if (cursor.accept_word("declare")) {
    EVQ_TRY(parse_scan_declarations(cursor, &node));
  }
  EVQ_TRY(cursor.expect_word("with", "with (step …)"));
  EVQ_TRY(cursor.expect("("));
  while (!cursor.at(")")) {
    EVQ_TRY_ASSIGN(ast::ScanStep step, parse_scan_step(cursor));
    node.steps.push_back(std::move(step));
    if (!cursor.accept(";")) {
      break;
    }
  }
  EVQ_TRY(cursor.expect(")", "';' or ')'"));
  return ast::OperatorNode{std::move(node)};
}

Result<ast::OperatorNode> parse_reduce(TokenCursor& cursor) {
  constexpr std::string_view kKindOption[] = {"kind"};
  constexpr std::string_view kKinds[] = {"source"};
  constexpr std::string_view kOptions[] = {"threshold", "characters"};
  ast::Reduce node;
  EVQ_TRY_ASSIGN(const std::vector<ast::Option> options,
                 parse_options(cursor, "reduce", kKindOption, kKinds));
  for (const ast::Option& option : options) {
    node.keeps_rows = option_text(option) == kKinds[0];
    if (!node.keeps_rows) {
      return diag::invalid_option_value(option.value->span, "kind", option_text(option), kKinds);
    }
  }
  EVQ_TRY(cursor.expect_word("by"));
  EVQ_TRY_ASSIGN(node.by, parse_expression(cursor));
  if (!cursor.accept_word("with")) {
    return ast::OperatorNode{std::move(node)};
  }
  if (cursor.at("(")) {
    EVQ_TRY_ASSIGN(node.options, parse_option_list(cursor, "reduce", kOptions));
    return ast::OperatorNode{std::move(node)};
  }
  do {
    EVQ_TRY_ASSIGN(std::vector<ast::Option> more, parse_options(cursor, "reduce", kOptions));
    for (ast::Option& option : more) {
      node.options.push_back(std::move(option));
    }
  } while (cursor.accept(","));
  return ast::OperatorNode{std::move(node)};
}

namespace {

// One word, string, name or number, as text.
Result<std::string> parse_chart_value(TokenCursor& cursor) {
  if (cursor.at_quoted_name()) {
    EVQ_TRY_ASSIGN(ast::Name name, parse_name(cursor, "a value"));
    return std::move(name.text);
  }
  const std::string sign = cursor.accept("-") ? "-" : "";
  const Token& token = cursor.peek();
  if (token.kind == TokenKind::kSymbol || token.kind == TokenKind::kEnd) {
    return cursor.unexpected("a value");
  }
  cursor.take();
  return sign +
         (token.kind == TokenKind::kLiteral ? std::string(cursor.slice(token.span)) : token.text);
}

Status check_chart_property(const ast::Option& option) {
  const ChartProperty* property = find_chart_property(option.name.text);
  if (property == nullptr) {
    return diag::unknown_option(option.name.span, "render", option.name.text,
                                chart_property_names());
  }
  const std::string value = option_text(option);
  if (!property->words.empty() &&
      std::ranges::find(property->words, value) == property->words.end()) {
    return diag::invalid_option_value(option.value->span, option.name.text, value, property->words);
  }
  if (property->value == ChartProperty::Value::kNumber && !parse_real(value).has_value()) {
    return diag::invalid_constant(option.value->span, option.name.text, "be a number");
  }
  return Status::success();
}

// name = value; a value may list names: ycolumns = a, b. A comma before `name =` ends it.
Result<ast::Option> parse_chart_property(TokenCursor& cursor) {
  ast::Option option;
  EVQ_TRY_ASSIGN(option.name, parse_name(cursor, "a property"));
  EVQ_TRY(cursor.expect("="));
  const ChartProperty* property = find_chart_property(option.name.text);
  const auto note_value = [&] {
    if (property != nullptr && property->value == ChartProperty::Value::kColumns) {
      cursor.may_end_with(Expected::kField);
    } else if (property != nullptr) {
      cursor.may_end_with(property->words);
    }
  };
  note_value();
  const std::size_t first = cursor.index();
  EVQ_TRY_ASSIGN(std::string text, parse_chart_value(cursor));
  while (cursor.at(",") && !cursor.peek(2).is_symbol("=")) {
    cursor.take();
    note_value();
    EVQ_TRY_ASSIGN(const std::string more, parse_chart_value(cursor));
    text.append(",").append(more);
  }
  EVQ_TRY_ASSIGN(option.value, make_expr(cursor, cursor.span_from(first),
                                         ast::Literal{Value::string(std::move(text))}));
  EVQ_TRY(check_chart_property(option));
  return option;
}

}  // namespace

Result<ast::OperatorNode> parse_render(TokenCursor& cursor) {
  ast::Render node;
  cursor.may_end_with(chart_kinds());
  EVQ_TRY_ASSIGN(node.chart, parse_name(cursor, "a chart such as timechart"));
  if (std::ranges::find(chart_kinds(), node.chart.text) == chart_kinds().end()) {
    return diag::unknown_chart(node.chart.span, node.chart.text, chart_kinds());
  }
  const bool listed = cursor.accept_word("with");
  if (listed) {
    EVQ_TRY(cursor.expect("(", "(name=value, …)"));
  }
  note_options(cursor, chart_property_names());
  const auto ends = [&] {
    return !listed && (cursor.after_blank_line() || cursor.at_next_query()) &&
           !cursor.peek(1).is_symbol("=");
  };
  while (cursor.peek().kind == TokenKind::kName && !ends()) {
    EVQ_TRY_ASSIGN(ast::Option option, parse_chart_property(cursor));
    node.options.push_back(std::move(option));
    cursor.accept(",");
    note_options(cursor, chart_property_names());
  }
  if (listed) {
    EVQ_TRY(cursor.expect(")", "',' or ')'"));
  }
  return ast::OperatorNode{std::move(node)};
}

Result<ast::OperatorNode> parse_fork(TokenCursor& cursor) {
  ast::Fork node;
  do {
    ast::ForkBranch branch;
    if (!cursor.at("(")) {
      EVQ_TRY_ASSIGN(branch.name, parse_name(cursor, "name = ( … ) or ( … )"));
      EVQ_TRY(cursor.expect("="));
    }
    EVQ_TRY_ASSIGN(branch.body, parse_operator_block(cursor));
    node.branches.push_back(std::move(branch));
  } while (cursor.at("(") || (!at_operator_end(cursor) && cursor.peek(1).is_symbol("=")));
  return ast::OperatorNode{std::move(node)};
}

Result<ast::OperatorNode> parse_facet(TokenCursor& cursor) {
  ast::Facet node;
  EVQ_TRY(cursor.expect_word("by"));
  do {
    EVQ_TRY_ASSIGN(ast::Name name, parse_field_name(cursor));
    node.fields.push_back(std::move(name));
  } while (cursor.accept(","));
  if (cursor.accept_word("with")) {
    EVQ_TRY_ASSIGN(node.body, parse_operator_block(cursor));
  }
  return ast::OperatorNode{std::move(node)};
}

}  // namespace evq::syntax

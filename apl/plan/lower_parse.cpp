// parse, parse-where and parse-kv: what is taken out of a text becomes columns; one that exists
// already is replaced. redact replaces the texts themselves.

#include <algorithm>
#include <utility>

#include "apl/plan/binder.h"
#include "apl/plan/field_name.h"
#include "apl/plan/key_values.h"
#include "apl/plan/name_patterns.h"
#include "apl/plan/redaction.h"
#include "apl/plan/stacking.h"
#include "apl/plan/text_pattern.h"

namespace evq::plan {
namespace {

// Appends what `extract` produces; columns of the same names go.
Relation attach(Relation input, Extract extract, const std::vector<PatternCapture>& captures) {
  const Schema before = input.schema();
  std::vector<Field> fields = before.fields();
  for (const PatternCapture& capture : captures) {
    fields.push_back({hidden_name("parsed") + std::to_string(fields.size()), capture.type});
  }
  input.node = stack(std::move(input.node), std::move(extract), Schema(fields));
  const auto captured = [&](std::string_view name) {
    return std::ranges::any_of(
        captures, [name](const PatternCapture& capture) { return capture.name == name; });
  };
  std::vector<NamedColumn> kept;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!is_hidden(before[i].name) && !captured(before[i].name)) {
      kept.push_back({before[i].name, make_column(i, before[i].type)});
    }
  }
  for (std::size_t i = 0; i < captures.size(); ++i) {
    kept.push_back({captures[i].name, make_column(before.size() + i, captures[i].type)});
  }
  add_hidden(before, before.size(), &kept);
  return choose(std::move(input), std::move(kept));
}

}  // namespace

Result<ExprPtr> Binder::text_form(ExprPtr value, Span span) const {
  // tostring() writes a null bool as false, as APL does.
  const std::string_view function = value->type == Type::kBool ? "strcat" : "tostring";
  std::vector<ExprPtr> args;
  args.push_back(std::move(value));
  return call(function, std::move(args), span);
}

Result<ExprPtr> Binder::bind_text(const ast::Expr& expr, const Relation& input) {
  EVQ_TRY_ASSIGN(ExprPtr source, bind_expr(expr, &input));
  return source->type == Type::kString ? std::move(source)
                                       : text_form(std::move(source), expr.span);
}

Result<Relation> Binder::lower(const ast::Parse& op, Span span, Relation input) {
  EVQ_TRY_ASSIGN(ExprPtr source, bind_text(*op.value, input));
  EVQ_TRY_ASSIGN(const TextPattern pattern, make_text_pattern(op, span));
  for (const PatternCapture& capture : pattern.captures) {
    if (std::ranges::count(pattern.captures, capture.name, &PatternCapture::name) > 1) {
      return diag::duplicate_name(span, capture.name, op.filter ? "parse-where" : "parse");
    }
  }
  Extract extract{std::move(source), pattern.extractor, pattern.captures.size(), op.filter};
  return attach(std::move(input), std::move(extract), pattern.captures);
}

Result<Relation> Binder::lower(const ast::ParseKv& op, Span /*span*/, Relation input) {
  EVQ_TRY_ASSIGN(ExprPtr source, bind_text(*op.value, input));
  std::vector<PatternCapture> captures;
  for (const ast::ColumnSpec& column : op.columns) {
    if (std::ranges::any_of(captures, [&](const PatternCapture& capture) {
          return capture.name == column.name.text;
        })) {
      return diag::duplicate_name(column.name.span, column.name.text, "parse-kv");
    }
    captures.push_back({column.name.text, column.type});
  }
  KeyValueSyntax syntax;
  for (const ast::Option& option : op.options) {
    EVQ_TRY_ASSIGN(const Value value, bind_constant(*option.value, "an option of parse-kv"));
    EVQ_TRY(syntax.set(option.name.text, value, option.value->span));
  }
  Extract extract{std::move(source), make_key_values(std::move(syntax), captures), captures.size(),
                  false};
  return attach(std::move(input), std::move(extract), captures);
}

Result<Relation> Binder::lower(const ast::Redact& op, Span span, Relation input) {
  RedactionSyntax syntax;
  for (const ast::Option& option : op.options) {
    EVQ_TRY_ASSIGN(const Value value, bind_constant(*option.value, "an option of redact"));
    EVQ_TRY(syntax.set(option.name.text, value, option.value->span));
  }
  for (const ast::ExprPtr& pattern : op.patterns) {
    EVQ_TRY_ASSIGN(const Value value, bind_constant(*pattern, "a pattern of redact"));
    EVQ_TRY(syntax.add_pattern(value, pattern->span));
  }
  EVQ_TRY(syntax.check(span));
  const auto redaction = std::make_shared<const RedactionSyntax>(std::move(syntax));
  EVQ_TRY_ASSIGN(input, show_virtual_fields(std::move(input), op.fields));
  const std::vector<ast::NamePattern> listed = as_stored(input.schema(), op.fields);
  for (const ast::NamePattern& field : listed) {
    if (!field.is_wild() && !input.schema().find(field.text()).has_value()) {
      return unknown_listed_field(*this, input, field.text(), field.span);
    }
  }
  const NamePatterns fields(listed);
  std::vector<NamedColumn> columns = pass_through(input);
  for (NamedColumn& column : columns) {
    const bool named = op.fields.empty() || fields.match(column.name);
    const Type type = column.expr->type;
    if (named && (type == Type::kString || type == Type::kDynamic)) {
      column.expr = redacted(std::move(column.expr), redaction);
    }
  }
  return project(std::move(input), std::move(columns));
}

}  // namespace evq::plan

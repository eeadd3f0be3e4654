// parse and parse-where: captures become columns; one that exists already is replaced.

#include <algorithm>
#include <utility>

#include "apl/plan/binder.h"
#include "apl/plan/text_pattern.h"

namespace evq::plan {

Result<Relation> Binder::lower(const ast::Parse& op, Span span, Relation input) {
  EVQ_TRY_ASSIGN(ExprPtr source, bind_expr(*op.value, &input));
  if (source->type != Type::kString) {
    std::vector<ExprPtr> args;
    args.push_back(std::move(source));
    EVQ_TRY_ASSIGN(source, call("tostring", std::move(args), op.value->span));
  }
  EVQ_TRY_ASSIGN(const TextPattern pattern, make_text_pattern(op, span));
  const Schema before = input.schema();
  std::vector<Field> fields = before.fields();
  for (const PatternCapture& capture : pattern.captures) {
    fields.push_back({"$parsed" + std::to_string(fields.size()), capture.type});
  }
  Extract extract{std::move(source), pattern.extractor, pattern.captures.size(), op.filter};
  std::vector<NodePtr> inputs;
  inputs.push_back(std::move(input.node));
  input.node = make_node(std::move(extract), std::move(inputs), Schema(fields));
  const auto captured = [&](std::string_view name) {
    return std::ranges::any_of(pattern.captures, [name](const PatternCapture& capture) {
      return capture.name == name;
    });
  };
  Project project;
  std::vector<Field> kept;
  const auto keep = [&](std::size_t column, std::string name) {
    project.exprs.push_back(make_column(column, fields[column].type));
    kept.push_back({std::move(name), fields[column].type});
  };
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!is_hidden(before[i].name) && !captured(before[i].name)) {
      keep(i, before[i].name);
    }
  }
  for (std::size_t i = 0; i < pattern.captures.size(); ++i) {
    keep(before.size() + i, pattern.captures[i].name);
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (is_hidden(before[i].name)) {
      keep(i, before[i].name);
    }
  }
  std::vector<NodePtr> extracted;
  extracted.push_back(std::move(input.node));
  input.node = make_node(std::move(project), std::move(extracted), Schema(std::move(kept)));
  return input;
}

}  // namespace evq::plan

#include "cli/whole_events.h"

#include <algorithm>
#include <variant>

#include "apl/syntax/ast.h"
#include "apl/syntax/parser.h"
#include "store/base/control.h"

namespace evq {
namespace {

template <class Node, class... Kinds>
bool holds_one_of(const Node& node) {
  return (std::holds_alternative<Kinds>(node) || ...);
}

// Operators whose rows have the fields of the events they come from, and perhaps more.
bool keeps_fields(const ast::OperatorNode& op) {
  return holds_one_of<ast::OperatorNode, ast::Where, ast::Search, ast::Extend, ast::ProjectAway,
                      ast::ProjectRename, ast::Limit, ast::Sample, ast::Sort, ast::Top, ast::Union,
                      ast::Parse, ast::ParseKv, ast::MvExpand, ast::Redact, ast::As>(op);
}

}  // namespace

bool shows_whole_events(std::string_view apl) {
  const auto query = syntax::parse(apl, wall_clock_now_ns());
  return query.ok() && query.value().statements.empty() &&
         std::ranges::all_of(query.value().pipelines, [](const ast::PipelinePtr& pipeline) {
           return holds_one_of<ast::SourceNode, ast::TableRef, ast::Union, ast::Search>(
                      pipeline->source) &&
                  std::ranges::all_of(pipeline->operators, [](const ast::Operator& op) {
                    return keeps_fields(op.node);
                  });
         });
}

}  // namespace evq

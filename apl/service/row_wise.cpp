#include "apl/service/row_wise.h"

#include <algorithm>

#include "apl/syntax/parser.h"
#include "store/base/control.h"

namespace evq {
namespace {

template <class... Kinds>
bool holds_any(const ast::OperatorNode& node) {
  return (std::holds_alternative<Kinds>(node) || ...);
}

// Window functions are no danger here: they need an operator that is not in this list.
bool is_row_wise(const ast::Operator& op, bool expanding) {
  return (expanding && holds_any<ast::MvExpand>(op.node)) ||
         holds_any<ast::Where, ast::Extend, ast::Project, ast::ProjectAway, ast::ProjectKeep,
                   ast::ProjectRename, ast::ProjectReorder, ast::ProjectByNames, ast::Search,
                   ast::Parse, ast::ParseKv, ast::Redact>(op.node);
}

}  // namespace

Result<std::optional<std::string>> row_wise_dataset(std::string_view apl, bool expanding) {
  EVQ_TRY_ASSIGN(const ast::Query query, syntax::parse(apl, wall_clock_now_ns()));
  std::optional<std::string> dataset;
  if (!query.statements.empty() || query.pipelines.size() != 1) {
    return dataset;
  }
  const ast::Pipeline& pipeline = *query.pipelines[0];
  const auto* table = std::get_if<ast::TableRef>(&pipeline.source);
  if (table != nullptr && !table->name.is_wild() &&
      std::ranges::all_of(pipeline.operators,
                          [&](const ast::Operator& op) { return is_row_wise(op, expanding); })) {
    dataset = table->name.text();
  }
  return dataset;
}

Result<std::optional<Span>> other_operator(std::string_view apl, bool expanding) {
  EVQ_TRY_ASSIGN(const ast::Query query, syntax::parse(apl, wall_clock_now_ns()));
  for (const auto& pipeline : query.pipelines) {
    for (const ast::Operator& op : pipeline->operators) {
      if (!is_row_wise(op, expanding)) {
        return std::optional(op.name_span);
      }
    }
  }
  return std::optional<Span>();
}

}  // namespace evq

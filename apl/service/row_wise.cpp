#include "apl/service/row_wise.h"

#include <algorithm>
#include <array>
#include <variant>
#include <vector>

#include "apl/syntax/ast_walker.h"
#include "apl/syntax/parser.h"
#include "store/base/control.h"

namespace evq {
namespace {

// Whether a table stands in the expression: then its value rests on other rows than the one at
// hand.
bool reads_table(const ast::Expr& root) {
  constexpr std::array<std::string_view, 5> kCalls = {"dataset", "materialize", "table", "toscalar",
                                                      "view"};
  bool found = false;
  ast::walk(root, [&](const ast::Expr& expr) {
    const auto* call = std::get_if<ast::Call>(&expr.node);
    found = found || std::holds_alternative<ast::Subquery>(expr.node) ||
            (call != nullptr && std::ranges::find(kCalls, call->function.text) != kCalls.end());
    return !found;
  });
  return found;
}

bool reads_table(const ast::NamedExpr& item) {
  return reads_table(*item.value);
}
bool reads_table(const ast::ExpandItem& item) {
  return reads_table(item.value);
}
bool reads_table(const ast::ExprPtr& expr) {
  return expr != nullptr && reads_table(*expr);
}
bool reads_table(const ast::Option& option) {
  return reads_table(option.value);
}

// Whether an operator makes of each event alone what it makes of it. Window functions are no danger
// here: they need an operator that is not among these.
struct RowWise {
  RowWiseForm form;

  bool operator()(const ast::Where& op) const { return admits(op.predicate); }
  bool operator()(const ast::Search& op) const { return admits(op.predicate); }
  bool operator()(const ast::Extend& op) const { return admit_all(op.items); }
  bool operator()(const ast::Project& op) const { return admit_all(op.items); }
  bool operator()(const ast::ProjectAway& /*op*/) const { return true; }
  bool operator()(const ast::ProjectKeep& /*op*/) const { return true; }
  bool operator()(const ast::ProjectRename& /*op*/) const { return true; }
  bool operator()(const ast::ProjectReorder& /*op*/) const { return true; }
  bool operator()(const ast::ProjectByNames& op) const { return admit_all(op.names); }
  bool operator()(const ast::Parse& op) const { return admits(op.value); }
  bool operator()(const ast::ParseKv& op) const {
    return admits(op.value) && admit_all(op.options);
  }
  bool operator()(const ast::Redact& op) const {
    return admit_all(op.options) && admit_all(op.patterns);
  }
  bool operator()(const ast::MvExpand& op) const {
    return form.expanding && admit_all(op.items) && admits(op.limit);
  }
  template <class Op>
  bool operator()(const Op& /*op*/) const {
    return false;
  }

  template <class Item>
  bool admits(const Item& item) const {
    return form.subqueries || !reads_table(item);
  }
  template <class Item>
  bool admit_all(const std::vector<Item>& items) const {
    return std::ranges::all_of(items, [this](const Item& item) { return admits(item); });
  }
};

bool is_row_wise(const ast::Operator& op, const RowWiseForm& form) {
  return std::visit(RowWise{form}, op.node);
}

}  // namespace

Result<std::optional<std::string>> row_wise_dataset(std::string_view apl, const RowWiseForm& form) {
  EVQ_TRY_ASSIGN(const ast::Query query, syntax::parse(apl, wall_clock_now_ns()));
  std::optional<std::string> dataset;
  if (!query.statements.empty() || query.pipelines.size() != 1) {
    return dataset;
  }
  const ast::Pipeline& pipeline = *query.pipelines[0];
  const auto* table = std::get_if<ast::TableRef>(&pipeline.source);
  if (table != nullptr && !table->name.is_wild() &&
      std::ranges::all_of(pipeline.operators,
                          [&](const ast::Operator& op) { return is_row_wise(op, form); })) {
    dataset = table->name.text();
  }
  return dataset;
}

Result<std::optional<Span>> other_operator(std::string_view apl, const RowWiseForm& form) {
  EVQ_TRY_ASSIGN(const ast::Query query, syntax::parse(apl, wall_clock_now_ns()));
  for (const auto& pipeline : query.pipelines) {
    for (const ast::Operator& op : pipeline->operators) {
      if (!is_row_wise(op, form)) {
        return std::optional(op.name_span);
      }
    }
  }
  return std::optional<Span>();
}

}  // namespace evq

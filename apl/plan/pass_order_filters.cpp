// Puts the filters of a scan in the order of what they cost a row, keeping the written order among
// equals: numbers before short texts before searches in text before regular expressions.

#include <algorithm>
#include <utility>

#include "apl/plan/optimizer.h"

namespace evq::plan {
namespace {

int own_cost(const Expr& expr) {
  const std::string_view name = expr.function->name;
  if (name.find("regex") != std::string_view::npos || name.starts_with("extract") ||
      name.starts_with("parse_")) {
    return 1000;
  }
  if (name == "op_search") {
    return 500;
  }
  if (name.starts_with("op_") && (name.find("has") != std::string_view::npos ||
                                  name.find("contains") != std::string_view::npos ||
                                  name.find("with") != std::string_view::npos)) {
    return 100;
  }
  if (name == "op_and" || name == "op_or") {
    return 1;
  }
  return name.starts_with("op_") ? 4 : 40;
}

}  // namespace

int cost_per_row(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kConstant:
      return 0;
    case ExprKind::kColumn:
      return expr.type == Type::kString ? 8 : expr.type == Type::kDynamic ? 40 : 1;
    case ExprKind::kCall:
      break;
  }
  int total = own_cost(expr);
  for (const ExprPtr& arg : expr.args) {
    total += cost_per_row(*arg);
  }
  return total;
}

NodePtr order_filters(NodePtr root, const EvalContext& /*context*/) {
  return rewrite_bottom_up(std::move(root), [](NodePtr node) -> NodePtr {
    if (auto* scan = std::get_if<Scan>(&node->op)) {
      std::ranges::stable_sort(scan->filters, {},
                               [](const ExprPtr& filter) { return cost_per_row(*filter); });
    }
    return node;
  });
}

}  // namespace evq::plan

// Puts the filters of a scan in the order of what they cost a row, keeping the written order among
// equals: numbers before short texts before searches in text before regular expressions.

#include <algorithm>
#include <utility>

#include "apl/plan/optimizer.h"

namespace evq::plan {

int cost_per_row(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kConstant:
      return 0;
    case ExprKind::kColumn:
      return expr.type == Type::kString ? 8 : expr.type == Type::kDynamic ? 40 : 1;
    case ExprKind::kCall:
      break;
  }
  auto total = static_cast<int>(expr.function->cost);
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

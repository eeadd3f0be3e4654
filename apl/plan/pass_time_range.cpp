// Filters that compare the event time with a constant become the scan's time range, which skips
// blocks by their bounds and finds the rows of a block by binary search.

#include <algorithm>
#include <limits>
#include <utility>

#include "apl/plan/optimizer.h"

namespace evq::plan {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

bool is_time(const Scan& scan, const Expr& expr) {
  return expr.is_column() && (scan.columns[expr.column].field == "_time" ||
                              scan.columns[expr.column].field == kTimeColumn);
}

bool is_instant(const Expr& expr) {
  return expr.is_constant() && expr.type == Type::kDatetime && !expr.constant.is_null();
}

// Narrows the scan's range by `column op bound`; false when the operator says nothing of a range.
bool narrow(Scan* scan, Comparison op, std::int64_t bound) {
  switch (op) {
    case Comparison::kEqual:
      scan->time_min = std::max(scan->time_min, bound);
      scan->time_max = std::min(scan->time_max, bound);
      return true;
    case Comparison::kGreaterEqual:
      scan->time_min = std::max(scan->time_min, bound);
      return true;
    case Comparison::kLessEqual:
      scan->time_max = std::min(scan->time_max, bound);
      return true;
    case Comparison::kGreater:
      if (bound == kMax) {
        return false;
      }
      scan->time_min = std::max(scan->time_min, bound + 1);
      return true;
    case Comparison::kLess:
      if (bound == kMin) {
        return false;
      }
      scan->time_max = std::min(scan->time_max, bound - 1);
      return true;
    case Comparison::kNotEqual:
      break;
  }
  return false;
}

bool absorb(Scan* scan, const Expr& filter) {
  if (filter.kind != ExprKind::kCall || !filter.function->comparison.has_value()) {
    return false;
  }
  const Comparison op = *filter.function->comparison;
  const Expr& left = *filter.args[0];
  const Expr& right = *filter.args[1];
  if (is_time(*scan, left) && is_instant(right)) {
    return narrow(scan, op, right.constant.as_integer());
  }
  if (is_time(*scan, right) && is_instant(left)) {
    return narrow(scan, mirrored(op), left.constant.as_integer());
  }
  return false;
}

}  // namespace

NodePtr tighten_time_range(NodePtr root, const EvalContext& /*context*/) {
  return rewrite_bottom_up(std::move(root), [](NodePtr node) -> NodePtr {
    if (auto* scan = std::get_if<Scan>(&node->op)) {
      std::erase_if(scan->filters, [scan](const ExprPtr& filter) { return absorb(scan, *filter); });
    }
    return node;
  });
}

}  // namespace evq::plan

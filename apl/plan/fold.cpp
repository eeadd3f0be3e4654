#include "apl/plan/fold.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "store/base/allocation_meter.h"
#include "store/base/limits.h"

namespace evq::plan {
namespace {

bool is_bool_constant(const Expr& expr, bool value) {
  return expr.is_constant() && expr.type == Type::kBool && !expr.constant.is_null() &&
         expr.constant.as_bool() == value;
}

// and(…, true, …) loses the true; and(…, false, …) is false. The other way round for or.
ExprPtr fold_logical(ExprPtr expr) {
  const bool absorbing = expr->is_call("op_or");
  for (const ExprPtr& arg : expr->args) {
    if (is_bool_constant(*arg, absorbing)) {
      return make_constant(Value::boolean(absorbing), expr->span);
    }
  }
  std::erase_if(expr->args, [&](const ExprPtr& arg) { return is_bool_constant(*arg, !absorbing); });
  expr->call.arguments.resize(expr->args.size());
  if (expr->args.empty()) {
    return make_constant(Value::boolean(!absorbing), expr->span);
  }
  if (expr->args.size() == 1) {
    return std::move(expr->args[0]);
  }
  return expr;
}

// The value of a call of constants; nothing when it is large, takes more memory than binding may,
// or the query must end: all of that is the query's to meet.
std::optional<Value> folded_value(const Expr& call, const EvalContext& context) {
  MemoryBudget budget(kUnchargedColumnBytesMax);
  AllocationMeter meter(&budget, context.control, "print");
  std::optional<Value> value;
  const Status status = meter.guard([&] {
    std::vector<Vector> args;
    args.reserve(call.args.size());
    for (const ExprPtr& arg : call.args) {
      args.push_back(Vector::constant(arg->constant, 1));
    }
    const Vector result = evaluate_call(call.call, call.function->flags, context, args, 1);
    if (result.size_bytes() <= kFoldedValueBytesMax) {
      value = result.is_null(0) ? Value::null(call.type) : result.value(0);
    }
  });
  return status.ok() ? std::move(value) : std::nullopt;
}

// Calls with one of the flags `kept` stay as they are.
ExprPtr fold_calls(ExprPtr expr, const EvalContext& context, unsigned kept) {
  if (expr->kind != ExprKind::kCall) {
    return expr;
  }
  bool constant = true;
  for (ExprPtr& arg : expr->args) {
    arg = fold_calls(std::move(arg), context, kept);
    constant = constant && arg->is_constant();
  }
  const auto flags = static_cast<unsigned>(expr->function->flags);
  const bool stopped = context.control != nullptr && context.control->should_stop();
  if (constant && !stopped && (flags & kept) == 0) {
    std::optional<Value> value = folded_value(*expr, context);
    if (!value.has_value()) {
      return expr;
    }
    ExprPtr folded = make_constant(*std::move(value), expr->span);
    folded->function = expr->function;
    return folded;
  }
  if (expr->is_call("op_and") || expr->is_call("op_or")) {
    return fold_logical(std::move(expr));
  }
  return expr;
}

}  // namespace

ExprPtr fold(ExprPtr expr, const EvalContext& context) {
  return fold_calls(std::move(expr), context, static_cast<unsigned>(FunctionFlags::kPerRow));
}

ExprPtr fold_once(ExprPtr expr, const EvalContext& context) {
  return fold_calls(std::move(expr), context, 0);
}

}  // namespace evq::plan

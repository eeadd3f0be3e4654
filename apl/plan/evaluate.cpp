#include "apl/plan/evaluate.h"

namespace evq {

Vector evaluate(const plan::Expr& expr, const EvalContext& context, std::span<const Vector> columns,
                std::size_t rows) {
  switch (expr.kind) {
    case plan::ExprKind::kColumn:
      return columns[expr.column];
    case plan::ExprKind::kConstant:
      return Vector::constant(expr.constant, rows);
    case plan::ExprKind::kCall:
      break;
  }
  std::vector<Vector> args;
  args.reserve(expr.args.size());
  for (const plan::ExprPtr& arg : expr.args) {
    args.push_back(evaluate(*arg, context, columns, rows));
  }
  return evaluate_call(expr.call, expr.function->flags, context, args, rows);
}

}  // namespace evq

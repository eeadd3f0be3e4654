#pragma once
// Constant folding: calls whose arguments are all constants become their value, and logical
// operators with constant operands are simplified. Used while binding: options and limits must be
// constants.

#include "apl/plan/expr.h"

namespace evq::plan {

// Evaluates every constant part of an expression; calls that differ per row stay.
ExprPtr fold(ExprPtr expr, const EvalContext& context);
// As fold(), but calls that differ per row are evaluated once for all rows.
ExprPtr fold_once(ExprPtr expr, const EvalContext& context);

}  // namespace evq::plan

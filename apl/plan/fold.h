#pragma once
// Constant folding: calls whose arguments are all constants become their value, and logical
// operators with constant operands are simplified. Used while binding: options and limits must be
// constants.

#include "apl/plan/expr.h"

namespace evq::plan {

// The same expression with everything constant evaluated; calls that differ per row stay.
ExprPtr fold(ExprPtr expr, const EvalContext& context);
// As fold(), and calls that differ per row are made once for all rows.
ExprPtr fold_once(ExprPtr expr, const EvalContext& context);

}  // namespace evq::plan

#pragma once
// Vectorised evaluation of bound expressions, of those that draw included. A pure function but for
// what they draw; any thread.

#include <span>

#include "apl/plan/expr.h"

namespace evq {

// The value of `expr` for each of `rows` rows, whose columns are `columns`.
Vector evaluate(const plan::Expr& expr, const EvalContext& context, std::span<const Vector> columns,
                std::size_t rows);

}  // namespace evq

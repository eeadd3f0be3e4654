#pragma once
// Vectorised evaluation of bound expressions over one chunk, and of predicates into selections.
// All functions are pure; any thread.

#include <cstdint>
#include <span>
#include <vector>

#include "apl/plan/expr.h"
#include "store/column/chunk.h"

namespace evq {

// The value of `expr` for each of the chunk's rows. A worker may reuse one Evaluator for all its
// chunks; not for use by two threads at once.
Vector evaluate(const plan::Expr& expr, const EvalContext& context,
                std::span<const Vector> columns, std::size_t rows);

// Row numbers, ascending, for which a bool vector is true (null is not).
using RowList = std::vector<std::uint32_t>;
void select_true(const Vector& predicate, RowList* out);
// True when every row of `predicate` is true; cheap for constants and dictionaries.
bool all_true(const Vector& predicate);

}  // namespace evq

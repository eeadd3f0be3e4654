#pragma once
// A function of one row that is called where summarize wants an aggregation: what may have been
// meant. Pure; any thread.

#include "apl/syntax/ast_expr.h"
#include "store/base/error.h"

namespace evq::plan {

// Adds a hint to the error of `expr`, which was bound between summarize and by: if a field is not
// grouped by and `expr` calls a scalar function, the aggregation to write instead.
Error with_aggregation_hint(Error error, const ast::Expr& expr);

}  // namespace evq::plan

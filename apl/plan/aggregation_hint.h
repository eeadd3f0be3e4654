#pragma once
// A function of one row that is called where summarize wants an aggregation: what may have been
// meant. Pure; any thread.

#include "apl/syntax/ast_expr.h"
#include "store/base/error.h"

namespace evq::plan {

// `error` of `expr`, which was bound between summarize and by: one of a field that is not grouped
// by names the aggregation to write instead of the call that the expression is, if it is one.
Error with_aggregation_hint(Error error, const ast::Expr& expr);

}  // namespace evq::plan

#pragma once
// Draws that several places of an expression share. The body of a query's own function is written
// out where it is called, with its arguments copied to where the parameters stand; an argument
// that draws its value, as f(rand()) does, must still give each row one value.

#include "apl/plan/expr.h"

namespace evq::plan {

// Makes each draw of `expr` (Expr::draw) once a row, however many copies there are. `expr` must be
// all that names its draws: those within the result are hidden from another call.
ExprPtr share_draws(ExprPtr expr);

}  // namespace evq::plan

#pragma once
// Calls that make no more of a value than what is asked for, by the `element` and `members` of a
// function's row: split(x, '/')[2] makes one part, parse_json(t).a reads one member. Pure.

#include <span>

#include "apl/plan/expr.h"

namespace evq::plan {

// Whether the function of a call has any such.
bool has_elements(const Expr& call);
// What `index`, an index or key of a call, becomes as a call of its own, which has the same type;
// null where there is none.
ExprPtr element_call(const Expr& index, const EvalContext& context);
// What the call becomes for whoever asks it for these indexes alone; it has the same type. Null
// where there is none.
ExprPtr members_call(const Expr& call, std::span<const Expr* const> indexes,
                     const EvalContext& context);

}  // namespace evq::plan

#pragma once
// Comparisons of a dynamic with constants: what a row holds decides what the constants are taken
// for, as they are beside a field of the row's own type. The binder makes them once a query; a row
// costs a look at its tag besides the comparison of its kind.

#include <functional>
#include <string_view>
#include <vector>

#include "apl/plan/expr.h"

namespace evq::plan {

// Gives the comparison of `field`, which has one of the types that a dynamic may hold; null where
// the constants, as they are, compare with it as well. Fails where a field of that type cannot
// stand beside them.
using FieldTest = std::function<Result<ExprPtr>(ExprPtr field)>;

// Whether values of the type and such a constant compare as they are.
bool compares_as_is(Type value, Type constant);

// Binds `function` over `args`, of which the one at `value` is dynamic and the others are
// constants. A row is tested as `test` has it for its type; arrays, bags, nulls and rows of types
// without a test are compared by value, as dynamics are with each other.
Result<ExprPtr> by_kind(std::string_view function, std::vector<ExprPtr> args, std::size_t value,
                        const FieldTest& test, const EvalContext& context, Span span);

}  // namespace evq::plan

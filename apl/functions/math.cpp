// The table of the mathematical functions.

#include "apl/functions/registry.h"

namespace evq {

std::span<const ScalarFunction> math_functions() { return {}; }

}  // namespace evq

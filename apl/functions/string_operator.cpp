// The table of the string_operator functions.

#include "apl/functions/registry.h"

namespace evq {

std::span<const ScalarFunction> string_operator_functions() { return {}; }

}  // namespace evq

// The table of the array functions.

#include "apl/functions/registry.h"

namespace evq {

std::span<const ScalarFunction> array_functions() { return {}; }

}  // namespace evq

// The table of the rounding functions.

#include "apl/functions/registry.h"

namespace evq {

std::span<const ScalarFunction> rounding_functions() { return {}; }

}  // namespace evq

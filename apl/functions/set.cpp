// The table of the set functions.

#include "apl/functions/registry.h"

namespace evq {

std::span<const ScalarFunction> set_functions() { return {}; }

}  // namespace evq

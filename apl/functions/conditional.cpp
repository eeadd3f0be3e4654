// The table of the conditional functions.

#include "apl/functions/registry.h"

namespace evq {

std::span<const ScalarFunction> conditional_functions() { return {}; }

}  // namespace evq

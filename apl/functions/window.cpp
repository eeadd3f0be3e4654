// The table of the window functions.

#include "apl/functions/registry.h"

namespace evq {

std::span<const ScalarFunction> window_functions() { return {}; }

}  // namespace evq

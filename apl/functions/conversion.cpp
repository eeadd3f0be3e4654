// The table of the conversion functions.

#include "apl/functions/registry.h"

namespace evq {

std::span<const ScalarFunction> conversion_functions() { return {}; }

}  // namespace evq

// The table of the string functions.

#include "apl/functions/registry.h"

namespace evq {

std::span<const ScalarFunction> string_functions() { return {}; }

}  // namespace evq

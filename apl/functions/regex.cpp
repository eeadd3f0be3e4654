// The table of the regex functions.

#include "apl/functions/registry.h"

namespace evq {

std::span<const ScalarFunction> regex_functions() { return {}; }

}  // namespace evq

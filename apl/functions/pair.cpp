// The table of the pair functions.

#include "apl/functions/registry.h"

namespace evq {

std::span<const ScalarFunction> pair_functions() { return {}; }

}  // namespace evq

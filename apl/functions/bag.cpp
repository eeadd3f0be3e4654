// The table of the bag functions.

#include "apl/functions/registry.h"

namespace evq {

std::span<const ScalarFunction> bag_functions() { return {}; }

}  // namespace evq

// The table of the IP address functions.

#include "apl/functions/registry.h"

namespace evq {

std::span<const ScalarFunction> ip_functions() { return {}; }

}  // namespace evq

// The table of the datetime functions.

#include "apl/functions/registry.h"

namespace evq {

std::span<const ScalarFunction> datetime_functions() { return {}; }

}  // namespace evq

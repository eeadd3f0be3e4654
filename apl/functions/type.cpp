// The table of the type functions.

#include "apl/functions/registry.h"

namespace evq {

std::span<const ScalarFunction> type_functions() { return {}; }

}  // namespace evq

// The table of the series functions.

#include "apl/functions/registry.h"

namespace evq {

std::span<const ScalarFunction> series_functions() { return {}; }

}  // namespace evq

// The table of the functions that fill gaps in series.

#include "apl/functions/registry.h"

namespace evq {

std::span<const ScalarFunction> series_fill_functions() { return {}; }

}  // namespace evq

// The table of the filters and transforms of series.

#include "apl/functions/registry.h"

namespace evq {

std::span<const ScalarFunction> series_filter_functions() { return {}; }

}  // namespace evq

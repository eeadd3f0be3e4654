// The table of the statistics of series.

#include "apl/functions/registry.h"

namespace evq {

std::span<const ScalarFunction> series_stats_functions() { return {}; }

}  // namespace evq

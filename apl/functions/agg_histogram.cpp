// The table of the histogram aggregates.

#include "apl/functions/registry.h"

namespace evq {

std::span<const AggregateFunction> histogram_aggregates() { return {}; }

}  // namespace evq

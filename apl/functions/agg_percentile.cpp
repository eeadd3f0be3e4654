// The table of the percentile aggregates.

#include "apl/functions/registry.h"

namespace evq {

std::span<const AggregateFunction> percentile_aggregates() { return {}; }

}  // namespace evq

// The table of the distinct aggregates.

#include "apl/functions/registry.h"

namespace evq {

std::span<const AggregateFunction> distinct_aggregates() { return {}; }

}  // namespace evq

// The table of the stats aggregates.

#include "apl/functions/registry.h"

namespace evq {

std::span<const AggregateFunction> stats_aggregates() { return {}; }

}  // namespace evq

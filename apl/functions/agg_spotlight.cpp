// The table of the spotlight aggregates.

#include "apl/functions/registry.h"

namespace evq {

std::span<const AggregateFunction> spotlight_aggregates() { return {}; }

}  // namespace evq

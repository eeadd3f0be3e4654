// The table of the list aggregates.

#include "apl/functions/registry.h"

namespace evq {

std::span<const AggregateFunction> list_aggregates() { return {}; }

}  // namespace evq

// The table of the basic aggregates.

#include "apl/functions/registry.h"

namespace evq {

std::span<const AggregateFunction> basic_aggregates() { return {}; }

}  // namespace evq

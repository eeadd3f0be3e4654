// The table of the phrases aggregates.

#include "apl/functions/registry.h"

namespace evq {

std::span<const AggregateFunction> phrases_aggregates() { return {}; }

}  // namespace evq

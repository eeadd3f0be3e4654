// The table of the topk aggregates.

#include "apl/functions/registry.h"

namespace evq {

std::span<const AggregateFunction> topk_aggregates() { return {}; }

}  // namespace evq

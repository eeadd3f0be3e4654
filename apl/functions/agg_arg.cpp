// The table of the arg aggregates.

#include "apl/functions/registry.h"

namespace evq {

std::span<const AggregateFunction> arg_aggregates() { return {}; }

}  // namespace evq

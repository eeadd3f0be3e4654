// The table of the metadata functions.

#include "apl/functions/registry.h"

namespace evq {

std::span<const ScalarFunction> metadata_functions() { return {}; }

}  // namespace evq

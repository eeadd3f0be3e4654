// The table of the encode functions.

#include "apl/functions/registry.h"

namespace evq {

std::span<const ScalarFunction> encode_functions() { return {}; }

}  // namespace evq

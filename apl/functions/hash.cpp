// The table of the hash functions.

#include "apl/functions/registry.h"

namespace evq {

std::span<const ScalarFunction> hash_functions() { return {}; }

}  // namespace evq

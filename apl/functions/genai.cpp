// The table of the functions over conversations.

#include "apl/functions/registry.h"

namespace evq {

std::span<const ScalarFunction> genai_functions() { return {}; }

}  // namespace evq

// The table of the string_search functions.

#include "apl/functions/registry.h"

namespace evq {

std::span<const ScalarFunction> string_search_functions() { return {}; }

}  // namespace evq

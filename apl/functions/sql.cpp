// The table of the SQL functions.

#include "apl/functions/registry.h"

namespace evq {

std::span<const ScalarFunction> sql_functions() { return {}; }

}  // namespace evq

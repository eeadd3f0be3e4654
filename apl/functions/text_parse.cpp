// The table of the text_parse functions.

#include "apl/functions/registry.h"

namespace evq {

std::span<const ScalarFunction> text_parse_functions() { return {}; }

}  // namespace evq

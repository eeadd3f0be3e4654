#pragma once
// The states of tdigest(): text, "tdigest:" and the bytes of a QuantileSketch in base64. Values are
// held as doubles.

#include <optional>
#include <string>
#include <string_view>

#include "apl/functions/quantile_sketch.h"

namespace evq {

// Nothing may be buffered in `sketch`.
std::string digest_text(const QuantileSketch<double>& sketch);
// Nothing for a text that is no state.
std::optional<QuantileSketch<double>> digest_of_text(std::string_view text);

}  // namespace evq

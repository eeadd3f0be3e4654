#pragma once
// The states of tdigest(): text, "tdigest:" and the bytes of a QuantileSketch in base64. Values are
// held as doubles.

#include <optional>
#include <string>
#include <string_view>

#include "apl/functions/quantile_sketch.h"

namespace evq {

// Encodes `sketch`, which must be flushed.
std::string digest_text(const QuantileSketch<double>& sketch);
// Decodes such a text; nullopt if it is none.
std::optional<QuantileSketch<double>> digest_of_text(std::string_view text);

}  // namespace evq

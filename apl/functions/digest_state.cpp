#include "apl/functions/digest_state.h"

#include "store/base/base64.h"

namespace evq {
namespace {

constexpr std::string_view kDigestPrefix = "tdigest:";

}  // namespace

std::string digest_text(const QuantileSketch<double>& sketch) {
  return std::string(kDigestPrefix) + base64_encode(sketch.serialize());
}

std::optional<QuantileSketch<double>> digest_of_text(std::string_view text) {
  if (!text.starts_with(kDigestPrefix)) {
    return std::nullopt;
  }
  const std::optional<std::string> bytes = base64_decode(text.substr(kDigestPrefix.size()));
  return bytes.has_value() ? QuantileSketch<double>::parse(*bytes) : std::nullopt;
}

}  // namespace evq

#include "apl/functions/hll_state.h"

#include "store/base/base64.h"

namespace evq {
namespace {

constexpr std::string_view kHllPrefix = "hll:";

}  // namespace

std::string hll_text(const HyperLogLog& sketch) {
  return std::string(kHllPrefix) + base64_encode(sketch.serialize());
}

std::optional<HyperLogLog> hll_of_text(std::string_view text) {
  if (!text.starts_with(kHllPrefix)) {
    return std::nullopt;
  }
  const std::optional<std::string> bytes = base64_decode(text.substr(kHllPrefix.size()));
  return bytes.has_value() ? HyperLogLog::parse(*bytes) : std::nullopt;
}

}  // namespace evq

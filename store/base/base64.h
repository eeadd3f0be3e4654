#pragma once
// Base64 as of RFC 4648, both alphabets. Pure functions; text that is no Base64 is the only thing
// that fails.

#include <optional>
#include <string>
#include <string_view>

namespace evq {

std::string base64_encode(std::string_view bytes);
// Accepts both alphabets, padded or not. Nothing when there is another character or a lone digit.
std::optional<std::string> base64_decode(std::string_view text);

}  // namespace evq

#pragma once
// Percent coding of URLs (RFC 3986). Decoding is lenient: a % that two hexadecimal digits do not
// follow stays as it is. All functions are pure.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace evq {

// Writes everything but letters, digits and -._~ as %XX, upper case. Stops soon past `bytes_max`
// bytes of output, so that a caller with a limit sees that it is exceeded.
std::string percent_encode(std::string_view text, std::size_t bytes_max = std::string_view::npos);
// What a + stands for: itself, but in a query a blank.
enum class PlusSign : std::uint8_t { kItself, kBlank };
// Decodes %XX, and + as said. Repairs malformed UTF-8.
std::string percent_decode(std::string_view text, PlusSign plus);

}  // namespace evq

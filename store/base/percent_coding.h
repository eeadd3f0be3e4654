#pragma once
// Percent coding of URLs (RFC 3986). Decoding is lenient: a % that two hexadecimal digits do not
// follow stays as it is. All functions are pure.

#include <cstddef>
#include <string>
#include <string_view>

namespace evq {

// Writes everything but letters, digits and -._~ as %XX, upper case. Stops soon past `bytes_max`
// bytes of output, so that a caller with a limit sees that it is exceeded.
std::string percent_encode(std::string_view text, std::size_t bytes_max = std::string_view::npos);
// Decodes %XX, and + as a blank with `plus_is_blank`, as in queries. Repairs malformed UTF-8.
std::string percent_decode(std::string_view text, bool plus_is_blank);

}  // namespace evq

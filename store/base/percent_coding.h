#pragma once
// Percent coding of URLs (RFC 3986). Decoding is lenient: a % that two hexadecimal digits do not
// follow stays as it is. All functions are pure.

#include <cstddef>
#include <string>
#include <string_view>

namespace evq {

// Everything but letters, digits and -._~ becomes %XX, upper case. It stops soon past `bytes_max`,
// so that who has a limit sees that it is passed.
std::string percent_encode(std::string_view text, std::size_t bytes_max = std::string_view::npos);
// `plus_is_blank` reads + as a blank, as in queries. Malformed UTF-8 is repaired.
std::string percent_decode(std::string_view text, bool plus_is_blank);

}  // namespace evq

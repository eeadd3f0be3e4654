#pragma once
// Percent coding of URLs (RFC 3986). Decoding is lenient: a % that two hexadecimal digits do not
// follow stays as it is. All functions are pure.

#include <string>
#include <string_view>

namespace evq {

// Everything but letters, digits and -._~ becomes %XX, upper case. Stops past kStringValueBytesMax.
std::string percent_encode(std::string_view text);
// `plus_is_blank` reads + as a blank, as in queries. Malformed UTF-8 is repaired.
std::string percent_decode(std::string_view text, bool plus_is_blank);

}  // namespace evq

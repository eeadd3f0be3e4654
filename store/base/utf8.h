#pragma once
// UTF-8 text: validation, repair, iteration, case. Stored strings are always valid, but every
// function here is total: it accepts any bytes and reads a malformed part as U+FFFD, one for each
// maximal subpart, as the Unicode standard recommends. Case follows Unicode's simple mappings (one
// code point to one), so folding never changes the number of code points.
// ASCII text takes a fast path everywhere. All functions are pure.

#include <cstddef>
#include <string>
#include <string_view>

namespace evq {

inline constexpr char32_t kReplacementCodePoint = 0xFFFD;
inline constexpr std::size_t kUtf8BytesMax = 4;
// U+FEFF, with which programs on Windows begin a text to say that it is UTF-8.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_ascii(std::string_view text);
bool is_valid_utf8(std::string_view text);
// Size in bytes of the longest valid prefix; text.size() when all is valid.
std::size_t valid_utf8_prefix(std::string_view text);
// The text with malformed parts replaced by U+FFFD.
std::string repair_utf8(std::string_view text);
// The text without the byte order mark that it may begin with.
std::string_view without_byte_order_mark(std::string_view text);
// The longest prefix of at most `bytes_max` bytes that cuts no code point apart.
std::string_view utf8_prefix(std::string_view text, std::size_t bytes_max);

// The code point at `position`, which moves past it. `position` must be below text.size().
char32_t next_code_point(std::string_view text, std::size_t& position);
// The code point that ends at `position`, which moves to its start. `position` must be above 0.
char32_t previous_code_point(std::string_view text, std::size_t& position);
std::size_t count_code_points(std::string_view text);
// The byte offset of code point number `index`; text.size() when there are not that many.
std::size_t code_point_offset(std::string_view text, std::size_t index);
// Appends UTF-8; surrogates and values past U+10FFFF become U+FFFD.
void append_code_point(std::string& out, char32_t code_point);

char32_t fold_code_point(char32_t code_point);
char32_t lower_code_point(char32_t code_point);
char32_t upper_code_point(char32_t code_point);
// Case-folded text: two texts are equal without case exactly when their foldings are equal.
std::string fold_case(std::string_view text);
void append_folded(std::string& out, std::string_view text);
std::string to_lower(std::string_view text);
std::string to_upper(std::string_view text);
// The first letter of every run of letters and digits in title case, the others in lower case.
std::string to_title(std::string_view text);
// Compares by folding, without building either folded text.
bool equals_folded(std::string_view a, std::string_view b);

// Letters and decimal digits of any script: what terms are made of.
bool is_alphanumeric(char32_t code_point);
// Unicode white space, the ASCII control blanks included.
bool is_space(char32_t code_point);
// Terminal cells of a code point: 0 (combining, control), 1 or 2.
int code_point_width(char32_t code_point);

}  // namespace evq

#pragma once
// Classes and cases of ASCII characters, whatever the locale, the values of digits, and texts by
// their blanks and lines; any other byte belongs to no class and keeps its case (utf8.h knows all
// letters). Nothing fails, and any thread may call.

#include <algorithm>
#include <string>
#include <string_view>

namespace evq {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr char to_upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

constexpr bool is_letter(char c) {
  return to_lower(c) >= 'a' && to_lower(c) <= 'z';
}

constexpr bool is_letter_or_digit(char c) {
  return is_letter(c) || is_digit(c);
}

// The value of a hexadecimal digit of either case; -1 for any other character.
constexpr int hex_digit(char c) {
  if (is_digit(c)) {
    return c - '0';
  }
  const char lower = to_lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

inline constexpr std::string_view kHexDigits = "0123456789abcdef";

// Appends each byte as two lower-case hexadecimal digits.
inline void append_hex(std::string_view bytes, std::string* out) {
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out->push_back(kHexDigits[byte >> 4U]);
    out->push_back(kHexDigits[byte & 15U]);
  }
}

// The text with its ASCII letters in lower case: for names and keywords.
inline std::string ascii_lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) { return to_lower(c); });
  return lower;
}

constexpr bool equals_ignoring_ascii_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return to_lower(x) == to_lower(y); });
}

// The white space of JSON, line ends included.
inline constexpr std::string_view kBlanks = " \t\r\n";

constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// The text without blanks at its ends.
constexpr std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_blank(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

constexpr bool is_blank(std::string_view text) {
  return text.find_first_not_of(kBlanks) == std::string_view::npos;
}

// Takes the first line off `rest` and gives it without its end, "\n" or "\r\n".
constexpr std::string_view take_line(std::string_view* rest) {
  std::string_view line = rest->substr(0, rest->find('\n'));
  rest->remove_prefix(std::min(line.size() + 1, rest->size()));
  line.remove_suffix(line.ends_with('\r') ? 1 : 0);
  return line;
}

}  // namespace evq

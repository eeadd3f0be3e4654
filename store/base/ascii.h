#pragma once
// Classes and cases of ASCII characters, whatever the locale, and the values of digits; any other
// byte belongs to no class and keeps its case (utf8.h knows all letters). Nothing fails, and any
// thread may call.

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

// The text with its ASCII letters in lower case: for names and keywords.
inline std::string ascii_lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) { return to_lower(c); });
  return lower;
}

}  // namespace evq

#pragma once
// Classes of ASCII characters, whatever the locale, and the values of digits. Nothing fails, and
// any thread may call.

namespace evq {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The value of a hexadecimal digit of either case; -1 for any other character.
constexpr int hex_digit(char c) {
  if (is_digit(c)) {
    return c - '0';
  }
  if (c >= 'a' && c <= 'f') {
    return c - 'a' + 10;
  }
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace evq

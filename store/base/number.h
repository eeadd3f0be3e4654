#pragma once
// Text to numbers and back, exact in both directions: a real is printed with the fewest digits that
// read back as the same double. Independent of the locale. Readers take the whole text, without
// blanks, and return nothing on failure. All functions are pure.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace evq {

// Reads [+-]?digits within int64.
std::optional<std::int64_t> parse_int(std::string_view text);
// Reads [+]?digits within uint64.
std::optional<std::uint64_t> parse_uint(std::string_view text);
// Reads decimal notation with optional fraction and exponent, and inf, infinity, nan in any case,
// with a sign. Gives the nearest double, as strtod; an infinity when too large, zero if too small.
std::optional<double> parse_real(std::string_view text);

// A double as an int64, rounded toward zero; nothing for NaN and outside of int64.
std::optional<std::int64_t> int_from_real(double value);

// Every integer up to this size is a double; beyond it some are not.
inline constexpr std::int64_t kExactIntegerMax = std::int64_t{1} << 53;
constexpr bool is_exact_as_real(std::int64_t value) {
  return value >= -kExactIntegerMax && value <= kExactIntegerMax;
}

inline constexpr std::size_t kNumberTextBytesMax = 32;
// Each writes at most kNumberTextBytesMax bytes at `buffer` and returns the end.
char* write_int(std::int64_t value, char* buffer);
char* write_uint(std::uint64_t value, char* buffer);
// Like tostring(): 1, 0.1, 1e+21, 1e-05, NaN, +Inf, -Inf (an exponent if below -4 or from 21 on).
char* write_real(double value, char* buffer);
// As a JSON number: 1, 0.1, 1e+21, 1e-7; NaN and infinities are null. Negative zero is -0.
char* write_real_json(double value, char* buffer);

void append_int(std::string& out, std::int64_t value);
void append_uint(std::string& out, std::uint64_t value);
void append_real(std::string& out, double value);
void append_real_json(std::string& out, double value);

}  // namespace evq

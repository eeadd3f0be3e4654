#include "store/base/number.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <system_error>

namespace evq {

namespace {

// The shortest digits that read back as the same double, value = 0.d1d2d3… × 10^point.
struct Decimal {
  std::array<char, 24> digits{};
  int count = 0;
  int point = 0;
};

Decimal shortest_decimal(double magnitude) {
  std::array<char, kNumberTextBytesMax> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), magnitude,
                                     std::chars_format::scientific);
  Decimal decimal;
  const char* at = text.data();
  for (; at != written.ptr && *at != 'e'; ++at) {
    if (*at != '.') {
      decimal.digits[static_cast<std::size_t>(decimal.count++)] = *at;
    }
  }
  int exponent = 0;
  if (at != written.ptr) {
    const bool negative = at[1] == '-';
    static_cast<void>(std::from_chars(at + 2, written.ptr, exponent));
    exponent = negative ? -exponent : exponent;
  }
  decimal.point = exponent + 1;
  return decimal;
}

char* write_text(std::string_view text, char* buffer) {
  std::memcpy(buffer, text.data(), text.size());
  return buffer + text.size();
}

char* write_positional(const Decimal& decimal, char* out) {
  if (decimal.point <= 0) {
    out = write_text("0.", out);
    for (int i = decimal.point; i < 0; ++i) {
      *out++ = '0';
    }
    return write_text({decimal.digits.data(), static_cast<std::size_t>(decimal.count)}, out);
  }
  for (int i = 0; i < decimal.count; ++i) {
    if (i == decimal.point) {
      *out++ = '.';
    }
    *out++ = decimal.digits[static_cast<std::size_t>(i)];
  }
  for (int i = decimal.count; i < decimal.point; ++i) {
    *out++ = '0';
  }
  return out;
}

char* write_scientific(const Decimal& decimal, int exponent_digits_min, char* out) {
  *out++ = decimal.digits[0];
  if (decimal.count > 1) {
    *out++ = '.';
    out = write_text({decimal.digits.data() + 1, static_cast<std::size_t>(decimal.count - 1)}, out);
  }
  int exponent = decimal.point - 1;
  *out++ = 'e';
  *out++ = exponent < 0 ? '-' : '+';
  exponent = std::abs(exponent);
  if (exponent < 10 && exponent_digits_min > 1) {
    *out++ = '0';
  }
  return write_int(exponent, out);
}

// Exponents below `exponent_min` or from 21 on are written in scientific notation.
char* write_finite(double value, int exponent_min, int exponent_digits_min, char* out) {
  if (std::signbit(value)) {
    *out++ = '-';
  }
  const double magnitude = std::fabs(value);
  // Whole numbers are most reals of logs; up to 2^53 their digits are those of the integer.
  if (magnitude < 9007199254740992.0) {
    const auto whole = static_cast<std::int64_t>(magnitude);
    if (static_cast<double>(whole) == magnitude) {
      return write_int(whole, out);
    }
  }
  const Decimal decimal = shortest_decimal(magnitude);
  const int exponent = decimal.point - 1;
  if (exponent < exponent_min || exponent >= 21) {
    return write_scientific(decimal, exponent_digits_min, out);
  }
  return write_positional(decimal, out);
}

template <class Write, class Value>
void append_with(std::string& out, Write write, Value value) {
  std::array<char, kNumberTextBytesMax> text{};
  char* end = write(value, text.data());
  out.append(text.data(), static_cast<std::size_t>(end - text.data()));
}

// from_chars knows no plus sign; one before a minus stays, and fails there.
std::string_view without_plus(std::string_view text) {
  const bool plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
  return text.substr(plus ? 1 : 0);
}

template <class Whole>
std::optional<Whole> parse_whole(std::string_view text) {
  text = without_plus(text);
  Whole value = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc{} || read.ptr != end) {
    return std::nullopt;
  }
  return value;
}

// from_chars leaves the value alone when it is out of range; strtod says which side it left on.
double out_of_range_real(std::string_view text) {
  const std::string copy(text);
  return std::strtod(copy.c_str(), nullptr);
}

}  // namespace

std::optional<std::int64_t> parse_int(std::string_view text) {
  return parse_whole<std::int64_t>(text);
}

std::optional<std::uint64_t> parse_uint(std::string_view text) {
  return parse_whole<std::uint64_t>(text);
}

std::optional<double> parse_real(std::string_view text) {
  text = without_plus(text);
  // "nan(chars)" is a C notation that no log means.
  if (text.empty() || text.back() == ')') {
    return std::nullopt;
  }
  double value = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ptr != end || read.ec == std::errc::invalid_argument) {
    return std::nullopt;
  }
  if (read.ec == std::errc::result_out_of_range) {
    return out_of_range_real(text);
  }
  return value;
}

std::optional<std::int64_t> int_from_real(double value) {
  // 2^63 is exact as a double; the comparison is false for NaN.
  if (!(value >= -9223372036854775808.0 && value < 9223372036854775808.0)) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(value);
}

char* write_int(std::int64_t value, char* buffer) {
  return std::to_chars(buffer, buffer + kNumberTextBytesMax, value).ptr;
}

char* write_uint(std::uint64_t value, char* buffer) {
  return std::to_chars(buffer, buffer + kNumberTextBytesMax, value).ptr;
}

char* write_real(double value, char* buffer) {
  if (std::isnan(value)) {
    return write_text("NaN", buffer);
  }
  if (std::isinf(value)) {
    return write_text(value < 0 ? "-Inf" : "+Inf", buffer);
  }
  return write_finite(value, -4, 2, buffer);
}

char* write_real_json(double value, char* buffer) {
  if (!std::isfinite(value)) {
    return write_text("null", buffer);
  }
  return write_finite(value, -6, 1, buffer);
}

void append_int(std::string& out, std::int64_t value) {
  append_with(out, write_int, value);
}

void append_uint(std::string& out, std::uint64_t value) {
  append_with(out, write_uint, value);
}

void append_real(std::string& out, double value) {
  append_with(out, write_real, value);
}

void append_real_json(std::string& out, double value) {
  append_with(out, write_real_json, value);
}

}  // namespace evq

#include "store/ingest/json_text.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string>

#include "store/base/ascii.h"
#include "store/base/number.h"

namespace evq {

namespace {

// Follows the brackets and strings of JSON.
class Nesting {
 public:
  // Takes the next character; false when a bracket closes that was the outermost.
  bool take(char c) {
    if (in_string_) {
      in_string_ = escaped_ || c != '"';
      escaped_ = !escaped_ && c == '\\';
    } else if (c == '"') {
      in_string_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if ((c == '}' || c == ']') && depth_ > 0) {
      return --depth_ != 0;
    }
    return true;
  }
  bool is_closed() const { return depth_ == 0 && !in_string_; }

 private:
  std::size_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
};

// Powers of ten that a double holds exactly. Clinger's fast path: a mantissa below 2^53 times or
// divided by one of them is rounded once, so it is the nearest double.
constexpr std::array<double, 23> kPowersOfTen = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr std::uint64_t kExactMantissaMax = std::uint64_t{1} << 53;
// So many digits always fit 64 bits.
constexpr std::ptrdiff_t kSafeDigits = 18;
constexpr std::size_t kHexDigits = 4;

unsigned digit_of(char c) {
  return static_cast<unsigned>(static_cast<unsigned char>(c)) - '0';
}

JsonNumber invalid_at(const char* place) {
  JsonNumber number;
  number.end = place;
  return number;
}

JsonNumber real_of(double value, const char* end) {
  JsonNumber number;
  number.kind = std::isinf(value) ? JsonNumberKind::kTooLarge : JsonNumberKind::kReal;
  number.real = value;
  number.end = end;
  return number;
}

JsonNumber slow_real(const char* begin, const char* end) {
  const std::string_view text(begin, static_cast<std::size_t>(end - begin));
  return real_of(parse_real(text).value_or(std::numeric_limits<double>::infinity()), end);
}

JsonNumber long_integer(const char* begin, const char* end) {
  const std::string_view text(begin, static_cast<std::size_t>(end - begin));
  if (const auto value = parse_int(text)) {
    JsonNumber number;
    number.kind = JsonNumberKind::kLong;
    number.integer = *value;
    number.end = end;
    return number;
  }
  JsonNumber number = slow_real(begin, end);
  std::string written;
  append_real_json(written, number.real);
  if (number.kind == JsonNumberKind::kReal && written != text) {
    number.kind = JsonNumberKind::kWidened;
  }
  return number;
}

}  // namespace

JsonNumber read_json_number(const char* begin, const char* end) {
  const char* p = begin;
  const bool negative = p < end && *p == '-';
  p += negative ? 1 : 0;
  const char* digits = p;
  std::uint64_t mantissa = 0;
  while (p < end && digit_of(*p) < 10) {
    mantissa = mantissa * 10 + digit_of(*p);
    ++p;
  }
  if (p == digits || (*digits == '0' && p - digits > 1)) {
    return invalid_at(p == digits ? p : digits + 1);
  }
  if (p == end || (*p != '.' && *p != 'e' && *p != 'E')) {
    if (p - digits > kSafeDigits) {
      return long_integer(begin, p);
    }
    JsonNumber number;
    number.kind = JsonNumberKind::kLong;
    number.integer =
        negative ? -static_cast<std::int64_t>(mantissa) : static_cast<std::int64_t>(mantissa);
    number.end = p;
    return number;
  }
  std::ptrdiff_t digit_count = p - digits;
  std::ptrdiff_t scale = 0;
  if (*p == '.') {
    const char* fraction = ++p;
    while (p < end && digit_of(*p) < 10) {
      mantissa = mantissa * 10 + digit_of(*p);
      ++p;
    }
    scale = p - fraction;
    digit_count += scale;
    if (scale == 0) {
      return invalid_at(p);
    }
  }
  if (p < end && (*p == 'e' || *p == 'E')) {
    ++p;
    p += p < end && (*p == '+' || *p == '-') ? 1 : 0;
    const char* exponent = p;
    while (p < end && digit_of(*p) < 10) {
      ++p;
    }
    return p == exponent ? invalid_at(p) : slow_real(begin, p);
  }
  if (digit_count <= kSafeDigits && mantissa <= kExactMantissaMax &&
      scale < static_cast<std::ptrdiff_t>(kPowersOfTen.size())) {
    const double value =
        static_cast<double>(mantissa) / kPowersOfTen[static_cast<std::size_t>(scale)];
    return real_of(negative ? -value : value, p);
  }
  return slow_real(begin, p);
}

namespace {

// The four hex digits at the start of `text`, or nothing (negative).
int read_hex4(std::string_view text) {
  if (text.size() < kHexDigits) {
    return -1;
  }
  int value = 0;
  for (std::size_t i = 0; i < kHexDigits; ++i) {
    const int digit = hex_digit(text[i]);
    if (digit < 0) {
      return -1;
    }
    value = value * 16 + digit;
  }
  return value;
}

char* write_code_point(char32_t c, char* out) {
  const auto put = [&out](char32_t byte) { *out++ = static_cast<char>(byte); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | (c >> 6));
    put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | (c >> 12));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | (c >> 18));
    put(0x80 | ((c >> 12) & 0x3F));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  }
  return out;
}

// The character behind a one-letter escape, or 0.
char simple_escape(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '/':
      return c;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return '\0';
  }
}

constexpr std::size_t kHexEscapeBytes = 4;

// The byte of the `\xHH` at the start of `text`.
std::optional<char> read_hex_escape(std::string_view text) {
  if (text.size() < kHexEscapeBytes || text[1] != 'x' || hex_digit(text[2]) < 0 ||
      hex_digit(text[3]) < 0) {
    return std::nullopt;
  }
  return static_cast<char>(hex_digit(text[2]) * 16 + hex_digit(text[3]));
}

// Reads the escape at the start of `text` (after `\u`), moves `used` past it.
bool read_unicode_escape(std::string_view text, char32_t& code_point, std::size_t& used,
                         bool& repaired) {
  const int first = read_hex4(text);
  if (first < 0) {
    return false;
  }
  used = kHexDigits;
  code_point = static_cast<char32_t>(first);
  if (first >= 0xD800 && first < 0xDC00 && text.size() >= 2 * kHexDigits + 2 && text[4] == '\\' &&
      text[5] == 'u') {
    const int second = read_hex4(text.substr(6));
    if (second >= 0xDC00 && second < 0xE000) {
      code_point = static_cast<char32_t>(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00));
      used = 2 * kHexDigits + 2;
      return true;
    }
  }
  if (first >= 0xD800 && first < 0xE000) {
    code_point = 0xFFFD;
    repaired = true;
  }
  return true;
}

}  // namespace

JsonUnescaped unescape_json(std::string_view text, char* out) {
  JsonUnescaped result;
  char* to = out;
  std::size_t i = 0;
  while (i < text.size()) {
    const void* found = std::memchr(text.data() + i, '\\', text.size() - i);
    const std::size_t run_end =
        found == nullptr ? text.size()
                         : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
    std::memcpy(to, text.data() + i, run_end - i);
    to += run_end - i;
    i = run_end;
    if (i == text.size()) {
      break;
    }
    result.fault = i;
    if (i + 1 == text.size()) {
      result.valid = false;
      return result;
    }
    if (text[i + 1] == 'u') {
      char32_t code_point = 0;
      std::size_t used = 0;
      if (!read_unicode_escape(text.substr(i + 2), code_point, used, result.repaired)) {
        result.valid = false;
        return result;
      }
      to = write_code_point(code_point, to);
      i += 2 + used;
      continue;
    }
    if (const auto byte = read_hex_escape(text.substr(i))) {
      result.hex = true;
      *to++ = *byte;
      i += kHexEscapeBytes;
      continue;
    }
    const char plain = simple_escape(text[i + 1]);
    if (plain == '\0') {
      result.valid = false;
      return result;
    }
    *to++ = plain;
    i += 2;
  }
  result.size = static_cast<std::size_t>(to - out);
  return result;
}

bool is_balanced(std::string_view line) {
  Nesting nesting;
  for (const char c : line) {
    nesting.take(c);
  }
  return nesting.is_closed();
}

std::size_t end_of_value(std::string_view text) {
  Nesting nesting;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!nesting.take(text[i])) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

}  // namespace evq

#pragma once
// The parts of JSON text that the fast and the tolerant parser share, numbers and string escapes,
// and its nesting, by which a format is told. Pure functions over bytes; none reads past `end`.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace evq {

inline bool is_json_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// The place of the first byte from `i` on that is no blank; the end of the text where there is
// none.
inline std::size_t skip_json_blanks(std::string_view text, std::size_t i) {
  while (i < text.size() && is_json_blank(text[i])) {
    ++i;
  }
  return i;
}

enum class JsonNumberKind : std::uint8_t {
  kInvalid,
  kLong,
  kReal,
  kWidened,   // an integer outside of int64, as the nearest double, which is written otherwise
  kTooLarge,  // beyond every double
};

struct JsonNumber {
  JsonNumberKind kind = JsonNumberKind::kInvalid;
  std::int64_t integer = 0;
  double real = 0;
  const char* end = nullptr;  // after the number; where it went wrong when invalid
};

// Reads the longest JSON number at `begin`.
JsonNumber read_json_number(const char* begin, const char* end);

struct JsonUnescaped {
  std::size_t size = 0;   // bytes written
  bool repaired = false;  // lone surrogates became U+FFFD
  bool hex = false;       // \xHH, which JSON does not have but nginx writes, became its byte
  bool valid = true;
  std::size_t fault = 0;  // where in `text` the bad escape is
};

// Writes `text`, the inside of a JSON string, without its escapes; never longer than `text`.
JsonUnescaped unescape_json(std::string_view text, char* out);

// True when all brackets and strings of a line are closed at its end.
bool is_balanced(std::string_view line);

// Where the value ends that `text` begins with, an array or an object: npos when it goes on.
std::size_t end_of_value(std::string_view text);

}  // namespace evq

#pragma once
// The parts of JSON text that the fast and the tolerant parser share: numbers and string escapes.
// Pure functions over bytes; none reads past `end`.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace evq {

inline bool is_json_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
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

}  // namespace evq

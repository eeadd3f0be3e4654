#include "store/base/json_writer.h"

#include <array>
#include <bit>
#include <cstring>

#include "store/base/ascii.h"
#include "store/base/number.h"
#include "store/base/time.h"

namespace evq {

namespace {

// True for the bytes JSON strings may not hold as they are.
bool needs_escape(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\';
}

// How many bytes from the start need no escape: eight at a time, by arithmetic on the word that
// sets the top bit of each lane holding a byte below 0x20, a quote or a backslash. A borrow can
// set a false bit only above a true one, and the lowest bit is the one used.
std::size_t plain_prefix(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
  constexpr std::uint64_t kTops = 0x8080808080808080ULL;
  std::size_t i = 0;
  while (text.size() - i >= sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + i, sizeof word);
    const std::uint64_t quote = word ^ (kOnes * '"');
    const std::uint64_t backslash = word ^ (kOnes * '\\');
    const std::uint64_t found = (((word - kOnes * 0x20) & ~word) | ((quote - kOnes) & ~quote) |
                                 ((backslash - kOnes) & ~backslash)) &
                                kTops;
    if (found != 0) {
      return i + static_cast<std::size_t>(std::countr_zero(found)) / 8;
    }
    i += sizeof word;
  }
  while (i < text.size() && !needs_escape(text[i])) {
    ++i;
  }
  return i;
}

void append_escaped(std::string& out, char c) {
  switch (c) {
    case '"':
      out.append("\\\"");
      return;
    case '\\':
      out.append("\\\\");
      return;
    case '\n':
      out.append("\\n");
      return;
    case '\r':
      out.append("\\r");
      return;
    case '\t':
      out.append("\\t");
      return;
    case '\b':
      out.append("\\b");
      return;
    case '\f':
      out.append("\\f");
      return;
    default:
      out.append("\\u00");
      out.push_back(kHexDigits[static_cast<unsigned char>(c) >> 4]);
      out.push_back(kHexDigits[static_cast<unsigned char>(c) & 0xF]);
  }
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out.push_back('"');
  for (;;) {
    const std::size_t plain = plain_prefix(text);
    out.append(text.data(), plain);
    if (plain == text.size()) {
      break;
    }
    append_escaped(out, text[plain]);
    text.remove_prefix(plain + 1);
  }
  out.push_back('"');
}

void JsonWriter::open(char bracket) {
  separate();
  out_.push_back(bracket);
  comma_due_ = false;
}

void JsonWriter::close(char bracket) {
  out_.push_back(bracket);
  comma_due_ = true;
}

void JsonWriter::key(std::string_view name) {
  separate();
  append_json_string(out_, name);
  out_.push_back(':');
  comma_due_ = false;
}

void JsonWriter::string(std::string_view text) {
  separate();
  append_json_string(out_, text);
}

void JsonWriter::integer(std::int64_t value) {
  separate();
  append_int(out_, value);
}

void JsonWriter::unsigned_integer(std::uint64_t value) {
  separate();
  append_uint(out_, value);
}

void JsonWriter::real(double value) {
  separate();
  append_real_json(out_, value);
}

void JsonWriter::boolean(bool value) {
  separate();
  out_.append(value ? "true" : "false");
}

void JsonWriter::null() {
  separate();
  out_.append("null");
}

void JsonWriter::raw(std::string_view json) {
  separate();
  out_.append(json);
}

void JsonWriter::instant(std::int64_t ns) {
  separate();
  std::array<char, kInstantTextBytesMax + 2> text{};
  text[0] = '"';
  char* end = write_instant(ns, text.data() + 1);
  *end++ = '"';
  out_.append(text.data(), static_cast<std::size_t>(end - text.data()));
}

void JsonWriter::new_line() {
  out_.push_back('\n');
  comma_due_ = false;
}

}  // namespace evq

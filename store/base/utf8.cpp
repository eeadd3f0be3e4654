#include "store/base/utf8.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include <utf8proc.h>

namespace evq {

namespace {

constexpr std::uint64_t kTopBits = 0x8080808080808080ULL;

// How many bytes from `position` on are ASCII, looking at 32 bytes at a time.
std::size_t ascii_run(std::string_view text, std::size_t position) {
  const char* data = text.data();
  std::size_t at = position;
  while (text.size() - at >= 32) {
    std::array<std::uint64_t, 4> words{};
    std::memcpy(words.data(), data + at, sizeof words);
    if (((words[0] | words[1] | words[2] | words[3]) & kTopBits) != 0) {
      break;
    }
    at += 32;
  }
  std::uint64_t word = 0;
  while (text.size() - at >= sizeof(word)) {
    std::memcpy(&word, data + at, sizeof(word));
    if ((word & kTopBits) != 0) {
      return at - position + static_cast<std::size_t>(std::countr_zero(word & kTopBits)) / 8;
    }
    at += sizeof(word);
  }
  if (at < text.size() && text.size() >= sizeof(word)) {  // the rest, with some of what was seen
    std::memcpy(&word, data + text.size() - sizeof(word), sizeof(word));
    if ((word & kTopBits) == 0) {
      return text.size() - position;
    }
  }
  while (at < text.size() && static_cast<unsigned char>(data[at]) < 0x80) {
    ++at;
  }
  return at - position;
}

struct Decoded {
  char32_t code_point = kReplacementCodePoint;
  std::size_t size = 1;  // bytes; of a malformed part, of its maximal subpart
  bool valid = false;
};

// What the second byte after a lead byte may be (Unicode, table 3-7): it excludes overlong forms,
// surrogates and values past U+10FFFF, so the other bytes need no test but being continuations.
struct Lead {
  std::size_t size;
  unsigned char second_min;
  unsigned char second_max;
};

Lead lead_of(unsigned char byte) {
  if (byte >= 0xC2 && byte <= 0xDF) {
    return {2, 0x80, 0xBF};
  }
  if (byte >= 0xE0 && byte <= 0xEF) {
    return {3, static_cast<unsigned char>(byte == 0xE0 ? 0xA0 : 0x80),
            static_cast<unsigned char>(byte == 0xED ? 0x9F : 0xBF)};
  }
  if (byte >= 0xF0 && byte <= 0xF4) {
    return {4, static_cast<unsigned char>(byte == 0xF0 ? 0x90 : 0x80),
            static_cast<unsigned char>(byte == 0xF4 ? 0x8F : 0xBF)};
  }
  return {1, 0, 0};
}

Decoded decode(std::string_view text, std::size_t position) {
  const auto byte_at = [&](std::size_t index) { return static_cast<unsigned char>(text[index]); };
  const unsigned char first = byte_at(position);
  if (first < 0x80) {
    return {first, 1, true};
  }
  const Lead lead = lead_of(first);
  if (lead.size == 1 || position + 1 >= text.size() || byte_at(position + 1) < lead.second_min ||
      byte_at(position + 1) > lead.second_max) {
    return {};
  }
  auto value = static_cast<std::uint32_t>(first & (0x7FU >> lead.size));
  value = (value << 6) | (byte_at(position + 1) & 0x3FU);
  for (std::size_t i = 2; i < lead.size; ++i) {
    if (position + i >= text.size() || (byte_at(position + i) & 0xC0U) != 0x80) {
      return {kReplacementCodePoint, i, false};
    }
    value = (value << 6) | (byte_at(position + i) & 0x3FU);
  }
  return {static_cast<char32_t>(value), lead.size, true};
}

utf8proc_int32_t raw(char32_t code_point) {
  return static_cast<utf8proc_int32_t>(code_point);
}

char32_t ascii_lower(char32_t c) {
  return c >= 'A' && c <= 'Z' ? c + 32 : c;
}
char32_t ascii_upper(char32_t c) {
  return c >= 'a' && c <= 'z' ? c - 32 : c;
}

// Unicode gives the sharp s no simple capital, though the library does.
constexpr char32_t kSharpS = 0xDF;

char32_t title_code_point(char32_t code_point) {
  if (code_point < 0x80) {
    return ascii_upper(code_point);
  }
  return code_point == kSharpS ? code_point
                               : static_cast<char32_t>(utf8proc_totitle(raw(code_point)));
}

// Appends `text` with each code point mapped; ASCII runs by a loop the compiler can vectorise.
template <class AsciiMap, class Map>
void append_mapped(std::string& out, std::string_view text, AsciiMap ascii_map, Map map) {
  std::size_t position = 0;
  while (position < text.size()) {
    const std::size_t run = ascii_run(text, position);
    const std::size_t start = out.size();
    out.append(text.data() + position, run);
    std::transform(out.begin() + static_cast<std::ptrdiff_t>(start), out.end(),
                   out.begin() + static_cast<std::ptrdiff_t>(start), ascii_map);
    position += run;
    if (position < text.size()) {
      append_code_point(out, map(next_code_point(text, position)));
    }
  }
}

char lower_byte(char c) {
  return static_cast<char>(c + (c >= 'A' && c <= 'Z' ? 32 : 0));
}
char upper_byte(char c) {
  return static_cast<char>(c - (c >= 'a' && c <= 'z' ? 32 : 0));
}

}  // namespace

bool is_ascii(std::string_view text) {
  return ascii_run(text, 0) == text.size();
}

std::size_t valid_utf8_prefix(std::string_view text) {
  std::size_t position = 0;
  while (position < text.size()) {
    if (static_cast<unsigned char>(text[position]) < 0x80) {
      position += ascii_run(text, position);
      continue;
    }
    const Decoded decoded = decode(text, position);
    if (!decoded.valid) {
      return position;
    }
    position += decoded.size;
  }
  return position;
}

bool is_valid_utf8(std::string_view text) {
  return valid_utf8_prefix(text) == text.size();
}

std::string repair_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t valid = valid_utf8_prefix(text);
    out.append(text.data(), valid);
    text.remove_prefix(valid);
    if (!text.empty()) {
      append_code_point(out, kReplacementCodePoint);
      text.remove_prefix(decode(text, 0).size);
    }
  }
  return out;
}

std::string_view without_byte_order_mark(std::string_view text) {
  return text.substr(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
}

std::string_view utf8_prefix(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) {
    return text;
  }
  const auto continues = [text](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80;
  };
  std::size_t size = bytes_max;
  for (std::size_t back = 1; back < kUtf8BytesMax && size > 0 && continues(size); ++back) {
    --size;
  }
  return text.substr(0, continues(size) ? bytes_max : size);  // of a malformed part, any
}

char32_t next_code_point(std::string_view text, std::size_t& position) {
  const Decoded decoded = decode(text, position);
  position += decoded.size;
  return decoded.code_point;
}

char32_t previous_code_point(std::string_view text, std::size_t& position) {
  // The part that ends here starts at most four bytes back, and going forward from that start must
  // end exactly here; otherwise the last byte is a malformed part of its own.
  for (std::size_t back = std::min(position, kUtf8BytesMax); back > 1; --back) {
    const Decoded decoded = decode(text.substr(0, position), position - back);
    if (decoded.size == back) {
      position -= back;
      return decoded.code_point;
    }
  }
  --position;
  return decode(text.substr(0, position + 1), position).code_point;
}

std::size_t count_code_points(std::string_view text) {
  std::size_t position = 0;
  std::size_t count = 0;
  while (position < text.size()) {
    const std::size_t run = ascii_run(text, position);
    count += run;
    position += run;
    if (position < text.size()) {
      position += decode(text, position).size;
      ++count;
    }
  }
  return count;
}

std::size_t code_point_offset(std::string_view text, std::size_t index) {
  std::size_t position = 0;
  while (position < text.size() && index > 0) {
    const std::size_t run =
        ascii_run(text.substr(0, std::min(text.size(), position + index)), position);
    position += run;
    index -= run;
    if (index > 0 && position < text.size()) {
      position += decode(text, position).size;
      --index;
    }
  }
  return position;
}

void append_code_point(std::string& out, char32_t code_point) {
  if (code_point < 0x80) {
    out.push_back(static_cast<char>(code_point));
    return;
  }
  if (code_point > 0x10FFFF || (code_point >= 0xD800 && code_point <= 0xDFFF)) {
    code_point = kReplacementCodePoint;
  }
  const auto continuation = [&](unsigned shift) {
    return static_cast<char>(0x80U | ((code_point >> shift) & 0x3FU));
  };
  if (code_point < 0x800) {
    out.push_back(static_cast<char>(0xC0U | (code_point >> 6)));
  } else if (code_point < 0x10000) {
    out.push_back(static_cast<char>(0xE0U | (code_point >> 12)));
    out.push_back(continuation(6));
  } else {
    out.push_back(static_cast<char>(0xF0U | (code_point >> 18)));
    out.push_back(continuation(12));
    out.push_back(continuation(6));
  }
  out.push_back(continuation(0));
}

char32_t lower_code_point(char32_t code_point) {
  return code_point < 0x80 ? ascii_lower(code_point)
                           : static_cast<char32_t>(utf8proc_tolower(raw(code_point)));
}

char32_t upper_code_point(char32_t code_point) {
  if (code_point < 0x80) {
    return ascii_upper(code_point);
  }
  return code_point == kSharpS ? code_point
                               : static_cast<char32_t>(utf8proc_toupper(raw(code_point)));
}

char32_t fold_code_point(char32_t code_point) {
  if (code_point < 0x80) {
    return ascii_lower(code_point);
  }
  // Cherokee comes out in small letters where Unicode's table has capitals; the classes are the
  // same. Going up and then down joins the letters that share a capital (final sigma, long s, the
  // Kelvin sign). The capital sharp s and the dotted capital i have simple foldings that this would
  // miss.
  if (code_point == 0x1E9E) {
    return kSharpS;
  }
  // The iota below would fold to the letter iota, but is none: terms are made of letters and
  // digits, and what equals a term must have it.
  if (code_point == 0x130 || code_point == 0x345) {
    return code_point;
  }
  const utf8proc_int32_t upper = utf8proc_toupper(raw(code_point));
  // The dotless i's capital is the plain I, whose folding is the dotted i: keep them apart.
  return code_point == 0x131 ? code_point : static_cast<char32_t>(utf8proc_tolower(upper));
}

void append_folded(std::string& out, std::string_view text) {
  append_mapped(out, text, lower_byte, fold_code_point);
}

std::string fold_case(std::string_view text) {
  std::string out;
  append_folded(out, text);
  return out;
}

std::string to_lower(std::string_view text) {
  std::string out;
  append_mapped(out, text, lower_byte, lower_code_point);
  return out;
}

std::string to_upper(std::string_view text) {
  std::string out;
  append_mapped(out, text, upper_byte, upper_code_point);
  return out;
}

std::string to_title(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool inside = false;
  std::size_t position = 0;
  while (position < text.size()) {
    const char32_t code_point = next_code_point(text, position);
    append_code_point(out, inside ? lower_code_point(code_point) : title_code_point(code_point));
    inside = is_alphanumeric(code_point);
  }
  return out;
}

bool equals_folded(std::string_view a, std::string_view b) {
  std::size_t at_a = 0;
  std::size_t at_b = 0;
  while (at_a < a.size() && at_b < b.size()) {
    if (fold_code_point(next_code_point(a, at_a)) != fold_code_point(next_code_point(b, at_b))) {
      return false;
    }
  }
  return at_a == a.size() && at_b == b.size();
}

bool is_alphanumeric(char32_t code_point) {
  if (code_point < 0x80) {
    const char32_t lower = code_point | 0x20;
    return (lower >= 'a' && lower <= 'z') || (code_point >= '0' && code_point <= '9');
  }
  const utf8proc_category_t category = utf8proc_category(raw(code_point));
  return category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_LL ||
         category == UTF8PROC_CATEGORY_LT || category == UTF8PROC_CATEGORY_LM ||
         category == UTF8PROC_CATEGORY_LO || category == UTF8PROC_CATEGORY_ND;
}

bool is_space(char32_t code_point) {
  if (code_point < 0x80) {
    return code_point == ' ' || (code_point >= '\t' && code_point <= '\r');
  }
  if (code_point == 0x85) {
    return true;
  }
  const utf8proc_category_t category = utf8proc_category(raw(code_point));
  return category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL ||
         category == UTF8PROC_CATEGORY_ZP;
}

int code_point_width(char32_t code_point) {
  if (code_point < 0x80) {
    return code_point >= 0x20 && code_point != 0x7F ? 1 : 0;
  }
  return std::max(0, utf8proc_charwidth(raw(code_point)));
}

}  // namespace evq

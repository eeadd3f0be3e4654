#include "store/base/json_writer.h"

#include <cstdint>
#include <random>
#include <string>

#include <doctest/doctest.h>

namespace evq {
namespace {

TEST_CASE("commas fall into place") {
  std::string out = "> ";
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("a");
  writer.begin_array();
  writer.integer(-1);
  writer.unsigned_integer(18446744073709551615ULL);
  writer.real(0.5);
  writer.begin_object();
  writer.end_object();
  writer.begin_array();
  writer.end_array();
  writer.null();
  writer.end_array();
  writer.key("b");
  writer.boolean(true);
  writer.key("c\n");
  writer.string("d\"");
  writer.key("t");
  writer.instant(0);
  writer.key("r");
  writer.raw("[1]");
  writer.end_object();
  writer.new_line();
  writer.boolean(false);
  CHECK(out ==
        "> {\"a\":[-1,18446744073709551615,0.5,{},[],null],\"b\":true,\"c\\n\":\"d\\\"\","
        "\"t\":\"1970-01-01T00:00:00Z\",\"r\":[1]}\nfalse");
}

// The slow twin: one byte at a time.
std::string escaped_slowly(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const std::string_view from = "\"\\\n\r\t\b\f";
    const std::string_view to = "\"\\nrtbf";
    if (const std::size_t at = from.find(c); at != std::string_view::npos) {
      out.push_back('\\');
      out.push_back(to[at]);
    } else if (byte < 0x20) {
      out += "\\u00";
      out.push_back("01"[byte >> 4]);
      out.push_back("0123456789abcdef"[byte & 15]);
    } else {
      out.push_back(c);
    }
  }
  return out + "\"";
}

TEST_CASE("fast and slow escaping agree") {
  const std::uint64_t seed = 7;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    const std::size_t size = random() % 40;
    for (std::size_t j = 0; j < size; ++j) {
      const std::uint64_t pick = random();
      text.push_back(static_cast<char>(pick % 4 == 0 ? pick >> 8 : 'a' + (pick >> 8) % 26));
    }
    std::string fast;
    append_json_string(fast, text);
    REQUIRE(fast == escaped_slowly(text));
  }
  for (int byte = 0; byte < 256; ++byte) {
    for (std::size_t place = 0; place < 17; ++place) {
      std::string text(17, 'x');
      text[place] = static_cast<char>(byte);
      std::string fast;
      append_json_string(fast, text);
      REQUIRE(fast == escaped_slowly(text));
    }
  }
}

}  // namespace
}  // namespace evq

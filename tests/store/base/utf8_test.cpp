#include "store/base/utf8.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace evq {
namespace {

using namespace std::string_literals;

TEST_CASE("malformed parts become U+FFFD by maximal subparts") {
  struct Row {
    std::string bytes;
    std::string repaired;
  };
  const std::string bad = "\xEF\xBF\xBD";
  const std::vector<Row> rows = {{"", ""},
                                 {"plain", "plain"},
                                 {"\xC3\xA9", "\xC3\xA9"},
                                 {"a\x80", "a" + bad},
                                 {"\xC0\xAF", bad + bad},
                                 {"\xE0\x80\xAF", bad + bad + bad},
                                 {"\xED\xA0\x80", bad + bad + bad},
                                 {"\xF4\x90\x80\x80", bad + bad + bad + bad},
                                 {"\xF5\x80", bad + bad},
                                 // The Unicode standard's own example (table 3-11).
                                 {"a\xF1\x80\x80\xE1\x80\xC2"
                                  "b\x80"
                                  "c\x80\xBF"
                                  "d",
                                  "a" + bad + bad + bad + "b" + bad + "c" + bad + bad + "d"},
                                 {"\xE2\x82", bad},
                                 {"\xF0\x9F\x98", bad},
                                 {std::string(40, 'x') + "\xFF" + std::string(40, 'y'),
                                  std::string(40, 'x') + bad + std::string(40, 'y')}};
  for (const Row& row : rows) {
    CAPTURE(row.repaired);
    CHECK(repair_utf8(row.bytes) == row.repaired);
    CHECK(is_valid_utf8(row.bytes) == (row.bytes == row.repaired));
    CHECK(is_valid_utf8(row.repaired));
  }
  CHECK(valid_utf8_prefix("ab\xC3\xA9\xFFz") == 4);
}

TEST_CASE("a byte order mark is left out at the start, once") {
  CHECK(without_byte_order_mark("\xEF\xBB\xBFtext") == "text");
  CHECK(without_byte_order_mark("\xEF\xBB\xBF\xEF\xBB\xBF") == kByteOrderMark);
  CHECK(without_byte_order_mark("\xEF\xBB") == "\xEF\xBB");
  CHECK(without_byte_order_mark("a\xEF\xBB\xBF") == "a\xEF\xBB\xBF");
  CHECK(without_byte_order_mark("").empty());
}

TEST_CASE("a prefix cuts no code point apart") {
  const std::string text = "a\u00e9\u65e5\U0001F600b";  // of 1, 2, 3, 4 and 1 bytes
  const std::size_t sizes[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};
  for (std::size_t bytes = 0; bytes < std::size(sizes); ++bytes) {
    CAPTURE(bytes);
    CHECK(utf8_prefix(text, bytes) == text.substr(0, sizes[bytes]));
  }
  CHECK(utf8_prefix("", 0).empty());
  const std::string malformed(20, '\x80');
  CHECK(utf8_prefix(malformed, 10).size() <= 10);
  CHECK(utf8_prefix(malformed, 10).size() > 10 - kUtf8BytesMax);
}

TEST_CASE("every code point goes round, forwards and backwards") {
  for (char32_t code_point = 0; code_point <= 0x10FFFF; ++code_point) {
    if (code_point == 0xD800) {
      code_point = 0xE000;
    }
    std::string text;
    append_code_point(text, code_point);
    std::size_t position = 0;
    REQUIRE(next_code_point(text, position) == code_point);
    REQUIRE(position == text.size());
    REQUIRE(previous_code_point(text, position) == code_point);
    REQUIRE(position == 0);
    REQUIRE(is_valid_utf8(text));
  }
  std::string text;
  append_code_point(text, 0xD800);
  append_code_point(text, 0x110000);
  CHECK(text == "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_CASE("backwards sees the same parts as forwards on any bytes") {
  const std::uint64_t seed = 3;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  const std::string_view alphabet = "a\x80\xBF\xC2\xE0\xA0\xED\x9F\xF0\x90\xF4\x8F\xE2\x82\xAC\xFF";
  for (int i = 0; i < 50000; ++i) {
    std::string text;
    const std::size_t size = random() % 12;
    for (std::size_t j = 0; j < size; ++j) {
      text.push_back(alphabet[random() % alphabet.size()]);
    }
    std::vector<std::size_t> starts;
    std::size_t position = 0;
    while (position < text.size()) {
      starts.push_back(position);
      static_cast<void>(next_code_point(text, position));
    }
    REQUIRE(count_code_points(text) == starts.size());
    for (std::size_t index = 0; index < starts.size(); ++index) {
      REQUIRE(code_point_offset(text, index) == starts[index]);
    }
    while (!starts.empty()) {
      static_cast<void>(previous_code_point(text, position));
      REQUIRE(position == starts.back());
      starts.pop_back();
    }
    REQUIRE(is_valid_utf8(repair_utf8(text)));
    REQUIRE(count_code_points(repair_utf8(text)) == count_code_points(text));
  }
}

TEST_CASE("counting and offsets") {
  const std::string text = std::string(40, 'a') + "é€😀" + std::string(40, 'b');
  CHECK(count_code_points(text) == 83);
  CHECK(code_point_offset(text, 0) == 0);
  CHECK(code_point_offset(text, 41) == 42);
  CHECK(code_point_offset(text, 42) == 45);
  CHECK(code_point_offset(text, 43) == 49);
  CHECK(code_point_offset(text, 83) == text.size());
  CHECK(code_point_offset(text, 1000) == text.size());
}

TEST_CASE("case") {
  CHECK(to_lower("ABC ÄÖÜ ΣΑΣ") == "abc äöü σασ");
  CHECK(to_upper("abc äöü ß") == "ABC ÄÖÜ ß");
  CHECK(to_title("hello wORLD o'neil 3d élan") == "Hello World O'Neil 3d Élan");
  CHECK(to_title("ßen Ǆ ǆ ﬁn") == "ßen ǅ ǅ ﬁn");
  CHECK(fold_case("ΣΑΣ") == fold_case("σας"));
  CHECK(fold_code_point(U'ſ') == U's');
  CHECK(fold_code_point(0x212A) == U'k');
  CHECK(fold_code_point(0x1E9E) == 0xDF);
  CHECK(fold_code_point(0x131) == 0x131);
  CHECK(fold_code_point(0x345) == 0x345);  // no letter, so it equals none
  CHECK(equals_folded("Straße", "STRAßE"));
  CHECK(equals_folded("", ""));
  CHECK(!equals_folded("a", ""));
  CHECK(!equals_folded("a", "b"));
}

TEST_CASE("folding is idempotent and joins what equality joins") {
  for (char32_t code_point = 0; code_point <= 0x1FFFF; ++code_point) {
    const char32_t folded = fold_code_point(code_point);
    REQUIRE(fold_code_point(folded) == folded);
    if (code_point < 0x80) {
      REQUIRE(folded < 0x80);
    }
  }
}

TEST_CASE("classes and widths") {
  for (const char32_t letter : {U'a', U'Z', U'0', U'é', U'Ж', U'中', U'٣'}) {
    CHECK(is_alphanumeric(letter));
  }
  for (const char32_t other : {U' ', U'_', U'-', U'.', U'@', U'[', U'{', U'€', U'—'}) {
    CHECK(!is_alphanumeric(other));
  }
  for (const char32_t blank : {U' ', U'\t', U'\n', U'\r', char32_t{0x85}, char32_t{0xA0},
                               char32_t{0x2028}, char32_t{0x3000}}) {
    CHECK(is_space(blank));
  }
  CHECK(!is_space(U'x'));
  CHECK(!is_space(0x200B));
  CHECK(code_point_width(U'a') == 1);
  CHECK(code_point_width(U'中') == 2);
  CHECK(code_point_width(0x301) == 0);
  CHECK(code_point_width(0x1B) == 0);
  CHECK(is_ascii("abc"));
  CHECK(!is_ascii("abcé"));
}

}  // namespace
}  // namespace evq

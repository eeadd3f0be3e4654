#include "cli/terminal/text_width.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace evq {
namespace {

using Strings = std::vector<std::string>;

Strings clusters_of(std::string_view text) {
  Strings out;
  for (std::size_t position = 0; position < text.size();) {
    const std::size_t end = next_grapheme(text, position);
    out.emplace_back(text.substr(position, end - position));
    position = end;
  }
  return out;
}

TEST_CASE("clusters are what a user sees as one character, in both directions") {
  const struct {
    std::string text;
    Strings clusters;
  } rows[] = {
      {"", {}},
      {"ab", {"a", "b"}},
      {"a\r\nb", {"a", "\r\n", "b"}},
      {"e\u0301x", {"e\u0301", "x"}},
      {"日本", {"日", "本"}},
      {"👩‍👩‍👧!", {"👩‍👩‍👧", "!"}},
      {"🇩🇪🇫🇷", {"🇩🇪", "🇫🇷"}},
      {"👍🏽a", {"👍🏽", "a"}},
      {"❤️b", {"❤️", "b"}},
      {"a\xff\xfe"
       "b",
       {"a", "\xff", "\xfe", "b"}},
      {"\xe6\x97", {"\xe6\x97"}},
      {"한국", {"한", "국"}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    CHECK(clusters_of(row.text) == row.clusters);
    std::size_t position = row.text.size();
    for (auto cluster = row.clusters.rbegin(); cluster != row.clusters.rend(); ++cluster) {
      const std::size_t start = previous_grapheme(row.text, position);
      CHECK(row.text.substr(start, position - start) == *cluster);
      position = start;
    }
    CHECK(position == 0);
  }
}

TEST_CASE("widths are cells of a terminal") {
  const struct {
    std::string text;
    std::size_t width;
  } rows[] = {
      {"", 0},
      {"abc", 3},
      {"日本", 4},
      {"e\u0301", 1},
      {"👩‍👩‍👧", 2},
      {"🇩🇪", 2},
      {"👍🏽", 2},
      {"❤️", 2},
      {"❤", 1},
      {"\xff\xff", 2},
      {"ｱｲｳ", 3},
      {"ＡＢ", 4},
      {"한국", 4},
      {"naïve", 5},
      {"a\u200d", 1},
      {"─│┼", 3},
      {"…", 1},
      {"⣿", 1},
      {"🧑‍💻x", 3},
      {"\u0301", 0},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    CHECK(text_width(row.text) == row.width);
  }
}

TEST_CASE("text of unknown origin cannot reach the terminal's controls") {
  const struct {
    std::string text;
    std::string escaped;
  } rows[] = {
      {"plain ünï", "plain ünï"},
      {"a\nb\tc\rd", "a\\nb\\tc\\rd"},
      {"a\r\nb", "a\\r\\nb"},
      {"\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"},
      {std::string("\0\x07\x7f", 3), "\\x00\\x07\\x7f"},
      {"\xc2\x9b"
       "31m",
       "\\x9b31m"},
      {"a\xff"
       "b",
       "a\uFFFDb"},
      {"\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"},
      {"user\u202eexe.txt", "user\\u202eexe.txt"},
      {"zero\u200bwidth", "zero\\u200bwidth"},
      {"line\u2028end", "line\\u2028end"},
      {"\ufeff{}", "\\ufeff{}"},
      {"👩‍👩‍👧", "👩‍👩‍👧"},
      {"🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"},
      {"x\U000E0041", "x\\ue0041"},
      {"back\\slash", "back\\slash"},
  };
  for (const auto& row : rows) {
    CHECK(visible_text(row.text) == row.escaped);
  }
  CHECK(visible_text("a\nb\r\nc\x1b", LineBreaks::kKeep) == "a\nb\nc\\x1b");
  CHECK(visible_text(std::string(1000000, 'x'), LineBreaks::kEscape, 5) == "xxxxxx");
}

TEST_CASE("every byte and every pair of bytes is shown without control characters") {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string text = {static_cast<char>(first), static_cast<char>(second)};
      const std::string shown = visible_text(text);
      for (const char byte : shown) {
        REQUIRE(static_cast<unsigned char>(byte) >= 0x20);
        REQUIRE(byte != 0x7F);
      }
      REQUIRE(visible_text(shown) == shown);
      REQUIRE(text_width(shown) <= shown.size());
    }
  }
}

TEST_CASE("truncation keeps whole clusters and the width") {
  const struct {
    std::string text;
    std::size_t width;
    std::string cut;
  } rows[] = {
      {"hello", 5, "hello"},
      {"hello!", 5, "hell…"},
      {"日本語", 6, "日本語"},
      {"日本語", 5, "日本…"},
      {"日本語", 4, "日…"},
      {"日本語", 1, "…"},
      {"abc", 0, ""},
      {"", 0, ""},
      {"e\u0301e\u0301e\u0301", 2, "e\u0301…"},
      {"👩‍👩‍👧👩‍👩‍👧", 3, "👩‍👩‍👧…"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    CHECK(truncate_to_width(row.text, row.width) == row.cut);
  }
  CHECK(truncate_to_width("abcdefghij", 9, Ellipsis::kAscii) == "abcdef...");
  CHECK(truncate_to_width("abcdefghij", 4, Ellipsis::kAscii) == "abc~");
}

TEST_CASE("a form for programs stays as it is but for what a terminal would obey") {
  CHECK(harmless_text("a\tb\n\"日本\" 👩‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿") ==
        "a\tb\n\"日本\" 👩‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿");
  CHECK(harmless_text("user\u202eexe.txt") == "user\\u202eexe.txt");
  CHECK(harmless_text("\x1b[31m\x7f\u009b\r\n") == "\\u001b[31m\\u007f\\u009b\\u000d\n");
  CHECK(harmless_text("\xff") == "\xff");
}

TEST_CASE("lines break after blanks, or anywhere when there are none") {
  const struct {
    std::string text;
    std::size_t width;
    Strings lines;
  } rows[] = {
      {"", 5, {""}},
      {"abc", 5, {"abc"}},
      {"hello big world", 7, {"hello ", "big ", "world"}},
      {"abcdefgh", 3, {"abc", "def", "gh"}},
      {"ab cdefgh", 4, {"ab ", "cdef", "gh"}},
      {"日本語", 3, {"日", "本", "語"}},
      {"日本", 1, {"日", "本"}},
      {"ab", 0, {"a", "b"}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    const auto views = wrap_to_width(row.text, row.width);
    CHECK(Strings(views.begin(), views.end()) == row.lines);
  }
}

}  // namespace
}  // namespace evq

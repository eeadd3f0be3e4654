// What a screen has room for.

#include "cli/terminal/screen_text.h"

#include <string>

#include <doctest/doctest.h>

namespace evq {
namespace {

TEST_CASE("rows of a screen") {
  const struct {
    std::string text;
    std::size_t rows;
  } rows[] = {
      {"", 0},
      {"a\n", 1},
      {"\n\n", 2},
      {"0123456789", 1},
      {"01234567890\n", 2},
      {"\x1b[1;31m0123456789\x1b[0m\n", 1},
      {"日本日本日本\n", 2},
      {"\x1b", 1},
  };
  for (const auto& row : rows) {
    CHECK(count_screen_rows(row.text, 10) == row.rows);
  }
}

TEST_CASE("a text is kept while the screen has a row for the cursor below it") {
  const TerminalSize size{.columns = 10, .rows = 3};
  ScreenText text;
  CHECK(text.append("one\n", size));
  CHECK(text.append("two", size));
  CHECK(text.append(" more\n", size));
  CHECK(text.text() == "one\ntwo more\n");
  CHECK_FALSE(text.append("three\n", size));
  CHECK(text.take() == "one\ntwo more\nthree\n");

  CHECK(text.text().empty());
  CHECK(text.append("wrapped twice, it is\n", size));
  CHECK_FALSE(text.append("and below\n", size));
}

TEST_CASE("a line that does not end outgrows the screen") {
  const TerminalSize size{.columns = 10, .rows = 3};
  ScreenText text;
  CHECK(text.append(std::string(std::size_t{1} << 20U, 'x'), size));
  CHECK_FALSE(text.append("x", size));
}

}  // namespace
}  // namespace evq

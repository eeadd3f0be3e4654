#include "apl/syntax/source.h"

#include <string>

#include <doctest/doctest.h>

#include "apl/syntax/diagnostics.h"

namespace evq {

TEST_CASE("positions count lines and code points from one") {
  const SourceText source("ab\nčd\r\n\nlast");
  CHECK(source.position(0) == SourcePosition{1, 1});
  CHECK(source.position(2) == SourcePosition{1, 3});
  CHECK(source.position(3) == SourcePosition{2, 1});
  CHECK(source.position(5) == SourcePosition{2, 2});
  CHECK(source.position(9) == SourcePosition{4, 1});
  CHECK(source.position(1000) == SourcePosition{4, 5});
  CHECK(source.line(1) == "ab");
  CHECK(source.line(2) == "čd");
  CHECK(source.line(3).empty());
  CHECK(source.line(4) == "last");
  CHECK(source.line(0).empty());
  CHECK(source.line(5).empty());
  CHECK(source.slice({1, 100}) == "b\nčd\r\n\nlast");
}

TEST_CASE("an error is shown with its line, carets and hint") {
  const SourceText source("logs\n| summarize cout() by bin(_time, 1m)\n");
  const std::string_view aggregates[] = {"count", "countif", "dcount", "sum"};
  const Error error = diag::unknown_aggregate({17, 21}, "cout", aggregates);
  CHECK(source.render(error) ==
        "error[unknown-function]: no aggregation named 'cout'\n"
        "  --> query:2:13\n"
        "   |\n"
        " 2 | | summarize cout() by bin(_time, 1m)\n"
        "   |             ^^^^\n"
        "   = did you mean 'count'?   (also: countif, dcount)\n");
  CHECK(source.render_line(error) ==
        "APL2005 2:13 no aggregation named 'cout'; did you mean 'count'?   (also: countif, "
        "dcount)");
}

TEST_CASE("the gutter grows with the line number and tabs keep the carets in place") {
  const SourceText source(std::string(9, '\n') + "\tx = 1");
  Error error = diag::single_equals({12, 13});
  CHECK(source.render(error) ==
        "error[single-equals]: '=' names a value and compares nothing\n"
        "   --> query:10:4\n"
        "    |\n"
        " 10 |  x = 1\n"
        "    |    ^\n"
        "    = write == to compare, =~ to ignore case\n");
}

TEST_CASE("a long line is cut around the carets") {
  const SourceText source(std::string(500, 'a') + "?" + std::string(500, 'b'));
  const std::string shown = source.render(diag::unexpected_character({500, 501}, "?"));
  CHECK(shown.find(std::string(100, 'a') + "?" + std::string(59, 'b') + "\n") != std::string::npos);
  CHECK(shown.find(std::string(101, 'a')) == std::string::npos);
  CHECK(shown.find("   | " + std::string(100, ' ') + "^\n") != std::string::npos);
}

// Capital letters are two columns wide here.
SourceDisplay display_of(std::size_t columns) {
  return {[](std::string_view text) { return std::string(text); },
          [](std::string_view printed) {
            std::size_t width = 0;
            for (const char c : printed) {
              width += c >= 'A' && c <= 'Z' ? 2U : (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
            }
            return width;
          },
          columns};
}

TEST_CASE("an excerpt is cut to the width of its place, with a sign at the cuts") {
  const struct {
    std::string text;
    Span at;
    std::size_t columns;
    std::string line;
    std::string carets;
  } rows[] = {
      {"abcdefghijklmnop", {2, 4}, 21, "abcdefghijklmnop", "  ^^"},
      {"abcdefghijklmnop", {2, 4}, 20, "abcdefghijklmn…", "  ^^"},
      {"abcdefghijklmnop", {13, 14}, 15, "…hijklmnop", "       ^"},
      {"abcdefghijklmnop", {15, 16}, 15, "…hijklmnop", "         ^"},
      {"abcdefghijklmnop", {16, 16}, 15, "…ijklmnop", "         ^"},
      {"abcdefghijklmnopqrstuvwxyz", {12, 13}, 15, "…ijklmnop…", "     ^"},
      {"abcdefghijklmnopqrstuvwxyz", {12, 24}, 15, "…ijklmnop…", "     ^^^^^"},
      {"abcdefghijklmnopqrstuvwxyz", {12, 26}, 15, "…ijklmnop…", "     ^^^^^"},
      {"ABCDEFGHIJKLMNOPQRSTUVWXYZ", {12, 13}, 17, "…KLMNO…", "     ^^"},
      {"abcdefghijklmnopqrstuvwxyz", {12, 13}, 1, "…jklmno…", "    ^"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.line);
    const std::string shown = SourceText(row.text).render(diag::unexpected_character(row.at, "?"),
                                                          display_of(row.columns));
    CAPTURE(shown);
    CHECK(shown.find(" 1 | " + row.line + "\n   | " + row.carets + "\n") != std::string::npos);
  }
}

TEST_CASE("a span over several lines is marked to the end of its first line") {
  const SourceText source("ab (\n)");
  CHECK(source.render(diag::unexpected_token({3, 6}, "x", "y")).find("   |    ^\n") !=
        std::string::npos);
}

TEST_CASE("errors without a span or id still have both forms") {
  const SourceText source("x");
  const Error error = make_error(ErrorCode::kNotFound, "nothing there", "look elsewhere");
  CHECK(source.render(error) == "error[not-found]: nothing there\n   = look elsewhere\n");
  CHECK(source.render_line(error) == "nothing there; look elsewhere");
}

}  // namespace evq

#include "cli/terminal/table_format.h"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "cli/terminal/text_width.h"
#include "store/base/control.h"

namespace evq {
namespace {

TableCell text(std::string value) {
  return {std::move(value), TableCellKind::kText, TextStyle::kPlain};
}
TableCell number(std::string value) {
  return {std::move(value), TableCellKind::kNumber, TextStyle::kPlain};
}
TableCell null() {
  return {"", TableCellKind::kNull, TextStyle::kPlain};
}

const std::vector<TableColumn>& columns() {
  static const std::vector<TableColumn> kColumns = {{"status", "long", TableCellKind::kNumber},
                                                    {"uri", "string", TableCellKind::kText}};
  return kColumns;
}

const TableRows& rows() {
  static const TableRows kRows = {{number("200"), text("/a")},
                                  {number("5"), text("/日本/ünï/a/long/path")},
                                  {null(), text("esc \x1b[31m\n")},
                                  {number("1")}};
  return kRows;
}

TEST_CASE("a table is a box with numbers to the right") {
  CHECK(format_table(columns(), rows(), {}) == R"(┌────────┬───────────────────────┐
│ status │ uri                   │
├────────┼───────────────────────┤
│    200 │ /a                    │
│      5 │ /日本/ünï/a/long/path │
│   null │ esc \x1b[31m\n        │
│      1 │ null                  │
└────────┴───────────────────────┘
)");
}

TEST_CASE("nothing more is laid out for who has cancelled") {
  QueryControl control;
  control.cancel();
  TableOptions options;
  options.control = &control;
  CHECK(format_table(columns(), rows(), options).find("/a") == std::string::npos);
  CHECK(format_markdown(columns(), rows(), options).find("/a") == std::string::npos);
  options.layout = TableLayout::kLine;
  CHECK(format_table(columns(), rows(), options).empty());
}

TEST_CASE("names of fields that are not shown take no room") {
  TableOptions options;
  options.layout = TableLayout::kLine;
  options.lines_of_nulls = false;
  const std::vector<TableColumn> wide = {{"a", "", TableCellKind::kNumber},
                                         {"a_very_long_name", "", TableCellKind::kText},
                                         {"bcd", "", TableCellKind::kText}};
  CHECK(format_table(wide, {{number("1"), null(), null()}, {number("2"), null(), text("x")}},
                     options) == R"(─[ 1 ]──────────────────────────────────
a   │ 1
─[ 2 ]──────────────────────────────────
a   │ 2
bcd │ x
)");
}

TEST_CASE("types, plain characters, no header, another null") {
  TableOptions options;
  options.unicode = false;
  options.types = true;
  options.null_text = "-";
  options.width = 28;
  CHECK(format_table(columns(), rows(), options) == R"(+--------+-----------------+
| status | uri             |
|   long | string          |
+--------+-----------------+
|    200 | /a              |
|      5 | /日本/ünï/a/... |
|      - | esc \x1b[31m\n  |
|      1 | -               |
+--------+-----------------+
)");
  options.header = false;
  options.types = false;
  options.rows_max = 1;
  options.rows_total = 48212;
  CHECK(format_table(columns(), rows(), options) == R"(+-----+----+
| 200 | /a |
+-----+----+
... 48,211 more
)");
}

TEST_CASE("cells are cut or wrapped to the terminal's width") {
  TableOptions options;
  options.width = 24;
  options.rows_max = 2;
  CHECK(format_table(columns(), rows(), options) == R"(┌────────┬─────────────┐
│ status │ uri         │
├────────┼─────────────┤
│    200 │ /a          │
│      5 │ /日本/ünï/… │
└────────┴─────────────┘
… 2 more
)");
  options.overflow = CellOverflow::kWrap;
  CHECK(format_table(columns(), rows(), options) == R"(┌────────┬─────────────┐
│ status │ uri         │
├────────┼─────────────┤
│    200 │ /a          │
│      5 │ /日本/ünï/a │
│        │ /long/path  │
└────────┴─────────────┘
… 2 more
)");
  options.cell_lines_max = 1;
  CHECK(format_table(columns(), rows(), options).find("/日本/ünï/… │") != std::string::npos);
}

TEST_CASE("rows that do not fit become lines") {
  TableOptions options;
  options.width = 20;
  options.rows_max = 2;
  CHECK(format_table(columns(), rows(), options) == R"(─[ 1 ]──────────────
status │ 200
uri    │ /a
─[ 2 ]──────────────
status │ 5
uri    │ /日本/ünï/a
       │ /long/path
… 2 more
)");
  options.width = 0;
  options.layout = TableLayout::kLine;
  options.types = true;
  CHECK(format_table(columns(), {{null(), text("two\nlines\t")}}, options) ==
        R"(─[ 1 ]──────────────────────────────────
status:long │ null
uri:string  │ two
            │ lines\t
)");
}

TEST_CASE("a field with very many lines ends, unless lines were asked for") {
  TableOptions options;
  options.width = 30;
  options.columns_max = 1;
  const std::vector<TableRows::value_type> rows = {{text(std::string(100'000, 'x')), text("y")}};
  const std::string cut = format_table(columns(), rows, options);
  CHECK(std::count(cut.begin(), cut.end(), '\n') == 203);
  CHECK(cut.find("│ … ") != std::string::npos);
  CHECK(cut.find(" more bytes\n") != std::string::npos);
  options.layout = TableLayout::kLine;
  CHECK(format_table(columns(), rows, options).find(" more bytes\n") == std::string::npos);
}

TEST_CASE("many columns stay a table only when nothing has to be cut") {
  std::vector<TableColumn> many;
  TableRows one(1);
  for (int i = 0; i < 12; ++i) {
    many.push_back({"c" + std::to_string(i), "", TableCellKind::kText});
    one[0].push_back(text(i == 0 ? "a longer text" : "x"));
  }
  TableOptions options;
  options.width = 80;
  CHECK(format_table(many, one, options).starts_with("┌"));
  options.width = 72;
  CHECK(format_table(many, one, options).starts_with("─[ 1 ]"));
  options.columns_max = 12;
  CHECK(format_table(many, one, options).starts_with("┌"));
}

TEST_CASE("degenerate tables") {
  CHECK(format_table({}, {}, {}).empty());
  CHECK(format_table(columns(), {}, {}) == R"(┌────────┬─────┐
│ status │ uri │
├────────┼─────┤
└────────┴─────┘
)");
  CHECK(format_table({{"", "", TableCellKind::kText}}, {{text("")}}, {}) ==
        "┌───┐\n│   │\n├───┤\n│   │\n└───┘\n");
  TableOptions options;
  options.layout = TableLayout::kTable;
  options.width = 3;
  CHECK(format_table(columns(), rows(), options).find("│ uri      │") != std::string::npos);
}

TEST_CASE("colour never changes what is shown") {
  TableOptions options;
  const std::string plain = format_table(columns(), rows(), options);
  options.color = true;
  std::string colored = format_table(columns(), rows(), options);
  CHECK(colored.find("\x1b[1mstatus\x1b[0m") != std::string::npos);
  CHECK(colored.find("\x1b[2mnull\x1b[0m") != std::string::npos);
  for (std::size_t at = colored.find('\x1b'); at != std::string::npos; at = colored.find('\x1b')) {
    colored.erase(at, colored.find('m', at) - at + 1);
  }
  CHECK(colored == plain);
}

TEST_CASE("no line is wider than the terminal") {
  for (std::size_t width = 20; width < 60; ++width) {
    for (const CellOverflow overflow : {CellOverflow::kTruncate, CellOverflow::kWrap}) {
      TableOptions options;
      options.width = width;
      options.overflow = overflow;
      std::string out = format_table(columns(), rows(), options);
      for (std::size_t at = 0; at < out.size();) {
        const std::size_t end = out.find('\n', at);
        CHECK(text_width(out.substr(at, end - at)) <= width);
        at = end + 1;
      }
    }
  }
}

TEST_CASE("the widest columns give way first") {
  using Widths = std::vector<std::size_t>;
  const struct {
    Widths natural;
    Widths minimum;
    std::size_t budget;
    Widths widths;
  } rows[] = {
      {{3, 4}, {1, 1}, 10, {3, 4}},
      {{3, 40}, {1, 8}, 20, {3, 17}},
      {{30, 40}, {8, 8}, 41, {21, 20}},
      {{5, 30, 50}, {5, 8, 8}, 40, {5, 18, 17}},
      {{20, 30}, {20, 8}, 30, {20, 10}},
      {{20, 30}, {20, 8}, 27, {}},
      {{}, {}, 5, {}},
  };
  for (const auto& row : rows) {
    CHECK(fit_widths(row.natural, row.minimum, row.budget) == row.widths);
  }
}

TEST_CASE("Markdown") {
  CHECK(format_markdown(columns(), {{number("1"), text("a|b\n<i>`*\\ \x1b")}, {null(), null()}},
                        {}) == R"(| status | uri |
| ---: | --- |
| 1 | a\|b<br>\<i>\`\*\\ \\x1b |
| null | null |
)");
  CHECK(format_markdown({}, {}, {}).empty());
}

TEST_CASE("Markdown shows values as they are, and marks nothing that GitHub would not take up") {
  const auto shown = [](const std::string& value) {
    const std::string table =
        format_markdown({{"_time", "", TableCellKind::kText}}, {{text(value)}}, {});
    constexpr std::string_view kAbove = "| _time |\n| --- |\n| ";
    REQUIRE(table.starts_with(kAbove));
    return table.substr(kAbove.size(), table.size() - kAbove.size() - 3);
  };
  CHECK(shown("__init__") == R"(\_\_init\_\_)");
  CHECK(shown("_a_") == R"(\_a\_)");
  CHECK(shown("&lt; &#60; &&amp;") == R"(\&lt; \&#60; \&\&amp;)");
  CHECK(shown("~~s~~") == R"(\~\~s\~\~)");
  CHECK(shown("[a](b) ![i](u)") == R"([a\](b) ![i\](u))");
  CHECK(shown("$x$") == R"(\$x\$)");
  for (const char* plain : {"snake_case_name", "_time", "~/logs", "5 $", "a & b; c=1&d=2",
                            "[1,[2]] (x)", "&;", "&#;", "x &"}) {
    CHECK(shown(plain) == plain);
  }
}

TEST_CASE("whether a box is wide enough") {
  TableOptions options;
  CHECK(fits_in_box(columns(), rows(), options));
  options.width = 80;
  CHECK(fits_in_box(columns(), rows(), options));
  options.width = 8;
  CHECK_FALSE(fits_in_box(columns(), rows(), options));
}

}  // namespace
}  // namespace evq

#pragma once
// Tables for people: a box drawn around cells, as wide as the terminal and no wider; one line per
// field when a row does not fit; and Markdown. The rows are strings with a kind, so that nothing
// here knows where they come from. TableCell text may be any bytes: it is made visible
// (text_width.h) before it is measured and printed. All functions are pure and hold the whole text
// in memory: the caller bounds the rows.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal/style.h"

namespace evq {

class QueryControl;

enum class TableCellKind : std::uint8_t {
  kText,    // left-aligned; may be cut or wrapped
  kNumber,  // right-aligned; never cut, since a cut number reads as another one
  kFixed,   // left-aligned; never cut: times, booleans
  kNull,    // shown as TableOptions::null_text, dim
};

struct TableCell {
  std::string text;
  TableCellKind kind = TableCellKind::kText;
  TextStyle style = TextStyle::kPlain;
};

struct TableColumn {
  std::string name;
  std::string type;  // shown under the name when TableOptions::types
  // Alignment of the column when all its cells are null or there are no rows.
  TableCellKind kind = TableCellKind::kText;
};

using TableRows = std::vector<std::vector<TableCell>>;

enum class TableLayout : std::uint8_t { kAuto, kTable, kLine };
enum class CellOverflow : std::uint8_t { kTruncate, kWrap };

struct TableOptions {
  std::size_t width = 0;  // of the terminal; 0: without limit
  bool unicode = true;
  bool color = false;
  bool header = true;
  bool types = false;
  std::string null_text = "null";
  bool lines_of_nulls = true;  // rows that are turned into lines show nulls, too
  TableLayout layout = TableLayout::kAuto;
  CellOverflow overflow = CellOverflow::kTruncate;
  // Limit of rows shown; the others are counted in a last line. 0: all.
  std::size_t rows_max = 0;
  // Number of rows in all, when the caller holds only the first ones.
  std::size_t rows_total = 0;
  // Limit of columns with kAuto: more, unless they all fit uncut, become lines.
  std::size_t columns_max = 10;
  // Limit of lines of a wrapped cell; the last one is cut.
  std::size_t cell_lines_max = 8;
  // Control that, once cancelled, ends the layout early, with a text that nobody wants to see.
  const QueryControl* control = nullptr;
};

// Ends with a line break, except when there are no columns: then it is empty. Without rows and
// width, a header that no screen could hold becomes a line that says so. A row that is shorter
// than the header is filled with nulls; further cells are left out.
std::string format_table(const std::vector<TableColumn>& columns, const TableRows& rows,
                         const TableOptions& options);

// Whether format_table() gives a box, and no row is turned into lines for want of width.
bool fits_in_box(const std::vector<TableColumn>& columns, const TableRows& rows,
                 const TableOptions& options);

// Writes a GitHub-flavoured table: numbers to the right, marks escaped, line breaks as <br>. Uses
// header (a Markdown table must have one, so it is empty when false), types, null_text, rows_max.
std::string format_markdown(const std::vector<TableColumn>& columns, const TableRows& rows,
                            const TableOptions& options);

// Returns widths that add up to `budget` at most: the widest give way first and equally, none below
// its minimum. Empty when even the minimums do not fit. Both lists have the same length.
std::vector<std::size_t> fit_widths(const std::vector<std::size_t>& natural,
                                    const std::vector<std::size_t>& minimum, std::size_t budget);

}  // namespace evq

// A table is drawn in three steps: every shown cell is made visible and measured, the columns'
// widths are fitted to the terminal, and the rows are printed. Text is cut while it is made
// visible, so a megabyte in a cell costs no more than a screen's width.

#include "cli/terminal/table_format.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "cli/terminal/number_text.h"
#include "cli/terminal/text_width.h"
#include "store/base/ascii.h"
#include "store/base/control.h"
#include "store/base/told_number.h"

namespace evq {

namespace {

// Text columns keep this much before a row is turned into lines.
constexpr std::size_t kTextWidthMin = 8;
// "│ " and " │" around and between the cells: three a column and one more.
constexpr std::size_t kCellFrame = 3;
constexpr std::size_t kLineRuleWidth = 40;
// Of a table without rows, where no terminal says what is too wide.
constexpr std::size_t kHeaderWidthMax = 120;
// Lines of one field in rows that were turned into lines: more would push the others out of sight.
constexpr std::size_t kFieldLinesMax = 200;

struct Box {
  std::string_view horizontal, vertical;
  std::string_view top_left, top, top_right;
  std::string_view left, cross, right;
  std::string_view bottom_left, bottom, bottom_right;
};

constexpr Box kUnicodeBox = {"─", "│", "┌", "┬", "┐", "├", "┼", "┤", "└", "┴", "┘"};
constexpr Box kAsciiBox = {"-", "|", "+", "+", "+", "+", "+", "+", "+", "+", "+"};

struct ShownCell {
  std::vector<std::string> lines;
  TableCellKind kind = TableCellKind::kNull;
  TextStyle style = TextStyle::kPlain;
};

struct Shown {
  std::vector<std::vector<std::string>> headers;  // of each column: name, perhaps type
  std::vector<std::vector<ShownCell>> rows;
  std::vector<std::size_t> natural;
  std::vector<std::size_t> minimum;
  std::vector<bool> right;
};

const TableCell& null_cell() {
  static const TableCell kCell = {"", TableCellKind::kNull, TextStyle::kPlain};
  return kCell;
}

const TableCell& cell_at(const std::vector<TableCell>& row, std::size_t column) {
  return column < row.size() ? row[column] : null_cell();
}

std::size_t shown_rows(const TableRows& rows, const TableOptions& options) {
  return options.rows_max == 0 ? rows.size() : std::min(rows.size(), options.rows_max);
}

bool is_wanted(const TableOptions& options) {
  return options.control == nullptr || !options.control->cancelled();
}

Ellipsis ellipsis_of(const TableOptions& options) {
  return options.unicode ? Ellipsis::kUnicode : Ellipsis::kAscii;
}

TextStyle style_of(const TableCell& cell) {
  return cell.kind == TableCellKind::kNull ? TextStyle::kDim : cell.style;
}

// Wide enough to see that a cell does not fit, however it is laid out.
std::size_t measured_width_max(const TableOptions& options) {
  if (options.width == 0) {
    return kWidthUnlimited;
  }
  const std::size_t width = std::max(options.width, kTextWidthMin);
  return options.overflow == CellOverflow::kWrap ? width * options.cell_lines_max : width;
}

void measure_cell(const TableCell& cell, std::size_t width, std::size_t column, Shown& shown) {
  shown.natural[column] = std::max(shown.natural[column], width);
  const bool fixed = cell.kind == TableCellKind::kNumber || cell.kind == TableCellKind::kFixed;
  const std::size_t least = fixed ? width : std::min(width, kTextWidthMin);
  shown.minimum[column] = std::max(shown.minimum[column], least);
  if (cell.kind != TableCellKind::kNull) {
    shown.right[column] = shown.right[column] && cell.kind == TableCellKind::kNumber;
  }
}

Shown measure(const std::vector<TableColumn>& columns, const TableRows& rows,
              const TableOptions& options) {
  Shown shown;
  const std::size_t count = columns.size();
  shown.natural.assign(count, 1);
  shown.minimum.assign(count, 1);
  shown.right.assign(count, true);
  const std::size_t width_max = measured_width_max(options);
  std::vector<bool> has_values(count, false);
  for (std::size_t r = 0; r < shown_rows(rows, options) && is_wanted(options); ++r) {
    std::vector<ShownCell>& out = shown.rows.emplace_back(count);
    for (std::size_t c = 0; c < count; ++c) {
      const TableCell& cell = cell_at(rows[r], c);
      has_values[c] = has_values[c] || cell.kind != TableCellKind::kNull;
      const std::string& text = cell.kind == TableCellKind::kNull ? options.null_text : cell.text;
      out[c] = {{visible_text(text, LineBreaks::kEscape, width_max)}, cell.kind, style_of(cell)};
      measure_cell(cell, text_width(out[c].lines[0]), c, shown);
    }
  }
  for (std::size_t c = 0; c < count; ++c) {
    if (!has_values[c]) {
      shown.right[c] = columns[c].kind == TableCellKind::kNumber;
    }
    std::vector<std::string>& header = shown.headers.emplace_back();
    if (options.header) {
      header.push_back(visible_text(columns[c].name, LineBreaks::kEscape, width_max));
    }
    if (options.types) {
      header.push_back(visible_text(columns[c].type, LineBreaks::kEscape, width_max));
    }
    for (const std::string& line : header) {
      const std::size_t width = text_width(line);
      shown.natural[c] = std::max(shown.natural[c], width);
      shown.minimum[c] = std::max(shown.minimum[c], std::min(width, kTextWidthMin));
    }
  }
  return shown;
}

std::vector<std::string> lines_of_cell(std::string_view text, std::size_t width,
                                       const TableOptions& options) {
  if (options.overflow == CellOverflow::kTruncate) {
    return {truncate_to_width(text, width, ellipsis_of(options))};
  }
  const std::vector<std::string_view> wrapped = wrap_to_width(text, width);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < wrapped.size() && i + 1 < options.cell_lines_max; ++i) {
    std::string_view line = wrapped[i];
    while (line.ends_with(' ')) {
      line.remove_suffix(1);
    }
    lines.emplace_back(line);
  }
  if (lines.size() < wrapped.size()) {
    const auto rest = static_cast<std::size_t>(wrapped[lines.size()].data() - text.data());
    lines.push_back(truncate_to_width(text.substr(rest), width, ellipsis_of(options)));
  }
  return lines;
}

// Cuts or wraps every cell to its column's width.
void lay_out_cells(Shown& shown, const std::vector<std::size_t>& widths,
                   const TableOptions& options) {
  for (std::vector<ShownCell>& row : shown.rows) {
    if (!is_wanted(options)) {
      return;
    }
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (text_width(row[c].lines[0]) > widths[c]) {
        row[c].lines = lines_of_cell(std::string(row[c].lines[0]), widths[c], options);
      }
    }
  }
  for (std::size_t c = 0; c < shown.headers.size(); ++c) {
    for (std::string& line : shown.headers[c]) {
      line = truncate_to_width(line, widths[c], ellipsis_of(options));
    }
  }
}

class TablePrinter {
 public:
  TablePrinter(const Shown& shown, const std::vector<std::size_t>& widths,
               const TableOptions& options)
      : shown_(shown),
        widths_(widths),
        options_(options),
        box_(options.unicode ? kUnicodeBox : kAsciiBox) {}

  std::string print() {
    rule(box_.top_left, box_.top, box_.top_right);
    const std::size_t header_lines = shown_.headers[0].size();
    for (std::size_t line = 0; line < header_lines; ++line) {
      bar();
      for (std::size_t c = 0; c < widths_.size(); ++c) {
        const bool name = line == 0 && options_.header;
        field(shown_.headers[c][line], c, name ? TextStyle::kBold : TextStyle::kDim);
      }
      out_.push_back('\n');
    }
    if (header_lines > 0) {
      rule(box_.left, box_.cross, box_.right);
    }
    for (const std::vector<ShownCell>& cells : shown_.rows) {
      if (!is_wanted(options_)) {
        break;
      }
      row(cells);
    }
    rule(box_.bottom_left, box_.bottom, box_.bottom_right);
    return std::move(out_);
  }

 private:
  void bar() { append_styled(out_, box_.vertical, TextStyle::kDim, options_.color); }

  void rule(std::string_view first, std::string_view middle, std::string_view last) {
    std::string text(first);
    for (std::size_t c = 0; c < widths_.size(); ++c) {
      for (std::size_t i = 0; i < widths_[c] + kCellFrame - 1; ++i) {
        text.append(box_.horizontal);
      }
      text.append(c + 1 < widths_.size() ? middle : last);
    }
    append_styled(out_, text, TextStyle::kDim, options_.color);
    out_.push_back('\n');
  }

  void row(const std::vector<ShownCell>& cells) {
    std::size_t lines = 1;
    for (const ShownCell& cell : cells) {
      lines = std::max(lines, cell.lines.size());
    }
    for (std::size_t line = 0; line < lines; ++line) {
      bar();
      for (std::size_t c = 0; c < cells.size(); ++c) {
        const bool has_line = line < cells[c].lines.size();
        field(has_line ? cells[c].lines[line] : "", c, cells[c].style);
      }
      out_.push_back('\n');
    }
  }

  void field(const std::string& text, std::size_t column, TextStyle style) {
    const std::size_t used = text_width(text);
    const std::string padding(widths_[column] - std::min(used, widths_[column]), ' ');
    out_.push_back(' ');
    out_.append(shown_.right[column] ? padding : "");
    append_styled(out_, text, style, options_.color);
    out_.append(shown_.right[column] ? "" : padding);
    out_.push_back(' ');
    bar();
  }

  const Shown& shown_;
  const std::vector<std::size_t>& widths_;
  const TableOptions& options_;
  const Box& box_;
  std::string out_;
};

// The widths a table would have, or nothing when lines are better.
std::optional<std::vector<std::size_t>> table_widths(const Shown& shown,
                                                     const TableOptions& options) {
  if (options.layout == TableLayout::kLine) {
    return std::nullopt;
  }
  const std::size_t frame = kCellFrame * shown.natural.size() + 1;
  const std::size_t sum =
      std::accumulate(shown.natural.begin(), shown.natural.end(), std::size_t{0});
  if (options.width == 0 || sum + frame <= options.width) {
    return shown.natural;
  }
  const bool automatic = options.layout == TableLayout::kAuto;
  if (automatic && shown.natural.size() > options.columns_max) {
    return std::nullopt;
  }
  const std::size_t budget = options.width > frame ? options.width - frame : 0;
  std::vector<std::size_t> widths = fit_widths(shown.natural, shown.minimum, budget);
  if (widths.empty()) {
    return automatic ? std::nullopt : std::optional(shown.minimum);
  }
  return widths;
}

// A header alone that is many screens wide tells nobody anything.
bool is_header_too_wide(const Shown& shown, const TableOptions& options) {
  return shown.rows.empty() && options.header && options.width == 0 &&
         options.layout != TableLayout::kLine &&
         kCellFrame * shown.natural.size() +
                 std::accumulate(shown.natural.begin(), shown.natural.end(), std::size_t{1}) >
             kHeaderWidthMax;
}

void append_field_lines(std::string& out, std::string_view name, const TableCell& cell,
                        std::size_t name_width, const TableOptions& options) {
  const std::string_view bar = options.unicode ? "│" : "|";
  const std::size_t indent = name_width + kCellFrame;
  const std::size_t room =
      options.width > indent + kTextWidthMin ? options.width - indent : kWidthUnlimited;
  const std::string text = visible_text(
      cell.kind == TableCellKind::kNull ? options.null_text : cell.text, LineBreaks::kKeep);
  const auto append_line = [&](std::string_view label, std::string_view line, TextStyle style) {
    append_styled(out, label, TextStyle::kBold, options.color);
    out.append(name_width - text_width(label) + 1, ' ');
    append_styled(out, bar, TextStyle::kDim, options.color);
    out.push_back(' ');
    append_styled(out, line, style, options.color);
    out.push_back('\n');
  };
  const std::size_t lines_max =
      options.layout == TableLayout::kAuto && options.width > 0 ? kFieldLinesMax : SIZE_MAX;
  std::size_t lines = 0;
  std::size_t position = 0;
  while (position <= text.size()) {
    const std::size_t end = std::min(text.find('\n', position), text.size());
    const std::string_view paragraph = std::string_view(text).substr(position, end - position);
    for (const std::string_view line : wrap_to_width(paragraph, room)) {
      if (lines == lines_max) {
        const auto rest = static_cast<std::size_t>(text.data() + text.size() - line.data());
        append_line("", (options.unicode ? "… " : "... ") + grouped_text(rest) + " more bytes",
                    TextStyle::kDim);
        return;
      }
      append_line(lines++ == 0 ? name : std::string_view(), line, style_of(cell));
    }
    position = end + 1;
  }
}

// Whether a row that is turned into lines has a line for the column.
bool is_shown(const TableRows& rows, std::size_t column, const TableOptions& options) {
  bool shown = options.lines_of_nulls;
  for (std::size_t r = 0; r < shown_rows(rows, options) && !shown; ++r) {
    shown = cell_at(rows[r], column).kind != TableCellKind::kNull;
  }
  return shown;
}

std::string format_lines(const std::vector<TableColumn>& columns, const TableRows& rows,
                         const TableOptions& options) {
  std::vector<std::string> names;
  std::size_t name_width = 0;
  for (const TableColumn& column : columns) {
    std::string name =
        options.types && !column.type.empty() ? column.name + ":" + column.type : column.name;
    // Names take at most half of the screen.
    name = visible_text(name);
    if (options.width > 0) {
      name =
          truncate_to_width(name, std::max(options.width / 2, kTextWidthMin), ellipsis_of(options));
    }
    if (is_shown(rows, names.size(), options)) {
      name_width = std::max(name_width, text_width(name));
    }
    names.push_back(std::move(name));
  }
  std::string out;
  const std::size_t rule_width =
      options.width == 0 ? kLineRuleWidth : std::min(options.width, kLineRuleWidth);
  for (std::size_t r = 0; r < shown_rows(rows, options) && is_wanted(options); ++r) {
    const std::string_view dash = options.unicode ? "─" : "-";
    std::string rule(dash);
    rule += "[ " + grouped_text(r + 1) + " ]";
    for (std::size_t used = text_width(rule); used < rule_width; ++used) {
      rule.append(dash);
    }
    append_styled(out, rule, TextStyle::kDim, options.color);
    out.push_back('\n');
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const TableCell& cell = cell_at(rows[r], c);
      if (options.lines_of_nulls || cell.kind != TableCellKind::kNull) {
        append_field_lines(out, names[c], cell, name_width, options);
      }
    }
  }
  return out;
}

void append_rest(std::string& out, const TableRows& rows, const TableOptions& options) {
  const std::size_t total = std::max(options.rows_total, rows.size());
  const std::size_t rest = total - shown_rows(rows, options);
  if (rest > 0) {
    const std::string text = (options.unicode ? "… " : "... ") + grouped_text(rest) + " more";
    append_styled(out, text, TextStyle::kDim, options.color);
    out.push_back('\n');
  }
}

// What GitHub's Markdown takes for more than itself, everywhere or, of emphasis, struck text and
// mathematics, in pairs: _time and ~/logs alone mark nothing.
constexpr std::string_view kMarkdownMarks = "|\\<`*";
constexpr std::string_view kMarkdownPairs = "_~$";

std::size_t end_of_run(std::string_view text, std::size_t begin) {
  return std::min(text.find_first_not_of(text[begin], begin), text.size());
}

// The place in kMarkdownPairs of a run of one byte; npos for others and for underscores within a
// word, which mark nothing.
std::size_t paired_mark(std::string_view text, std::size_t begin, std::size_t end) {
  const bool within_word = begin > 0 && end < text.size() && is_letter_or_digit(text[begin - 1]) &&
                           is_letter_or_digit(text[end]);
  return text[begin] == '_' && within_word ? std::string_view::npos
                                           : kMarkdownPairs.find(text[begin]);
}

// Whether the rest of &lt; or &#60; follows.
bool ends_entity(std::string_view rest) {
  rest.remove_prefix(rest.starts_with('#') ? 1 : 0);
  const auto* const end = std::ranges::find_if_not(rest, is_letter_or_digit);
  return end != rest.begin() && end != rest.end() && *end == ';';
}

std::string markdown_text(std::string_view text) {
  const std::string shown = visible_text(text, LineBreaks::kKeep);
  std::array<std::size_t, kMarkdownPairs.size()> runs{};
  for (std::size_t begin = 0, end = 0; begin < shown.size(); begin = end) {
    end = end_of_run(shown, begin);
    if (const std::size_t mark = paired_mark(shown, begin, end); mark < runs.size()) {
      ++runs[mark];
    }
  }
  std::string out;
  for (std::size_t begin = 0, end = 0; begin < shown.size(); begin = end) {
    end = end_of_run(shown, begin);
    const char byte = shown[begin];
    const std::size_t mark = paired_mark(shown, begin, end);
    const std::string_view rest = std::string_view(shown).substr(end);
    const bool escaped = kMarkdownMarks.find(byte) != std::string_view::npos ||
                         (mark < runs.size() && runs[mark] > 1) ||
                         (byte == '&' && ends_entity(rest)) ||
                         (byte == ']' && rest.starts_with('('));  // of [a](b) and ![a](b)
    for (std::size_t i = begin; i < end; ++i) {
      out.append(byte == '\n' ? "<br>" : escaped ? "\\" : "");
      out.append(byte == '\n' ? 0 : 1, byte);
    }
  }
  return out;
}

}  // namespace

std::vector<std::size_t> fit_widths(const std::vector<std::size_t>& natural,
                                    const std::vector<std::size_t>& minimum, std::size_t budget) {
  const auto total_at = [&](std::size_t cap) {
    std::size_t total = 0;
    for (std::size_t i = 0; i < natural.size(); ++i) {
      total += std::max(std::min(natural[i], cap), minimum[i]);
    }
    return total;
  };
  if (total_at(0) > budget) {
    return {};
  }
  // The highest cap on all columns that fits; what rounding leaves goes to the first capped ones.
  std::size_t low = 0;
  std::size_t high = natural.empty() ? 0 : *std::max_element(natural.begin(), natural.end());
  while (low < high) {
    const std::size_t middle = low + (high - low + 1) / 2;
    if (total_at(middle) <= budget) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  std::size_t spare = budget - total_at(low);
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < natural.size(); ++i) {
    std::size_t width = std::max(std::min(natural[i], low), minimum[i]);
    if (spare > 0 && width < natural[i] && width == low) {
      ++width;
      --spare;
    }
    widths.push_back(width);
  }
  return widths;
}

std::string format_table(const std::vector<TableColumn>& columns, const TableRows& rows,
                         const TableOptions& options) {
  if (columns.empty()) {
    return "";
  }
  Shown shown = measure(columns, rows, options);
  std::string out;
  if (is_header_too_wide(shown, options)) {
    return "no rows; there are " + counted_text(columns.size(), "column") + "\n";
  }
  if (const auto widths = table_widths(shown, options)) {
    lay_out_cells(shown, *widths, options);
    out = TablePrinter(shown, *widths, options).print();
  } else {
    out = format_lines(columns, rows, options);
  }
  append_rest(out, rows, options);
  return out;
}

bool fits_in_box(const std::vector<TableColumn>& columns, const TableRows& rows,
                 const TableOptions& options) {
  return table_widths(measure(columns, rows, options), options).has_value();
}

std::string format_markdown(const std::vector<TableColumn>& columns, const TableRows& rows,
                            const TableOptions& options) {
  if (columns.empty()) {
    return "";
  }
  const Shown shown = measure(columns, rows, options);
  std::string out;
  std::string rule;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::string type =
        options.types && !columns[c].type.empty() ? ":" + columns[c].type : std::string();
    out += "| " + (options.header ? markdown_text(columns[c].name + type) : std::string()) + " ";
    rule += shown.right[c] ? "| ---: " : "| --- ";
  }
  out += "|\n" + rule + "|\n";
  for (std::size_t r = 0; r < shown_rows(rows, options) && is_wanted(options); ++r) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const TableCell& cell = cell_at(rows[r], c);
      out +=
          "| " + markdown_text(cell.kind == TableCellKind::kNull ? options.null_text : cell.text);
      out += " ";
    }
    out += "|\n";
  }
  return out;
}

}  // namespace evq

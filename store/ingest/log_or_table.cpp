#include "store/ingest/log_or_table.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "store/base/ascii.h"
#include "store/base/time_scan.h"
#include "store/ingest/csv_header.h"
#include "store/ingest/csv_record.h"
#include "store/ingest/format.h"
#include "store/ingest/json_text.h"
#include "store/ingest/leading_time.h"
#include "store/ingest/log_fields.h"

namespace evq {

namespace {

// Whether every quote of a line opens or closes a cell of CSV; the last cell may go on in the next
// line.
bool quotes_cells(std::string_view line, char delimiter) {
  std::size_t i = 0;
  while (i < line.size()) {
    if (line[i] != '"') {
      const std::size_t end = std::min(line.find(delimiter, i), line.size());
      if (line.substr(i, end - i).find('"') != std::string_view::npos) {
        return false;
      }
      i = end + 1;
      continue;
    }
    do {
      const std::size_t close = line.find('"', i + 1);
      if (close == std::string_view::npos) {
        return true;
      }
      i = close + 1;
    } while (i < line.size() && line[i] == '"');
    i = std::min(line.find_first_not_of(" \r", i), line.size());
    if (i < line.size() && line[i] != delimiter) {
      return false;
    }
    i = skip_json_blanks(line, i + 1);
  }
  return true;
}

// Whether two lines have the same cell in the same place; no value is the name of its column.
bool share_a_cell(std::string_view line, std::string_view next_line, char delimiter) {
  while (!line.empty() && !next_line.empty()) {
    const std::size_t end = std::min(line.find(delimiter), line.size());
    const std::size_t next_end = std::min(next_line.find(delimiter), next_line.size());
    const std::string_view cell = trimmed(line.substr(0, end));
    if (!cell.empty() && cell == trimmed(next_line.substr(0, next_end))) {
      return true;
    }
    line.remove_prefix(std::min(end + 1, line.size()));
    next_line.remove_prefix(std::min(next_end + 1, next_line.size()));
  }
  return false;
}

// Whether a line is an object of JSON, which in a cell of CSV would stand in quotes.
bool is_object_line(std::string_view line) {
  return line.starts_with("{\"") && line.ends_with('}') && is_balanced(line);
}

// Whether the next line is one, as far as can be seen.
bool next_is_object(std::string_view rest) {
  const std::size_t next = skip_json_blanks(rest, 0);
  const std::size_t end = rest.find('\n', next);
  return end != std::string_view::npos && is_object_line(trimmed(rest.substr(next, end - next)));
}

// Whether a line begins with a time that words follow in the same cell, or whose fraction the
// delimiter parts from it, as in "2024-05-01 10:20:30,123 INFO x".
bool begins_as_logged(std::string_view line, char delimiter) {
  constexpr std::size_t kFractionDigits = 3;
  const std::string_view cell = trimmed(take_raw_cell(&line, delimiter));
  if (cell.starts_with('"') || !leading_time(cell, 0)) {
    return false;
  }
  return !is_time_cell(cell) ||
         (line.find_first_not_of("0123456789") == kFractionDigits && line[kFractionDigits] == ' ');
}

// Whether a blank stands behind a delimiter.
bool is_spaced(std::string_view line, char delimiter) {
  return line.find(std::string{delimiter, ' '}) != std::string_view::npos;
}

// Whether the line and what follows it, `rest`, are sentences: a blank stands behind a delimiter,
// and one behind a colon as well, or the next line, if there is one, has no delimiter, says
// something again, or begins as a log's does. Nothing: more must be seen.
std::optional<bool> is_prose(std::string_view line, std::string_view rest, char delimiter,
                             bool at_end) {
  if (!is_spaced(line, delimiter)) {
    return false;
  }
  if (line.find(": ") != std::string_view::npos) {
    return true;
  }
  const std::size_t next = skip_json_blanks(rest, 0);
  const std::size_t next_end = rest.find('\n', next);
  if (next_end == std::string_view::npos && !at_end) {
    return std::nullopt;
  }
  const std::string_view next_line = rest.substr(next, next_end - next);
  return begins_as_logged(next_line, delimiter) || share_a_cell(line, next_line, delimiter) ||
         (next_line.find(delimiter) == std::string_view::npos &&
          next_line.find('"') == std::string_view::npos);
}

// Whether a line that would be a long header stands above records with as many cells, of which one
// at least is seen. Nothing: more must be seen.
std::optional<bool> heads_a_table(std::string_view line, std::string_view rest, char delimiter,
                                  bool at_end) {
  constexpr std::size_t kLinesSeen = 3;
  const auto count_cells = [delimiter](std::string_view record) {
    const char* const end = record.data() + record.size();
    for (std::size_t cells = 1;; ++cells) {
      const std::string_view cell = take_raw_cell(&record, delimiter);
      if (cell.data() + cell.size() == end) {  // the last delimiter may have an empty one behind it
        return cells;
      }
    }
  };
  const std::size_t cells = count_cells(line);
  for (std::size_t lines = 0; lines < kLinesSeen;) {
    if (rest.find('\n') == std::string_view::npos && !at_end) {
      return std::nullopt;
    }
    const std::string_view record = take_line(&rest);
    const bool blank = is_blank(record);
    if (blank && rest.empty()) {
      return lines > 0;
    }
    if (!blank && count_cells(record) != cells) {
      return false;
    }
    lines += blank ? 0U : 1U;
  }
  return true;
}

// Whether a line is a cell that stands alone: a word, a time, or what quotes enclose. Nothing: a
// cell in quotes that goes on in the next line.
std::optional<bool> is_lone_cell(std::string_view line, char delimiter) {
  if (!line.starts_with('"')) {
    return line.find(delimiter) == std::string_view::npos &&
           (count_words(line) == 1 || whole_time(line).has_value());
  }
  for (std::size_t close = 1; close < line.size(); ++close) {
    if (line[close] != '"') {
      continue;
    }
    if (close + 1 == line.size() || line[close + 1] != '"') {
      return close + 1 == line.size();
    }
    ++close;
  }
  return std::nullopt;
}

// Whether the lines below one of a single word are the cells of the column that it names; it is no
// name where it comes again. Nothing: more must be seen.
std::optional<bool> is_one_column(std::string_view name, std::string_view rest, char delimiter,
                                  bool at_end) {
  constexpr std::size_t kLinesSeen = 10;
  for (std::size_t lines = 0; lines < kLinesSeen;) {
    if (rest.find('\n') == std::string_view::npos && !at_end) {
      return std::nullopt;
    }
    if (rest.empty()) {
      break;
    }
    const std::string_view line = trimmed(take_line(&rest));
    if (line.empty()) {
      continue;
    }
    if (is_object_line(line) || line == name) {
      return false;
    }
    const std::optional<bool> lone = is_lone_cell(line, delimiter);
    if (lone != std::optional(true)) {
      return !lone.has_value();
    }
    ++lines;
  }
  return true;
}

// Whether a time and more stand in a cell without quotes, as in "build<TAB>step<TAB>2024-…Z text":
// where the cells of a table hold a time, it is all that they hold.
bool has_time_before_words(std::string_view line, char delimiter) {
  while (!line.empty()) {
    const std::string_view cell = trimmed(take_raw_cell(&line, delimiter));
    if (!cell.starts_with('"') && leading_time(cell, 0) && !is_time_cell(cell)) {
      return true;
    }
  }
  return false;
}

// "10.0.0.1" and "10.0.0.1:80".
bool is_address(std::string_view cell) {
  constexpr int kNumbers = 4;
  TimeScanner scanner(cell);
  for (int i = 0; i < kNumbers; ++i) {
    if ((i > 0 && !scanner.take('.')) || !scanner.take_number(1, 3)) {
      return false;
    }
  }
  return scanner.at_end() || scanner.peek() == ':';
}

// "/x", "GET /x" and "https://x", but neither "km/h" nor "Path /x".
bool begins_with_path(std::string_view cell) {
  const std::size_t method = cell.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  const bool has_method = method != 0 && method != std::string_view::npos && cell[method] == ' ';
  const std::string_view path = trimmed(cell.substr(has_method ? method : 0));
  const std::string_view scheme = path.substr(0, path.find("://"));
  return (path.size() > 1 && path.front() == '/' && path[1] != ' ') ||
         (scheme.size() < path.size() && std::ranges::all_of(scheme, is_letter));
}

// What a cell is that names no column where others of its kind stand below it: a table may count
// levels, hosts or pages in a column each, but has numbers there. Columns are called "info" and
// "error", but seldom "INFO" above "WARN".
enum class CellKind : std::uint8_t { kOther, kLevel, kAddress, kPath };

CellKind cell_kind(std::string_view cell) {
  cell = trimmed(cell);
  const bool marked = cell.starts_with('[') ||
                      cell.find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string_view::npos;
  return marked && is_level_word(cell) ? CellKind::kLevel
         : is_address(cell)            ? CellKind::kAddress
         : begins_with_path(cell)      ? CellKind::kPath
                                       : CellKind::kOther;
}

// Whether a cell of the line, which is not empty, is a time.
bool has_time_cell(std::string_view line, char delimiter) {
  while (!line.empty()) {
    if (is_time_cell(trimmed(take_raw_cell(&line, delimiter)))) {
      return true;
    }
  }
  return false;
}

// Whether a level, an address or a path stands above one of its kind in the next line, or with
// nothing below the line at all. Where the line has a time as well it is told by that whether it is
// a header. Nothing: more must be seen.
std::optional<bool> begins_with_values(std::string_view line, std::string_view rest, char delimiter,
                                       bool at_end) {
  std::vector<CellKind> kinds;
  for (std::string_view cells = line; !cells.empty();) {
    kinds.push_back(cell_kind(take_raw_cell(&cells, delimiter)));
  }
  if (std::ranges::count(kinds, CellKind::kOther) == std::ssize(kinds) ||
      has_time_cell(line, delimiter)) {
    return false;
  }
  rest.remove_prefix(std::min(rest.find_first_not_of("\r\n"), rest.size()));
  if (rest.find('\n') == std::string_view::npos && !at_end) {
    return std::nullopt;
  }
  std::string_view below = trimmed(take_line(&rest));
  bool alike = below.empty();
  for (std::size_t i = 0; i < kinds.size() && !below.empty(); ++i) {
    const CellKind kind = cell_kind(take_raw_cell(&below, delimiter));
    alike = alike || (kind != CellKind::kOther && kind == kinds[i]);
  }
  return alike;
}

// Whether a line is cells with tabs between, of which the first is a date without a time of day.
bool is_dated_row(std::string_view line, char delimiter) {
  const std::string_view cell = trimmed(take_raw_cell(&line, delimiter));
  return delimiter == '\t' && is_time_cell(cell) && !leading_time(cell, 0);
}

}  // namespace

bool is_security_event(std::string_view line) {
  for (const std::string_view mark : {std::string_view("CEF:"), std::string_view("LEEF:")}) {
    const std::size_t at = line.find(mark);
    if (at == std::string_view::npos || (at > 0 && is_letter_or_digit(line[at - 1]))) {
      continue;
    }
    const std::string_view rest = line.substr(at + mark.size());
    const std::size_t end = rest.find_first_not_of("0123456789.");
    if (end != 0 && end != std::string_view::npos && rest[end] == '|') {
      return true;
    }
  }
  return false;
}

bool names_a_column(std::string_view word) {
  constexpr std::string_view kMarks = "@$%#";  // one may stand before a name
  word = trimmed(word);
  const bool marked = !word.empty() && kMarks.find(word.front()) != std::string_view::npos;
  word.remove_prefix(marked ? 1 : 0);
  const auto is_ascii = [](char c) { return static_cast<signed char>(c) >= 0; };
  return !word.empty() && (is_letter(word.front()) || word.front() == '_' || !is_ascii(word[0])) &&
         word.find('/') == std::string_view::npos &&
         std::string_view(".:!?").find(word.back()) == std::string_view::npos;
}

std::optional<bool> begins_with_log_line(std::string_view head, bool at_end) {
  constexpr std::size_t kHeaderWordsMax = 6;
  const std::size_t line_end = head.find('\n');
  if (line_end == std::string_view::npos && !at_end) {
    return std::nullopt;
  }
  std::string_view line = head.substr(0, line_end);
  if (is_security_event(line)) {
    return true;
  }
  const char delimiter = detect_delimiter(head);
  if (line.find('"') != std::string_view::npos) {
    return !quotes_cells(line, delimiter) || has_time_before_words(line, delimiter);
  }
  if (leading_time(line, 0)) {
    return !is_dated_row(line, delimiter);
  }
  const std::string_view rest = head.substr(std::min(line_end, head.size()));
  if (line.find(delimiter) == std::string_view::npos) {
    if (count_words(line) > 1 || (at_end && is_blank(rest)) || !names_a_column(line)) {
      return true;
    }
    const std::optional<bool> column = is_one_column(trimmed(line), rest, delimiter, at_end);
    return column ? std::optional(!*column) : std::nullopt;
  }
  if (has_time_before_words(line, delimiter) || next_is_object(rest)) {
    return true;
  }
  std::size_t words = 0;  // of the longest cell
  for (std::string_view cells = line; !cells.empty();) {
    words = std::max(words, count_words(take_raw_cell(&cells, delimiter)));
  }
  const std::optional<bool> values = begins_with_values(line, rest, delimiter, at_end);
  if (values != std::optional(false)) {
    return values;
  }
  if (words <= kHeaderWordsMax) {
    return is_prose(line, rest, delimiter, at_end);
  }
  if (is_spaced(line, delimiter)) {
    return true;
  }
  const std::optional<bool> table = heads_a_table(line, rest, delimiter, at_end);
  return table ? std::optional(!*table) : std::nullopt;
}

}  // namespace evq

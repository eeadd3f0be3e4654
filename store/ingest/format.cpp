#include "store/ingest/format.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "store/base/ascii.h"
#include "store/base/check.h"
#include "store/ingest/boundary.h"
#include "store/ingest/csv_header.h"
#include "store/ingest/json_rows.h"
#include "store/ingest/json_text.h"
#include "store/ingest/leading_time.h"
#include "store/ingest/logfmt_line.h"
#include "store/ingest/w3c_log.h"

namespace evq {

namespace {

std::size_t skip_blanks(std::string_view text, std::size_t i) {
  while (i < text.size() && is_json_blank(text[i])) {
    ++i;
  }
  return i;
}

// Follows the brackets and strings of JSON.
class Nesting {
 public:
  // Takes the next character; false when a bracket closes that was the outermost.
  bool take(char c) {
    if (in_string_) {
      in_string_ = escaped_ || c != '"';
      escaped_ = !escaped_ && c == '\\';
    } else if (c == '"') {
      in_string_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if ((c == '}' || c == ']') && depth_ > 0) {
      return --depth_ != 0;
    }
    return true;
  }
  bool is_closed() const { return depth_ == 0 && !in_string_; }

 private:
  std::size_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
};

// True when all brackets and strings of a line are closed at its end.
bool is_balanced(std::string_view line) {
  Nesting nesting;
  for (const char c : line) {
    nesting.take(c);
  }
  return nesting.is_closed();
}

// Where the value ends that `text` begins with, an array or an object: npos when it goes on.
std::size_t end_of_value(std::string_view text) {
  Nesting nesting;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!nesting.take(text[i])) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

// Whether objects come a line each.
std::optional<PieceKind> detect_object_kind(std::string_view head, bool at_end) {
  const std::size_t line_end = head.find('\n');
  if (line_end == std::string_view::npos) {
    return at_end ? std::optional(PieceKind::kValues) : std::nullopt;
  }
  if (is_balanced(head.substr(0, line_end))) {
    return PieceKind::kLines;
  }
  const std::size_t next = skip_blanks(head, line_end);
  if (next == head.size() && !at_end) {
    return std::nullopt;
  }
  // A line that is cut off seldom ends where more must follow; one of a longer value does.
  const std::string_view line = trimmed(head.substr(0, line_end));
  const bool goes_on = std::string_view("[,:").find(line.back()) != std::string_view::npos;
  const bool begins_line = next < head.size() && head[next] == '{' && head[next - 1] == '\n';
  return begins_line && !goes_on ? PieceKind::kLines : PieceKind::kValues;
}

// Whether an array is one of many, a line each, or the whole input.
std::optional<PieceKind> detect_array_kind(std::string_view head, bool rows_possible, bool at_end) {
  const std::size_t line_end = head.find('\n');
  if (line_end == std::string_view::npos) {
    return at_end ? std::optional(PieceKind::kValues) : std::nullopt;
  }
  if (!is_balanced(head.substr(0, line_end))) {
    return PieceKind::kValues;
  }
  const std::size_t next = skip_blanks(head, line_end);
  if (next == head.size() && !at_end) {
    return std::nullopt;
  }
  if (next == head.size() || head[next] != '[') {
    return PieceKind::kValues;
  }
  return rows_possible && read_row_names(head.substr(0, line_end)).has_value() ? PieceKind::kRows
                                                                               : PieceKind::kLines;
}

// The size of the number of JSON that `text` begins with, which may be cut off at its end; 0 where
// there is none: "2024-05-12" and "007" are none.
std::size_t number_size(std::string_view text) {
  const auto digits_end = [&](std::size_t from) {
    return std::min(text.find_first_not_of("0123456789", from), text.size());
  };
  const auto follows = [&](std::size_t at, std::string_view any) {
    return at < text.size() && any.find(text[at]) != std::string_view::npos;
  };
  const std::size_t first = follows(0, "-") ? 1 : 0;
  std::size_t end = digits_end(first);
  if ((end == first && end < text.size()) || (end - first > 1 && text[first] == '0')) {
    return 0;
  }
  if (follows(end, ".")) {
    end = digits_end(end + 1);
  }
  if (follows(end, "eE")) {
    end = digits_end(end + (follows(end + 1, "+-") ? 2 : 1));
  }
  return follows(end, "+-.:/_") || (end < text.size() && is_letter_or_digit(text[end])) ? 0 : end;
}

// The size of the word or the number that an array may begin with, 0 for one that is empty; nothing
// where no array does.
std::optional<std::size_t> plain_value(std::string_view text) {
  if (text.front() == ']') {
    return 0;
  }
  for (const std::string_view word : {"true", "false", "null"}) {
    const std::size_t size = std::min(word.size(), text.size());
    if (text.substr(0, size) == word.substr(0, size)) {
      return size;
    }
  }
  const std::size_t size = number_size(text);
  return size == 0 ? std::nullopt : std::optional(size);
}

// Whether nothing but one of `any` comes behind the value that begins at `begin`, on its last line.
bool only_followed_by(std::string_view head, std::size_t begin, std::string_view any) {
  const std::size_t size = end_of_value(head.substr(begin));
  const std::size_t behind = size == std::string_view::npos
                                 ? std::string_view::npos
                                 : head.find_first_not_of(" \t\r", begin + size);
  return behind == std::string_view::npos || any.find(head[behind]) != std::string_view::npos;
}

// Whether a JSON array can begin with this `[`: "[error] …", "[2024-05-01 …", "[null] …" and
// "[[ACTIVE] …" are log lines, and so are "[    0.000000] [drm] …", a kernel's, and all lines that
// go on behind an array of plain values.
bool begins_array(std::string_view head, std::size_t open) {
  std::size_t first = skip_blanks(head, open + 1);
  std::size_t innermost = open;
  while (first < head.size() && head[first] == '[') {
    innermost = first;
    first = skip_blanks(head, first + 1);
  }
  const std::string_view rest = head.substr(std::min(first, head.size()));
  if (rest.empty() || rest.front() == '{') {
    return true;
  }
  if (rest.front() != '"') {
    const std::optional<std::size_t> value = plain_value(rest);
    if (!value.has_value()) {
      return false;
    }
    const std::size_t next = skip_blanks(rest, *value);
    if (next < rest.size() && rest[next] != ']' && rest[next] != ',') {
      return false;
    }
  }
  return only_followed_by(head, innermost, innermost == open ? "\n" : "\n,]") &&
         only_followed_by(head, open, "\n");
}

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
    i = skip_blanks(line, i + 1);
  }
  return true;
}

// Whether a line is an event of ArcSight's or QRadar's format, "CEF:0|Vendor|…" and "LEEF:2.0|…",
// which may stand behind what syslog puts first. Its bars separate no cells of a table.
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

// Whether a line holds pairs, of which the last has a value: lines of base64 may end in "=".
bool holds_pairs(std::string_view line) {
  line.remove_suffix(line.ends_with('\r') ? 1 : 0);
  return is_logfmt_line(line, 1) && !line.ends_with('=');
}

// Nothing: more must be seen.
std::optional<bool> begins_with_logfmt(std::string_view head, bool at_end) {
  constexpr std::size_t kPairsMin = 2;
  const std::size_t line_end = head.find('\n');
  if (line_end == std::string_view::npos && !at_end) {
    return std::nullopt;
  }
  std::string_view line = head.substr(0, line_end);
  line.remove_suffix(line.ends_with('\r') ? 1 : 0);
  if (is_security_event(line)) {
    return false;
  }
  // Some of an audit daemon's lines hold more than pairs, such as the one of its start.
  if (is_logfmt_line(line, kPairsMin) || !audit_time_text(line).empty()) {
    return true;
  }
  // One pair may be anything, unless the next line holds pairs as well; cells may look like one.
  const bool cells = line.find('"') == std::string_view::npos &&
                     line.find_first_of(",;\t|") != std::string_view::npos;
  if (cells || !holds_pairs(line)) {
    return false;
  }
  const std::string_view rest = head.substr(std::min(line_end, head.size()));
  const std::size_t next = skip_blanks(rest, 0);
  const std::size_t next_end = rest.find('\n', next);
  if (next_end == std::string_view::npos && !at_end) {
    return std::nullopt;
  }
  return holds_pairs(rest.substr(next, next_end - next));
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
  const std::size_t next = skip_blanks(rest, 0);
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

// Whether the line and what follows it, `rest`, are sentences: a blank stands behind a delimiter,
// and one behind a colon as well, or the next line, if there is one, has no delimiter, says
// something again, or begins as a log's does. Nothing: more must be seen.
std::optional<bool> is_prose(std::string_view line, std::string_view rest, char delimiter,
                             bool at_end) {
  if (line.find(std::string{delimiter, ' '}) == std::string_view::npos) {
    return false;
  }
  if (line.find(": ") != std::string_view::npos) {
    return true;
  }
  const std::size_t next = skip_blanks(rest, 0);
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

// Whether one word may be the header of a column: an address, a path or a rule is none, nor what
// ends as a sentence does.
bool names_a_column(std::string_view word) {
  constexpr std::string_view kMarks = "@$%#";  // one may stand before a name
  word = trimmed(word);
  word.remove_prefix(kMarks.find(word.front()) == std::string_view::npos ? 0 : 1);
  const auto is_ascii = [](char c) { return static_cast<signed char>(c) >= 0; };
  return !word.empty() && (is_letter(word.front()) || word.front() == '_' || !is_ascii(word[0])) &&
         word.find('/') == std::string_view::npos &&
         std::string_view(".:!?").find(word.back()) == std::string_view::npos;
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

// Whether the first record of `head` reads like a log line and not like a header of CSV.
std::optional<bool> is_log_line(std::string_view head, bool at_end) {
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
    return true;
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
  if (words <= kHeaderWordsMax) {
    return is_prose(line, rest, delimiter, at_end);
  }
  if (line.find(std::string{delimiter, ' '}) != std::string_view::npos) {
    return true;
  }
  const std::optional<bool> table = heads_a_table(line, rest, delimiter, at_end);
  return table ? std::optional(!*table) : std::nullopt;
}

}  // namespace

std::optional<PieceKind> detect_kind(std::string_view head, InputFormat forced, bool at_end) {
  if (forced == InputFormat::kNdjson) {
    return PieceKind::kLines;
  }
  if (forced == InputFormat::kCsv) {
    return PieceKind::kRecords;
  }
  if (forced == InputFormat::kText) {
    return PieceKind::kText;
  }
  if (forced == InputFormat::kLogfmt) {
    return PieceKind::kLogfmt;
  }
  if (forced == InputFormat::kW3c) {
    return PieceKind::kW3c;
  }
  const std::size_t first = skip_blanks(head, 0);
  if (first == head.size()) {
    return at_end ? std::optional(PieceKind::kValues) : std::nullopt;
  }
  constexpr char kRecordSeparator = '\x1E';  // before each line of a JSON text sequence
  if (head[first] == kRecordSeparator && first + 1 < head.size() && head[first + 1] == '{') {
    return PieceKind::kLines;
  }
  if (head[first] == '{' && forced == InputFormat::kDetect &&
      !may_begin_object(head.substr(first))) {
    return PieceKind::kText;
  }
  if (head[first] == '{') {
    const std::string_view object = head.substr(first);
    const auto wrapper = forced == InputFormat::kDetect ? records_prefix(object) : std::size_t{0};
    if (!wrapper && !at_end) {
      return std::nullopt;
    }
    return wrapper.value_or(0) > 0 ? PieceKind::kValues : detect_object_kind(object, at_end);
  }
  if (head[first] == '[' && forced == InputFormat::kDetect && !begins_array(head, first)) {
    return PieceKind::kText;
  }
  if (head[first] == '[' && forced != InputFormat::kJson) {
    return detect_array_kind(head.substr(first), forced == InputFormat::kDetect, at_end);
  }
  if (head[first] == '[' || forced == InputFormat::kJson) {
    return PieceKind::kValues;
  }
  if (forced == InputFormat::kDetect) {
    const std::optional<bool> w3c = begins_with_w3c_header(head.substr(first), at_end);
    if (w3c != std::optional(false)) {
      return w3c ? std::optional(PieceKind::kW3c) : std::nullopt;
    }
    const std::optional<bool> logfmt = begins_with_logfmt(head.substr(first), at_end);
    if (logfmt != std::optional(false)) {
      return logfmt ? std::optional(PieceKind::kLogfmt) : std::nullopt;
    }
    const std::optional<bool> log = is_log_line(head.substr(first), at_end);
    if (!log) {
      return std::nullopt;
    }
    return *log ? PieceKind::kText : PieceKind::kRecords;
  }
  return PieceKind::kRecords;
}

PieceKind kind_by_head(std::string_view head, InputFormat forced) {
  const std::optional<PieceKind> kind = detect_kind(head, forced, true);
  EVQ_CHECK(kind.has_value());
  return *kind;
}

bool may_begin_object(std::string_view text) {
  const std::string_view behind = text.substr(std::min<std::size_t>(1, text.size()), 1);
  return text.starts_with('{') &&
         (behind.empty() || is_json_blank(behind[0]) ||
          std::string_view("\"}'").find(behind[0]) != std::string_view::npos);
}

bool begins_with_one_name(std::string_view head) {
  const std::string_view line = trimmed(head.substr(0, head.find('\n')));
  return !line.empty() && count_words(line) == 1 && names_a_column(line) &&
         line.find(detect_delimiter(head)) == std::string_view::npos;
}

char detect_delimiter(std::string_view head) {
  constexpr std::string_view kDelimiters = ",;\t|";
  std::array<std::size_t, kDelimiters.size()> counts{};
  bool quoted = false;
  for (const char c : head) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == '\n' && !quoted) {
      break;
    } else if (!quoted && kDelimiters.find(c) != std::string_view::npos) {
      ++counts[kDelimiters.find(c)];
    }
  }
  std::size_t best = 0;
  for (std::size_t i = 1; i < counts.size(); ++i) {
    best = counts[i] > counts[best] ? i : best;
  }
  return kDelimiters[best];
}

}  // namespace evq

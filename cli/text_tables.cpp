#include "cli/text_tables.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>

#include "store/base/ascii.h"
#include "store/base/number.h"
#include "store/base/time_parse.h"
#include "store/ingest/csv_header.h"
#include "store/ingest/format.h"
#include "store/ingest/leading_time.h"
#include "store/ingest/log_entry.h"

namespace evq {

namespace {

// Lines with as many delimiters as the first one, which reads like a header.
bool begins_with_csv(std::string_view text) {
  constexpr std::size_t kLinesRead = 5;
  if (text.empty() || is_digit(text.front()) ||
      kind_by_head(text, InputFormat::kDetect) != PieceKind::kRecords) {
    return false;
  }
  const char delimiter = detect_delimiter(text);
  const auto delimiters = std::ranges::count(take_line(&text), delimiter);
  std::size_t records = 0;
  for (; records < kLinesRead && text.find('\n') != std::string_view::npos; ++records) {
    if (std::ranges::count(take_line(&text), delimiter) != delimiters) {
      return false;
    }
  }
  return delimiters > 0 && records > 0;
}

// The first cell of a record without its quotes and blanks around, taken from the record with the
// delimiter behind it.
std::string_view take_cell(std::string_view* record, char delimiter) {
  const std::size_t first = std::min(record->find_first_not_of(' '), record->size());
  std::size_t end = first;
  if (record->substr(first).starts_with('"')) {
    end = std::min(record->find('"', first + 1), record->size());
  }
  end = std::min(record->find(delimiter, end), record->size());
  std::string_view cell = trimmed(record->substr(0, end));
  record->remove_prefix(std::min(end + 1, record->size()));
  if (cell.size() > 1 && cell.starts_with('"') && cell.ends_with('"')) {
    cell = cell.substr(1, cell.size() - 2);
  }
  return cell;
}

// Whether the first cell of a record is a time and another one follows, which is not the fraction
// of that time with more behind it: "2024-05-01 10:20:30,123 INFO x".
bool begins_with_time_cell(std::string_view record, char delimiter) {
  record = record.substr(0, record.find('\n'));
  const std::string_view cell = trimmed(take_raw_cell(&record, delimiter));
  const std::string_view next = record.substr(0, record.find(delimiter));
  const std::size_t digits = std::min(next.find_first_not_of("0123456789"), next.size());
  const bool fraction = digits > 0 && digits < next.size() && next[digits] == ' ';
  return !record.empty() && is_time_cell(cell) && !fraction;
}

// Whether what seems to be text may be the records of a file that is CSV by its name: lines with
// delimiters that do not begin as a log's do.
bool may_be_records(std::string_view head) {
  const char delimiter = detect_delimiter(head);
  const std::string_view line = head.substr(0, head.find('\n'));
  return line.find(delimiter) != std::string_view::npos &&
         (begins_with_time_cell(head, delimiter) || !leading_time(line, 0).has_value());
}

// Whether the name of a file, packed or not, ends in one of these.
bool has_suffix(std::string_view path, std::initializer_list<std::string_view> suffixes) {
  constexpr std::array<std::string_view, 2> kPacked = {".gz", ".zst"};
  for (const std::string_view suffix : kPacked) {
    path.remove_suffix(path.ends_with(suffix) ? suffix.size() : 0);
  }
  return std::ranges::any_of(suffixes, [path](std::string_view suffix) {
    return path.size() > suffix.size() &&
           equals_ignoring_ascii_case(path.substr(path.size() - suffix.size()), suffix);
  });
}

bool is_named_log(std::string_view path) {
  return has_suffix(path, {".log", ".txt"});
}

// Whether what seems to be CSV may as well be the lines of a log, which it is by its name: one word
// above others, an event in place of a header, a value that comes again, bars with blanks around
// them, or more cells in one of the first lines than there are names.
bool may_be_lines(std::string_view head) {
  constexpr std::size_t kLinesRead = 10;
  const auto unnamed = find_unnamed_columns(head, 0, true);
  if (begins_with_one_name(head) || (unnamed && unnamed->count > 0)) {
    return true;
  }
  head.remove_prefix(std::min(head.find_first_not_of("\r\n"), head.size()));
  if (head.starts_with("sep=")) {
    return false;
  }
  const char delimiter = detect_delimiter(head);
  if (begins_with_repeated_cell(head, delimiter)) {
    return true;
  }
  const std::string_view first = take_line(&head);
  const auto delimiters = std::ranges::count(first, delimiter);
  bool longer = false;
  bool quoted = false;  // a cell may go on in the next line
  for (std::size_t i = 0; i < kLinesRead && head.find('\n') != head.npos; ++i) {
    std::string_view line = trimmed(take_line(&head));
    while (line.ends_with(delimiter)) {
      line.remove_suffix(1);  // what is behind it is empty
    }
    quoted = quoted || line.find('"') != std::string_view::npos;
    longer = longer || std::ranges::count(line, delimiter) > delimiters;
  }
  return (longer && !quoted) || first.find(" | ") != std::string_view::npos;
}

}  // namespace

bool reads_as_value(std::string_view name) {
  name = trimmed(name);
  return std::ranges::any_of(name, is_digit) &&
         (parse_real(name).has_value() || parse_event_time(name).has_value());
}

std::string why_no_header(std::string_view head, char delimiter) {
  constexpr std::size_t kShownBytesMax = 64;
  constexpr std::string_view kNamed = "sep=";
  head.remove_prefix(std::min(head.find_first_not_of("\r\n"), head.size()));
  if (head.starts_with(kNamed)) {
    const std::string_view line = take_line(&head);
    delimiter = delimiter == 0 && line.size() > kNamed.size() ? line[kNamed.size()] : delimiter;
  }
  delimiter = delimiter == 0 ? detect_delimiter(head) : delimiter;
  std::string_view first = take_line(&head);
  std::string_view second = take_line(&head);
  while (!first.empty()) {
    const std::string_view cell = take_cell(&first, delimiter);
    const std::string_view below = take_cell(&second, delimiter);
    if (cell.empty() || cell.size() > kShownBytesMax) {
      continue;
    }
    if (reads_as_value(cell)) {
      return "though it has the value '" + std::string(cell) + "'";
    }
    if (cell == below) {
      return "though the next line has '" + std::string(cell) + "' in the same place";
    }
  }
  return {};
}

bool is_named_csv(std::string_view path) {
  return has_suffix(path, {".csv", ".tsv"});
}

IngestOptions read_as_named(std::string_view path, std::string_view head, IngestOptions options) {
  if (options.format != InputFormat::kDetect) {
    return options;
  }
  const bool csv = options.csv_delimiter != 0 || !options.csv_fields.empty();
  const bool named_csv = is_named_csv(path);
  const std::string_view line = trimmed(head.substr(0, head.find('\n')));
  const bool named = named_csv || (!line.empty() && line == options.timestamp_field);
  if (named && begins_with_one_name(head)) {
    options.format = InputFormat::kCsv;
  } else if (named_csv && !csv && !options.multiline && may_be_records(head) &&
             kind_by_head(head, options.format) == PieceKind::kText) {
    // The format stays open, so that the first record may be an event.
    options.csv_delimiter = detect_delimiter(head);
  } else if (!csv && is_named_log(path) && may_be_lines(head) &&
             kind_by_head(head, options.format) == PieceKind::kRecords) {
    options.format = InputFormat::kText;
  } else if (options.multiline && !named_csv && has_longer_entries(head) &&
             kind_by_head(head, options.format) == PieceKind::kRecords) {
    options.format = InputFormat::kText;  // lines that go on are rather a log's
  }
  return options;
}

std::size_t columns_behind_times(std::string_view head) {
  constexpr std::size_t kColumnsMin = 3;
  constexpr std::size_t kLinesMin = 2;
  constexpr std::size_t kLinesSeen = 10;
  const char delimiter = detect_delimiter(head);
  std::size_t columns = 0;
  std::size_t lines = 0;
  while (lines < kLinesSeen && head.find('\n') != std::string_view::npos) {  // the last may be cut
    std::string_view line = trimmed(take_line(&head));
    if (line.empty()) {
      continue;
    }
    const bool prose = line.find(std::string{delimiter, ' '}) != std::string_view::npos;
    if (prose || !begins_with_time_cell(line, delimiter)) {
      return 0;
    }
    std::size_t cells = 0;
    for (; !line.empty(); ++cells) {
      take_cell(&line, delimiter);
    }
    if (lines++ > 0 && cells != columns) {
      return 0;
    }
    columns = cells;
  }
  return lines >= kLinesMin && columns >= kColumnsMin ? columns : 0;
}

bool is_table_of_words(std::string_view text) {
  constexpr std::ptrdiff_t kBlanksMin = 3;
  const std::string_view names = trimmed(text.substr(0, text.find('\n')));
  std::string_view values = text.substr(std::min(text.find('\n'), text.size()));
  values = trimmed(values.substr(0, values.find('\n', 1)));
  const std::ptrdiff_t blanks = std::ranges::count(names, ' ');
  bool begins = true;
  bool named = true;
  for (const char c : names) {
    const bool inside = is_letter_or_digit(c) || c == '-' || c == '_' || c == ' ';
    named = named && (begins ? is_letter(c) : inside);
    begins = c == ' ';
  }
  std::ptrdiff_t with_digits = 0;
  bool counted = false;
  for (const char c : values) {
    with_digits += is_digit(c) && !counted ? 1 : 0;
    counted = c != ' ' && (counted || is_digit(c));
  }
  return named && blanks >= kBlanksMin && blanks == std::ranges::count(values, ' ') &&
         values.find("  ") == std::string_view::npos && with_digits * 2 > blanks;
}

std::size_t lines_above_csv(std::string_view head) {
  constexpr std::size_t kLinesMax = 10;
  for (std::size_t lines = 1; lines <= kLinesMax && !head.empty(); ++lines) {
    const std::string_view above = take_line(&head);
    if (leading_time(above, 0).has_value()) {
      return 0;
    }
    const std::string_view line = head.substr(0, head.find('\n'));
    if (!is_blank(line) && begins_with_csv(head)) {
      const char delimiter = detect_delimiter(head);
      const bool alike =
          std::ranges::count(above, delimiter) == std::ranges::count(line, delimiter);
      return alike ? 0 : lines;  // lines of one kind are no table below others
    }
  }
  return 0;
}

}  // namespace evq

#include "store/ingest/csv_header.h"

#include <algorithm>
#include <cstdint>
#include <set>

#include "store/base/ascii.h"
#include "store/base/check.h"
#include "store/base/limits.h"
#include "store/base/number.h"
#include "store/base/time_parse.h"
#include "store/base/time_scan.h"
#include "store/ingest/boundary.h"
#include "store/ingest/csv_record.h"
#include "store/ingest/format.h"
#include "store/ingest/leading_time.h"

namespace evq {

namespace {

using Cells = std::vector<std::string>;

// The first records that are not blank, as cells, as many as tell that a header is too wide; an
// empty one stands for a record that cannot be read.
struct FirstRecords {
  std::vector<Cells> cells;
  bool more = false;  // bytes are needed for those that are missing
};

FirstRecords first_records(std::string_view head, char delimiter, bool at_end,
                           std::size_t records_wanted = 2) {
  constexpr std::size_t kRecordsSeen = 16;  // with blank ones between
  const std::unique_ptr<BoundaryScanner> scanner = make_record_scanner(delimiter);
  EVQ_CHECK(scanner->scan(head, kRecordsSeen, at_end).ok());
  FirstRecords records;
  for (const ValueSpan& span : scanner->spans()) {
    const std::string_view record = head.substr(span.begin, span.size);
    if (is_blank_record(record)) {
      continue;
    }
    auto cells = read_csv_cells(record, delimiter, kHeaderColumnsMax + 1);
    records.cells.push_back(cells.ok() ? std::move(cells).value() : Cells());
    if (records.cells.size() == records_wanted) {
      return records;
    }
  }
  records.more = !at_end && scanner->spans().size() < kRecordsSeen;
  return records;
}

bool names_something(std::string_view cell) {
  return std::ranges::any_of(
      cell, [](char c) { return is_letter(c) || static_cast<signed char>(c) < 0; });
}

// Whether a cell of the first record may be one of an event; `repeated`: there is one like it
// before.
bool may_be_value(std::string_view cell, bool repeated) {
  return !cell.empty() && (repeated || is_time_cell(cell));
}

// What the record below it, which may be none, tells of such a cell.
enum class HeaderCell : std::uint8_t { kValue, kMaybeValue, kName, kUnknown };

HeaderCell kind_of_cell(const Cells& record, std::size_t at, const Cells& below) {
  const std::string_view cell = record[at];
  const std::string_view next = at < below.size() ? std::string_view(below[at]) : "";
  if (!is_time_cell(cell)) {
    return !names_something(cell) || cell == next ? HeaderCell::kValue : HeaderCell::kUnknown;
  }
  return is_time_cell(next)            ? HeaderCell::kValue
         : next.empty() || next == "-" ? HeaderCell::kMaybeValue
                                       : HeaderCell::kName;
}

// Whether a value is one that tables have and logs have not.
bool is_figure(std::string_view cell) {
  return is_time_cell(cell) || parse_real(cell).has_value();
}

}  // namespace

std::vector<std::string> UnnamedColumns::names() const {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= count; ++i) {
    names.push_back("column" + std::to_string(i));
  }
  return names;
}

bool is_clock(std::string_view text) {
  TimeScanner scanner(text);
  if (!scanner.take_number(1, 2) || !scanner.take(':') || !scanner.take_number(2, 2)) {
    return false;
  }
  if (scanner.take(':') && !scanner.take_number(2, 2)) {
    return false;
  }
  if (scanner.take('.') || scanner.take(',')) {
    const std::size_t digits = scanner.digit_count();
    scanner.skip(digits);
    return digits > 0 && scanner.at_end();
  }
  return scanner.at_end();
}

bool is_time_cell(std::string_view cell) {
  if (whole_time(cell) || is_clock(cell)) {
    return true;
  }
  return !cell.empty() && is_digit(cell.front()) && !parse_real(cell) &&
         parse_logged_datetime(cell, DateOrder::kMonthFirst).has_value();
}

char take_named_delimiter(std::string_view* head) {
  constexpr std::string_view kWord = "sep=";
  const std::string_view line = head->substr(0, head->find('\n'));
  const bool named = line.starts_with(kWord) && line.size() > kWord.size() &&
                     may_delimit_csv(line[kWord.size()]) && is_blank(line.substr(kWord.size() + 1));
  if (!named) {
    return 0;
  }
  head->remove_prefix(std::min(line.size() + 1, head->size()));
  return line[kWord.size()];
}

std::string_view take_raw_cell(std::string_view* record, char delimiter) {
  std::size_t i = std::min(record->find_first_not_of(' '), record->size());
  if (record->substr(i).starts_with('"')) {
    do {
      i = record->find('"', i + 1);
      i = i == std::string_view::npos ? record->size() : i + 1;
    } while (record->substr(i).starts_with('"'));
  }
  const std::size_t end = std::min(record->find(delimiter, i), record->size());
  const std::string_view cell = record->substr(0, end);
  record->remove_prefix(std::min(end + 1, record->size()));
  return cell;
}

bool begins_with_repeated_cell(std::string_view head, char delimiter) {
  constexpr std::size_t kRecordsSeen = 11;
  constexpr std::size_t kTimesMin = 2;
  const FirstRecords records = first_records(head, delimiter, true, kRecordsSeen);
  if (records.cells.empty()) {
    return false;
  }
  const Cells& first = records.cells.front();
  for (std::size_t cell = 0; cell < first.size(); ++cell) {
    const auto is_again = [&](const Cells& record) {
      return cell < record.size() && trimmed(record[cell]) == trimmed(first[cell]);
    };
    const auto times = std::count_if(records.cells.begin() + 1, records.cells.end(), is_again);
    if (!is_blank(first[cell]) && !is_figure(first[cell]) &&
        static_cast<std::size_t>(times) >= kTimesMin) {
      return true;
    }
  }
  return false;
}

std::optional<UnnamedColumns> find_unnamed_columns(std::string_view head, char delimiter,
                                                   bool at_end) {
  head.remove_prefix(std::min(head.find_first_not_of("\r\n"), head.size()));
  const char named = take_named_delimiter(&head);
  if (delimiter == 0) {
    delimiter = named != 0 ? named : detect_delimiter(head);
  }
  const FirstRecords records = first_records(head, delimiter, at_end);
  UnnamedColumns unnamed;
  if (records.cells.empty()) {
    return records.more ? std::nullopt : std::optional(std::move(unnamed));
  }
  const Cells& first = records.cells.front();
  const Cells below = records.cells.size() > 1 ? records.cells.back() : Cells();
  std::optional<std::size_t> value;
  std::optional<std::size_t> maybe;
  bool has_names = false;
  std::set<std::string_view> seen;  // a record may have very many cells
  for (std::size_t i = 0; i < first.size() && !value; ++i) {
    const bool repeated = !seen.insert(first[i]).second;
    if (!may_be_value(first[i], repeated)) {
      continue;
    }
    if (records.more) {
      return std::nullopt;
    }
    const HeaderCell kind = kind_of_cell(first, i, below);
    value = kind == HeaderCell::kValue ? std::optional(i) : std::nullopt;
    maybe = kind == HeaderCell::kMaybeValue && !maybe ? std::optional(i) : maybe;
    has_names = has_names || kind == HeaderCell::kName;
  }
  value = value || has_names ? value : maybe;
  if (value) {
    unnamed.count = std::max(first.size(), below.size());
    unnamed.value = first[*value];
  }
  return unnamed;
}

std::optional<std::vector<std::string>> names_without_header(std::string_view head,
                                                             const IngestOptions& options,
                                                             bool at_end) {
  if (!options.csv_fields.empty()) {
    const char delimiter =
        options.csv_delimiter == 0 ? detect_delimiter(head) : options.csv_delimiter;
    const FirstRecords records = first_records(head, delimiter, at_end);
    if (records.cells.empty() && records.more) {
      return std::nullopt;
    }
    const bool in_head = !records.cells.empty() && records.cells.front() == options.csv_fields;
    return in_head ? Cells() : options.csv_fields;
  }
  if (options.format != InputFormat::kDetect) {
    return Cells();
  }
  const auto unnamed = find_unnamed_columns(head, options.csv_delimiter, at_end);
  return unnamed ? std::optional(unnamed->names()) : std::nullopt;
}

}  // namespace evq

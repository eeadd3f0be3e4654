#include "store/ingest/csv_record.h"

#include <algorithm>
#include <map>

#include "store/base/check.h"
#include "store/base/limits.h"
#include "store/base/utf8.h"
#include "store/ingest/boundary.h"
#include "store/ingest/failure_reason.h"

namespace evq {

namespace {

struct RawCell {
  std::string_view text;  // without quotes and outer blanks
  bool doubled = false;   // holds doubled quotes
  std::size_t end = 0;    // of the cell: at a delimiter or the end of the record
  const char* fault = nullptr;
};

bool is_blank(char c, char delimiter) {
  return (c == ' ' || c == '\t' || c == '\r' || c == '\n') && c != delimiter;
}

std::string_view trim(std::string_view text, char delimiter) {
  while (!text.empty() && is_blank(text.front(), delimiter)) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_blank(text.back(), delimiter)) {
    text.remove_suffix(1);
  }
  return text;
}

// The quoted cell whose opening quote is at `quote`.
RawCell read_quoted(std::string_view record, std::size_t quote, char delimiter) {
  RawCell cell;
  std::size_t i = quote + 1;
  while (true) {
    i = record.find('"', i);
    if (i == std::string_view::npos) {
      cell.fault = kOpenCellFault.data();
      cell.end = quote;
      return cell;
    }
    if (i + 1 == record.size() || record[i + 1] != '"') {
      break;
    }
    cell.doubled = true;
    i += 2;
  }
  cell.text = record.substr(quote + 1, i - quote - 1);
  ++i;
  while (i < record.size() && is_blank(record[i], delimiter)) {
    ++i;
  }
  cell.end = i;
  if (i < record.size() && record[i] != delimiter) {
    cell.fault = "text after the closing quote of a cell";
  }
  return cell;
}

RawCell read_cell(std::string_view record, std::size_t begin, char delimiter) {
  std::size_t i = begin;
  while (i < record.size() && is_blank(record[i], delimiter)) {
    ++i;
  }
  if (i < record.size() && record[i] == '"') {
    return read_quoted(record, i, delimiter);
  }
  RawCell cell;
  cell.end = std::min(record.find(delimiter, i), record.size());
  cell.text = trim(record.substr(begin, cell.end - begin), delimiter);
  return cell;
}

// The quote that opens a cell at fault, which begins at `begin`, if lines have been taken for it.
std::size_t swallowing_quote(std::string_view record, std::size_t begin, const RawCell& cell) {
  const std::size_t quote = record.find('"', begin);
  const std::size_t end = cell.end == quote ? record.size() : cell.end;
  const bool has_lines = record.substr(quote, end - quote).find('\n') != std::string_view::npos;
  return has_lines ? quote : CsvFault::kNone;
}

// Whether a line is a record that has a cell for each field, and no quote inside of one.
bool is_whole_line(std::string_view line, const CsvLayout& layout) {
  std::size_t cells = 0;
  for (std::size_t begin = 0; begin <= line.size(); ++cells) {
    const RawCell cell = read_cell(line, begin, layout.delimiter);
    const std::string_view text = line.substr(begin, cell.end - begin);
    const bool quote_inside =
        text.find('"') != std::string_view::npos && !trim(text, layout.delimiter).starts_with('"');
    if (cell.fault != nullptr || quote_inside || cells == layout.fields.size()) {
      return false;
    }
    begin = cell.end + 1;
  }
  return cells == layout.fields.size();
}

std::size_t undouble(std::string_view text, char* out) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    out[size++] = text[i];
    i += text[i] == '"' ? 1U : 0U;
  }
  return size;
}

}  // namespace

bool is_blank_record(std::string_view record) {
  return std::all_of(record.begin(), record.end(), [](char c) { return is_blank(c, '\0'); });
}

std::size_t next_whole_line(std::string_view record, std::size_t quote, const CsvLayout& layout) {
  for (std::size_t feed = record.find('\n', quote); feed != std::string_view::npos;) {
    const std::size_t begin = feed + 1;
    feed = record.find('\n', begin);
    const std::string_view line = record.substr(begin, feed - begin);
    if (!is_blank_record(line) && is_whole_line(line, layout)) {
      return begin;
    }
  }
  return record.size();
}

std::optional<std::string> complete_csv_names(std::vector<std::string>* names) {
  std::map<std::string_view, std::size_t> columns;
  for (std::size_t i = 0; i < names->size(); ++i) {
    std::string& name = (*names)[i];
    if (name.empty()) {
      name = "column" + std::to_string(i + 1);
    }
    const auto [first, is_new] = columns.emplace(name, i);
    if (!is_new) {
      return shown_text(name) + ", in columns " + std::to_string(first->second + 1) + " and " +
             std::to_string(i + 1);
    }
  }
  return std::nullopt;
}

Result<std::vector<std::string>> read_csv_header(std::string_view record, char delimiter) {
  std::vector<std::string> names;
  const std::string repaired = repair_utf8(trim(record, delimiter));
  for (std::size_t begin = 0; begin <= repaired.size();) {
    const RawCell cell = read_cell(repaired, begin, delimiter);
    if (cell.fault != nullptr) {
      return make_error(ErrorCode::kData,
                        "the CSV header cannot be read: " + std::string(cell.fault));
    }
    std::string name(cell.text.size(), '\0');
    if (cell.doubled) {
      name.resize(undouble(cell.text, name.data()));
    } else {
      name.assign(cell.text);
    }
    if (names.size() == kHeaderColumnsMax) {
      return make_error(ErrorCode::kData, many_columns_reason());
    }
    names.push_back(std::move(name));
    begin = cell.end + 1;
  }
  if (const auto repeated = complete_csv_names(&names); repeated.has_value()) {
    return make_error(ErrorCode::kData, std::string(kRepeatedNameError) + *repeated,
                      "leave the header line out and name the columns with csv-fields");
  }
  return names;
}

Result<std::vector<std::string>> read_csv_cells(std::string_view record, char delimiter,
                                                std::size_t cells_max) {
  while (!record.empty() && (record.back() == '\n' || record.back() == '\r')) {
    record.remove_suffix(1);
  }
  std::vector<std::string> cells;
  for (std::size_t begin = 0; begin <= record.size() && cells.size() < cells_max;) {
    const RawCell cell = read_cell(record, begin, delimiter);
    if (cell.fault != nullptr) {
      return make_error(ErrorCode::kData, cell.fault);
    }
    cells.emplace_back(cell.text);
    if (cell.doubled) {
      cells.back().resize(undouble(cell.text, cells.back().data()));
    }
    begin = cell.end + 1;
  }
  return cells;
}

namespace {

// The classes of the values of each column of CSV, by its whole records.
class CsvColumnClasses {
 public:
  explicit CsvColumnClasses(const CsvLayout& layout)
      : layout_(layout), classes_(layout.fields.size(), 0) {}

  const std::vector<std::uint8_t>& get() const { return classes_; }

  // As the records are read: behind a quote that is not closed they go on at the next whole line.
  void note(std::string_view text, bool at_end) {
    constexpr int kReadsMax = 8;
    for (int reads = 0; !text.empty() && reads < kReadsMax; ++reads) {
      text = note_records(text, at_end);
      at_end = true;
    }
  }

 private:
  // What is to be read once more.
  std::string_view note_records(std::string_view text, bool at_end) {
    const std::unique_ptr<BoundaryScanner> scanner = make_record_scanner(layout_.delimiter);
    EVQ_CHECK(scanner->scan(text, text.size() + 1, at_end).ok());
    for (const ValueSpan& span : scanner->spans()) {
      std::string_view record = text.substr(span.begin, span.size);
      while (record.ends_with('\n') || record.ends_with('\r')) {
        record.remove_suffix(1);
      }
      const std::size_t quote = is_blank_record(record) ? CsvFault::kNone : note_record(record);
      if (quote != CsvFault::kNone) {
        const std::size_t next = next_whole_line(record, quote, layout_);
        return text.substr(next < record.size() ? span.begin + next : span.begin + span.size);
      }
    }
    return {};
  }

  // Nothing of one that cannot be read. The quote that has taken lines that may be others.
  std::size_t note_record(std::string_view record) {
    found_.clear();
    std::size_t field = 0;
    for (std::size_t begin = 0; begin <= record.size(); ++field) {
      const RawCell cell = read_cell(record, begin, layout_.delimiter);
      if (cell.fault != nullptr) {
        return swallowing_quote(record, begin, cell);
      }
      if (!cell.text.empty() && field >= classes_.size()) {
        return CsvFault::kNone;
      }
      if (!cell.text.empty()) {
        const bool is_text = (classes_[field] & kRawIsText) != 0;
        found_.push_back({field, is_text ? kRawIsText : classify_csv_value(cell.text)});
      }
      begin = cell.end + 1;
    }
    for (const Found& found : found_) {
      classes_[found.field] = static_cast<std::uint8_t>(classes_[found.field] | found.classes);
    }
    return CsvFault::kNone;
  }

  struct Found {
    std::size_t field = 0;
    std::uint8_t classes = 0;
  };

  const CsvLayout& layout_;
  std::vector<Found> found_;  // in a record; most have far fewer cells than a wide table's header
  std::vector<std::uint8_t> classes_;
};

}  // namespace

std::vector<CsvColumn> sniff_csv_columns(std::string_view text, const CsvLayout& layout,
                                         bool at_end) {
  CsvColumnClasses classes(layout);
  classes.note(text, at_end);
  std::vector<CsvColumn> columns(layout.fields.size());
  std::ranges::transform(classes.get(), columns.begin(), csv_column_of);
  return columns;
}

CsvFault read_csv_record(std::string_view record, const CsvLayout& layout, EventAssembler& event,
                         std::vector<std::uint32_t>* odd) {
  while (!record.empty() && (record.back() == '\n' || record.back() == '\r')) {
    record.remove_suffix(1);
  }
  const bool valid = is_valid_utf8(record);
  if (!valid) {
    event.note_repair(valid_utf8_prefix(record), kRepairUtf8);
  }
  std::size_t field = 0;
  for (std::size_t begin = 0; begin <= record.size(); ++field) {
    const RawCell cell = read_cell(record, begin, layout.delimiter);
    if (cell.fault != nullptr) {
      return {cell.end, cell.fault, swallowing_quote(record, begin, cell)};
    }
    std::string_view text = cell.text;
    if (cell.doubled) {
      char* out = event.scratch(text.size());
      text = {out, undouble(text, out)};
    }
    if (!valid && !is_valid_utf8(text)) {
      text = event.repair_text(text, 0);
    }
    if (!text.empty() && field >= layout.fields.size()) {
      return {begin, many_cells_reason(layout.fields.size())};
    }
    if (!text.empty()) {
      const CsvColumn column = layout.column(field);
      const Cell value = read_csv_value(column, text);
      if (odd != nullptr && is_odd_csv_value(column, value)) [[unlikely]] {
        odd->push_back(static_cast<std::uint32_t>(field));
      }
      event.add_read(event.visit(EventAssembler::kRoot, layout.fields[field]), value, text);
    }
    begin = cell.end + 1;
  }
  return {};
}

void append_quoted_cell(std::string* record, std::string_view cell) {
  record->push_back('"');
  for (const char c : cell) {
    if (c == '"') {
      record->push_back('"');
    }
    record->push_back(c);
  }
  record->push_back('"');
}

}  // namespace evq

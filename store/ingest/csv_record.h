#pragma once
// CSV records into cells: RFC 4180 quoting, a one-byte delimiter, CR LF or LF, blanks around
// unquoted names and values trimmed. An empty cell is an absent field. Of a quote that opens a cell
// and is not closed only the line fails, and those below it up to one that has all cells.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/result.h"
#include "store/ingest/csv_value.h"
#include "store/ingest/event_assembler.h"

namespace evq {

// Whether a byte can separate cells: one that quotes them or ends a record cannot.
constexpr bool may_delimit_csv(char c) {
  return c != '"' && c != '\n' && c != '\r';
}

struct CsvLayout {
  char delimiter = ',';
  std::vector<std::string> fields;
  std::vector<CsvColumn> columns;  // of the fields; those behind its end are unknown

  CsvColumn column(std::size_t field) const {
    return field < columns.size() ? columns[field] : CsvColumn::kUnknown;
  }
};

// The beginning of the error for a header that has a name twice.
inline constexpr std::string_view kRepeatedNameError = "the CSV header repeats the field ";
// Field names from a header record; kData when it repeats a name, has more than kHeaderColumnsMax
// or cannot be read. A column without a name is called `column` and its number from 1.
Result<std::vector<std::string>> read_csv_header(std::string_view record, char delimiter);

// Gives names to columns without one, as a header does. The first name that is there twice, as
// "'x', in columns 1 and 2"; nothing when none is.
std::optional<std::string> complete_csv_names(std::vector<std::string>* names);

inline constexpr std::string_view kOpenCellFault = "the quoted cell is not closed";

// The first `cells_max` of a record's cells, of valid UTF-8, as texts of their own; kData where
// they cannot be read.
Result<std::vector<std::string>> read_csv_cells(std::string_view record, char delimiter,
                                                std::size_t cells_max);

struct CsvFault {
  static constexpr std::size_t kNone = std::string_view::npos;

  std::size_t offset = 0;
  std::string reason;  // empty: none
  // The quote that opens the cell at fault, where that has taken lines which may be other records.
  std::size_t quote = kNone;
};

// Decides what the columns of `layout` are by the whole records of `text`, leaving out those that
// cannot be read. `at_end`: nothing comes after `text`.
std::vector<CsvColumn> sniff_csv_columns(std::string_view text, const CsvLayout& layout,
                                         bool at_end);

// Puts a record's cells into `event`, which has begun. `record` must outlive the event. `odd` gets
// the fields whose values are text in a column that is not.
CsvFault read_csv_record(std::string_view record, const CsvLayout& layout, EventAssembler& event,
                         std::vector<std::uint32_t>* odd = nullptr);

// The offset at which reading can go on in a record whose cell opened at `quote` is not closed: the
// next of its lines with as many cells as there are fields; record.size() when there is none.
std::size_t next_whole_line(std::string_view record, std::size_t quote, const CsvLayout& layout);

// Appends `cell` between quotes, with those inside doubled, so that it may hold any bytes.
void append_quoted_cell(std::string* record, std::string_view cell);

// Whether the record holds nothing but blanks.
bool is_blank_record(std::string_view record);

}  // namespace evq

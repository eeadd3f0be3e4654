#pragma once
// CSV records into cells: RFC 4180 quoting, a one-byte delimiter, CR LF or LF, blanks around
// unquoted names and values trimmed. An empty cell is an absent field.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/result.h"
#include "store/ingest/event_assembler.h"
#include "store/ingest/options.h"

namespace evq {

// Whether a byte can separate cells: one that quotes them or ends a record cannot.
constexpr bool may_delimit_csv(char c) {
  return c != '"' && c != '\n' && c != '\r';
}

struct CsvLayout {
  char delimiter = ',';
  std::vector<std::string> fields;
  std::vector<RenamedColumn> renamed;  // of the fields, those that the header calls otherwise
};

// Reads the fields of `layout`, whose delimiter is known, from a header record; kData when it
// cannot be read. A column without a name is called `column` and its number from 1. Of columns with
// one name the first keeps it; the others are called `name_1`, `name_2`, …, but for names that the
// header has anyway.
Status read_csv_header(std::string_view record, CsvLayout& layout);
// kUsage when names that the caller gives are not distinct: they are easily put right.
Status check_csv_fields(const std::vector<std::string>& names);

struct CsvFault {
  std::size_t offset = 0;
  std::string reason;  // empty: none
};

// Puts a record's cells into `event`, which has begun. `record` must outlive the event.
CsvFault read_csv_record(std::string_view record, const CsvLayout& layout, EventAssembler& event);

// Nothing but blanks.
bool is_blank_record(std::string_view record);

}  // namespace evq

#pragma once
// Whether the first record of CSV holds the names of its columns, where nobody said so. Pure
// functions; nothing here fails.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/ingest/options.h"

namespace evq {

// Columns that have no names, for the first record is an event.
struct UnnamedColumns {
  std::size_t count = 0;  // 0: the first record may name them
  std::string value;      // the cell that tells

  // column1, column2, …
  std::vector<std::string> names() const;
};

// Of CSV that begins with `head`, behind a line "sep=;" if there is one: an event is a record with
// a date, a time of day or both in a cell, where the next record has one in the same place or, if
// it has no other value below any of them, nothing; and one that has a cell twice that names
// nothing, such as 0 and -, or that the next record has in the same place. A table whose columns
// are days or hours has numbers below them, if not below all.
// `delimiter` 0: the one that is detected. Nothing: more bytes are needed, which cannot be with
// `at_end`.
std::optional<UnnamedColumns> find_unnamed_columns(std::string_view head, char delimiter,
                                                   bool at_end);

// The names of its columns where none are to be read from its first record: those that `options`
// give, or by number where find_unnamed_columns finds them and the format is to be detected; empty:
// they are in the first record. Nothing: more bytes are needed.
std::optional<std::vector<std::string>> names_without_header(std::string_view head,
                                                             const IngestOptions& options,
                                                             bool at_end);

// Whether a cell is a date, a time of day or both, and nothing else.
bool is_time_cell(std::string_view cell);

// The first cell of a record as it stands there, with its quotes, taken from the record with the
// delimiter behind it.
std::string_view take_raw_cell(std::string_view* record, char delimiter);

}  // namespace evq

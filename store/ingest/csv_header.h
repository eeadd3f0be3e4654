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

// Columns without names, because the first record of the CSV is an event.
struct UnnamedColumns {
  std::size_t count = 0;  // 0: the first record may name them
  std::string value;      // the cell that tells

  // column1, column2, …
  std::vector<std::string> names() const;
};

// Decides whether the first record of CSV, behind a line "sep=;" if there is one, is an event. It
// is when a cell is a date, a time of day or both, and the next record has one in the same place
// or, if it has no other value below any of them, nothing; or when a cell occurs twice that names
// nothing, such as 0 and -, or that the next record has in the same place. (A table whose columns
// are days or hours has numbers below some of them.) `delimiter` 0: it is detected. Nothing: more
// bytes than `head` are needed, which cannot be with `at_end`.
std::optional<UnnamedColumns> find_unnamed_columns(std::string_view head, char delimiter,
                                                   bool at_end);

// Whether a cell of the first record of CSV comes again twice in its column of the next ten
// records, as far as `head` has them. That of a log does, and few names do.
bool begins_with_repeated_cell(std::string_view head, char delimiter);

// The column names of CSV whose first record is no header: those that `options` give, unless that
// record holds just these, or numbered ones when find_unnamed_columns finds such columns and the
// format is to be detected. Empty: the first record has the names. Nothing: more bytes are needed.
std::optional<std::vector<std::string>> names_without_header(std::string_view head,
                                                             const IngestOptions& options,
                                                             bool at_end);

// Whether a cell is a date, a time of day or both, and nothing else.
bool is_time_cell(std::string_view cell);

// "10:20", "10:20:30" and "10:20:30,123".
bool is_clock(std::string_view text);

// Takes the line "sep=;", with which spreadsheets begin CSV, off `head`; returns the delimiter that
// it names, 0 where there is no such line.
char take_named_delimiter(std::string_view* head);

// Takes the first cell and the delimiter behind it off a record; returns the cell as it stands
// there, with its quotes.
std::string_view take_raw_cell(std::string_view* record, char delimiter);

}  // namespace evq

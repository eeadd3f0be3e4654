#pragma once
// Tables in what may be read as lines of plain text, and notes that say how to load them. By
// an input's beginning, which may be cut anywhere. Pure; nothing here fails.

#include <cstddef>
#include <string>
#include <string_view>

#include "store/ingest/options.h"

namespace evq {

// Whether a text has names, and values below them, each a word with one blank before it, as in a
// flow log of AWS. Half of the values have digits, which the words of a sentence seldom have.
bool is_table_of_words(std::string_view text);

// Explains why the first record of CSV may be an event and not the names of columns: it holds a
// number or a time, or the next record has the same cell in the same place. Empty: it may not.
// `delimiter` 0: the one that is detected.
std::string why_no_header(std::string_view head, char delimiter);

// Whether a name is really a number or a time.
bool reads_as_value(std::string_view name);

// Whether a file is CSV by its name, packed or not.
bool is_named_csv(std::string_view path);

// Says how to read an input with this beginning: as `options` say; but as CSV where that is to be
// detected and
// - the first line is one word, if the name of the file or of the field with the times says that
//   this is the header of a column;
// - the file is CSV by its name, though its first line has a time as its first cell, or reads as a
//   sentence does; it may be an event.
// And as text where it is detected as CSV, though
// - the name of the file ends in .log or .txt, and its first line is one word, an event, has a
//   value that comes again below or bars with blanks around them, or fewer cells than one below;
// - lines that go on are to be put together and it has some.
IngestOptions read_as_named(std::string_view path, std::string_view head, IngestOptions options);

// Counts the cells of the first lines where all have as many, at least three, and the first one is
// a time; 0: they are no such table.
std::size_t columns_behind_times(std::string_view head);

// Counts the lines above what seems to be CSV, as comments and titles do; 0: there are none. Lines
// that tell a time are events and no titles.
std::size_t lines_above_csv(std::string_view head);

}  // namespace evq

#pragma once
// Tells the format of an input by its first bytes. Pure functions; nothing here reads more than it
// is given.

#include <optional>
#include <string_view>

#include "store/ingest/options.h"
#include "store/ingest/piece.h"

namespace evq {

// The kind of events in an input that begins with `head`, forced or told by content:
//   `[`  JSON values (the array's elements); but lines when the first line is a whole array and
//        the next one begins with `[` too, unless JSON is forced; with kDetect these lines are
//        rows when the first one holds nothing but names (json_rows.h)
//   `{`  lines when the first line is a whole object or the next one begins with `{`; values
//        otherwise (pretty-printed, or several on a line without line ends), and with kDetect when
//        the object's first member is an array of records (records_prefix in boundary.h)
//   else CSV; but with kDetect a W3C log, when lines of `#` at its start name columns, logfmt, when
//        the first line is key=value pairs, or one and the next line some as well, and plain text,
//        when the first record is a log line: it begins with a time, has a time with more behind it
//        in a cell without quotes, a quote inside a cell or a cell of more than six words, it is
//        several words without a delimiter, it is one word that cannot be a name or has no cells of
//        a column below it (of ten lines each another word, a time or in quotes), it has a level
//        in capitals, an address or a path above one of its kind, or above nothing, it is a
//        sentence with commas, or an event in CEF or LEEF. A `[` that begins no JSON value, as in
//        "[notice] …" and "[    0.000000] [drm] …", and a `{` with neither a quote, a brace nor a
//        blank behind it are plain text as well then. Whether the first record of CSV names its
//        columns is told by csv_header.h.
// Nothing: more bytes are needed, which cannot be with `at_end`.
std::optional<PieceKind> detect_kind(std::string_view head, InputFormat forced, bool at_end);
// The same by what is there, whether or not more follows.
PieceKind kind_by_head(std::string_view head, InputFormat forced);

// Whether the text begins as a JSON object does, or what means to be one: "{2024-05-13 10:20:30} …"
// is a log line.
bool may_begin_object(std::string_view text);

// Whether the first line is one word, without a delimiter, that may name the only column of CSV.
bool begins_with_one_name(std::string_view head);

// The most frequent of , ; tab and | outside of quotes in the first record of `head`; a comma when
// there is none.
char detect_delimiter(std::string_view head);

}  // namespace evq

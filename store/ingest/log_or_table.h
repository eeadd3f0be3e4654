#pragma once
// Whether an input of lines that are neither JSON nor pairs is a log or a table of CSV, told by its
// first lines. Pure functions; nothing here fails.

#include <optional>
#include <string_view>

namespace evq {

// Whether the first record of `head` reads like a log line and not like a header of CSV, by what
// format.h says of detect_kind. Nothing: more bytes are needed, which cannot be with `at_end`.
std::optional<bool> begins_with_log_line(std::string_view head, bool at_end);

// Whether a line is an event of ArcSight's or QRadar's format, "CEF:0|Vendor|…" and "LEEF:2.0|…",
// which may stand behind what syslog puts first. Its bars separate no cells of a table.
bool is_security_event(std::string_view line);

// Whether one word may be the header of a column: an address, a path or a rule is none, nor what
// ends as a sentence does.
bool names_a_column(std::string_view word);

}  // namespace evq

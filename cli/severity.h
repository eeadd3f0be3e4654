#pragma once
// How severe an event says it is, for colours alone: the words themselves are always shown. Pure
// functions over the names and words that logs use.

#include <string_view>

#include "cli/terminal/style.h"

namespace evq {

// Whether a field of this name tells a severity or the status of a response: "level",
// "log.severity", "http.status_code". Case does not matter, nor what precedes the last dot.
bool tells_severity(std::string_view field);
// Ranks a field by what readers of a log look for first: 0 for the time of an event, 1 for a
// severity in words, 2 for its message, 3 for everything else.
int reading_rank(std::string_view field);
// Returns kError for "error", "FATAL" and 500 to 599, kWarning for "warn" and 400 to 499, kDim for
// "debug" and its like; kPlain for everything else.
TextStyle severity_style(std::string_view value);

}  // namespace evq

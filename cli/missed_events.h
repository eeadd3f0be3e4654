#pragma once
// What to say when a time range leaves nothing of a dataset, or seems to be another than was meant:
// where its events are. Asks the target
// by a query of its own, on the caller's thread; what fails there is no error.

#include <string>

#include "cli/query_target.h"

namespace evq {

// A note on times that are the wrong way round, or that end with a day as it begins, which is
// nearly always a slip; empty for others.
std::string wrong_range_note(const QueryRequest& request);

// A note on a bound that is a date without marks, which is a Unix time; empty: neither is.
std::string misread_bound_note(const QueryRequest& request);

// A note on an answer to `request`, when it read one dataset and none of its events lies within the
// request's times though there are some; empty otherwise, also when `target` cannot tell or the
// times are wrong as above.
std::string missed_events_note(QueryTarget& target, const QueryRequest& request,
                               const ResultHeader& header, const QueryStatus& status);

}  // namespace evq

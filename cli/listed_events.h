#pragma once
// Inputs that are one JSON object around a list of what its user takes for the events, as answers
// of web services are: they load as the one event that they are, and a note says how to load the
// list.

#include <string>
#include <string_view>

namespace evq {

// Where in the object that `head` begins with the first list of objects is, as a filter of jq:
// ".events", ".log.entries", ".data.\"a b\"". Members of the list's elements are not looked at, and
// `head` may be cut anywhere. Empty: there is none in it.
std::string find_listed_events(std::string_view head);

}  // namespace evq

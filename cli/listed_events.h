#pragma once
// Inputs that are one JSON object around what its user takes for the events, as answers of web
// services are: a list of them, or an object with one under each id. They load as the one event
// that they are, unless it is too large for one, and a note says how to load what is in it.

#include <string>
#include <string_view>

namespace evq {

// Finds the first list of objects in the object that `head` begins with, as a filter of jq:
// ".events", ".log.entries", ".data.\"a b\"". Members of the list's elements are not looked at, and
// `head` may be cut anywhere. Empty: there is none in it.
std::string find_listed_events(std::string_view head);

// Finds the first object in it whose members are objects, "." for the whole, as far as its first
// members tell.
std::string find_keyed_events(std::string_view head);

}  // namespace evq

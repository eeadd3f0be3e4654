#pragma once
// Whether the rows of a query are events with all their fields, or have the fields that the query
// says: what forms for people do about order and nulls rests on it. Pure; any thread.

#include <string_view>

namespace evq {

// False with project and its like, aggregations, joins and tables that are no datasets, and for
// what does not parse. In whole events, null says that an event has no such field, and the order of
// fields says nothing.
bool shows_whole_events(std::string_view apl);

}  // namespace evq

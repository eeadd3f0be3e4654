#pragma once
// The members of an event that is put together from several places, such as the labels of a stream
// and the event itself: none is lost where two have one name. For the endpoints that write events
// anew as NDJSON. Pure; any thread.

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "store/base/json_writer.h"
#include "store/column/dynamic.h"

namespace evq {

// Values as JSON by their names. Of a name that is sent twice the last counts.
using Members = std::map<std::string, std::string, std::less<>>;

std::string json_of(DynamicView value);
Members members_of(DynamicView bag);
// Adds `more` to an event. A member whose name is taken gets another one, made as for a reserved
// name (_user_NAME). Names that are too long are left so: ingest refuses the event.
void add_members(const Members& more, Members* event);
void write_members(const Members& members, JsonWriter* json);

}  // namespace evq

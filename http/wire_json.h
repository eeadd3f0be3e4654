#pragma once
// Reading members of a JSON object with their checks, shared by the wire*.cpp files; nothing else
// includes this, so that the JSON library stays with them.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "store/base/result.h"

namespace evq::wire {

using Json = nlohmann::ordered_json;

// Parses a text that is one JSON value; kUsage otherwise, with what is wrong and where, also when
// nested too deep. Invalid UTF-8 and half surrogates are refused: a query that was repaired would
// ask for something else.
Result<Json> parse_any(std::string_view text);
// Like parse_any(), for an object alone.
Result<Json> parse_object(std::string_view text);
// Like parse_any(), for an array alone.
Result<Json> parse_array(std::string_view text);

// Returns the member; nullptr when it is absent or null.
const Json* member(const Json& object, const char* name);
// Removes the members of an object that are null, which were not given; members of members stay.
// Clients that know an optional text to be absent or a text refuse whole lists over one null.
void drop_nulls(Json* json);
// Return what an optional member holds; kUsage when it has another type.
Result<std::optional<std::string>> optional_string(const Json& object, const char* name);
Result<std::optional<bool>> optional_bool(const Json& object, const char* name);
// A non-negative integer, which may be written as a real, 2.0.
Result<std::optional<std::uint64_t>> optional_count(const Json& object, const char* name);
Result<std::optional<std::vector<std::string>>> optional_strings(const Json& object,
                                                                 const char* name);
// Return a required member, a text that is not empty or a count; kUsage without it.
Result<std::string> required_string(const Json& object, const char* name);
Result<std::uint64_t> required_count(const Json& object, const char* name);
// Serializes a JSON value without blanks.
std::string text_of(const Json& value);

}  // namespace evq::wire

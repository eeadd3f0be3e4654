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

// One JSON value as the whole text; kUsage otherwise, with what is wrong and where, also when
// nested too deep. What is no text, or half a surrogate, is refused: a query that was repaired
// would ask for something else.
Result<Json> parse_any(std::string_view text);
// The same for a JSON object.
Result<Json> parse_object(std::string_view text);
// The same for a JSON array.
Result<Json> parse_array(std::string_view text);

// A member, or null when it is absent or null.
const Json* member(const Json& object, const char* name);
// What optional members hold; kUsage for another type.
Result<std::optional<std::string>> optional_string(const Json& object, const char* name);
Result<std::optional<bool>> optional_bool(const Json& object, const char* name);
// An integer that is not negative.
Result<std::optional<std::uint64_t>> optional_count(const Json& object, const char* name);
Result<std::optional<std::vector<std::string>>> optional_strings(const Json& object,
                                                                 const char* name);
// Required and not empty.
Result<std::string> required_string(const Json& object, const char* name);
// The text of a JSON value.
std::string text_of(const Json& value);

}  // namespace evq::wire

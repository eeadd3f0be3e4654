#pragma once
// The keys that lead to a field in the event as it came: geo and city for geo.city. A dot behind a
// backslash is part of a key. Pure; any thread.

#include <string>
#include <string_view>
#include <vector>

namespace evq {

// At least one key, the only one of a name without dots; keys may be empty.
std::vector<std::string> split_field_name(std::string_view name);

}  // namespace evq

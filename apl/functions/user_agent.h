#pragma once
// Browsers, operating systems and devices by what they write into HTTP's User-Agent. Families are
// named as the common databases name them; a text that fits no rule is of the family Other.

#include <optional>
#include <string_view>

#include "store/column/dynamic.h"

namespace evq {

enum class UserAgentPart : std::uint8_t { kBrowser, kSystem, kDevice };

// Finds the part called browser, os or device, in any case; nullopt for other names.
std::optional<UserAgentPart> user_agent_part(std::string_view name);
// Adds one entry to the bag that is open in `out`: Browser, OperatingSystem or Device.
void add_user_agent_part(std::string_view text, UserAgentPart part, DynamicBuilder* out);

}  // namespace evq

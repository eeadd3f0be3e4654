#pragma once
// Looking fields up as people write them: by the stored name, or with the dots inside nested keys
// not escaped (attributes.user.tier for attributes.user\.tier), when that is unambiguous.

#include <optional>
#include <string_view>

#include "store/column/schema.h"

namespace evq::plan {

// The position of the visible field called `name`; the exact spelling wins.
std::optional<std::size_t> find_field(const Schema& schema, std::string_view name);

}  // namespace evq::plan

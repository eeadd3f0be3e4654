#pragma once
// Layouts of times in other notations than Go's, for messages that say how to write them. Pure
// functions; nothing here fails.

#include <string>
#include <string_view>

namespace evq {

// Converts a layout in the notation of strftime ("%d.%m.%Y") or Java ("yyyy-MM-dd") to Go's. Empty
// when it is neither, or has a part that Go cannot express.
std::string go_layout_from_foreign(std::string_view layout);

}  // namespace evq

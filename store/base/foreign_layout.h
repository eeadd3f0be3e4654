#pragma once
// Layouts of times in other notations than Go's, for messages that say how to write them. Pure
// functions; nothing here fails.

#include <string>
#include <string_view>

namespace evq {

// The Go layout of one in the notation of strftime ("%d.%m.%Y") or of Java ("yyyy-MM-dd"); empty
// where it is neither, or has a part for which there is none.
std::string go_layout_from_foreign(std::string_view layout);

}  // namespace evq

#pragma once
// What evq says about itself besides its options, which come from the tree in options*.cpp, and the
// language, which the service explains.

#include <cstddef>
#include <string>
#include <string_view>

namespace evq {

// Lists the exit statuses and their meaning, a line each.
std::string exit_status_table();

// Width, in columns, of what help prints.
inline constexpr std::size_t kHelpWidth = 80;
// Breaks the prose of a text to fit them; indented lines, which are examples, stay.
std::string wrapped_help(std::string_view text);

}  // namespace evq

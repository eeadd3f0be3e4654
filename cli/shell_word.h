#pragma once
// Words of the commands that messages propose, as a shell takes them for what they are: file
// names, fields and filters may hold blanks and quotes.

#include <string>
#include <string_view>

namespace evq {

// In single quotes where it needs them.
std::string shell_word(std::string_view text);

}  // namespace evq

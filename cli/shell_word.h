#pragma once
// Words of the commands that messages propose, as a shell takes them for what they are: file
// names, fields and filters may hold blanks and quotes.

#include <string>
#include <string_view>

namespace evq {

struct GlobalOptions;

// Writes "evq", with the store or the server that it was told by an option: for commands that go on
// from the one that runs.
std::string evq_command(const GlobalOptions& global);
// Writes a word, in single quotes where it needs them.
std::string shell_word(std::string_view text);

}  // namespace evq

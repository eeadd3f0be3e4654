#pragma once
// What is no text, told by the first bytes of an input, so that none of it becomes events that
// nobody can read. Pure functions; nothing here fails.

#include <string_view>

namespace evq {

// What it is and how it becomes text, of kinds of files that people try: "compressed by xz; unpack
// it first: xz -dc". Empty: none of them.
std::string_view known_binary(std::string_view head);

// Whether it is UTF-16 without its mark, which begins with two ASCII characters.
bool is_unmarked_utf16(std::string_view head);
// Whether it takes more than has come to tell that.
bool may_be_unmarked_utf16(std::string_view head);

}  // namespace evq

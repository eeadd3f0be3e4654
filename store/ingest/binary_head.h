#pragma once
// Recognises binary input by its first bytes, so that none of it becomes events that nobody can
// read. Pure functions; nothing here fails.

#include <string_view>

namespace evq {

// The beginning of the error for a zero byte in an unknown kind of file; the byte's number follows.
inline constexpr std::string_view kNoTextError = "this is no text: byte ";

// Names a well-known kind of binary file by its first bytes, and how to make text of it:
// "compressed by xz; unpack it first: xz -dc". Empty for other bytes.
std::string_view known_binary(std::string_view head);

// Whether `head` is UTF-16 without a byte order mark that begins with two ASCII characters.
bool is_unmarked_utf16(std::string_view head);
// Whether `head` is too short to tell that.
bool may_be_unmarked_utf16(std::string_view head);

}  // namespace evq

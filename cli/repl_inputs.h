#pragma once
// The texts that the prompt takes, of one query or command or of several, as a file has them: where
// each begins, and where in its file an error is. All functions are pure.

#include <cstddef>
#include <string>
#include <string_view>

#include "store/base/error.h"

namespace evq {

struct ReplInput {
  std::string text;
  std::size_t line = 1;  // of the whole text, where it begins
};

// The place of an input; without a name where a person typed it.
struct ReplPlace {
  std::string name;
  std::size_t line = 1;
  std::string text;  // of the input
};

// Returns the text without the lines of comments, and the empty ones, in front.
std::string_view after_comments(std::string_view text);
bool begins_with_bar(std::string_view line);
// Whether a line is a comment or empty, so that the one behind it tells where an input ends.
bool is_aside(std::string_view line);
// Whether `line` goes on with the input before it.
bool continues_input(std::string_view text, std::string_view line);

// Returns the lines of the file that an error of `apl` is shown in, with its place moved there;
// those before the input are empty. An error of a command, whose `apl` is empty, and one without a
// place stand at the beginning. Returns `apl` itself where it is no part of the input.
std::string placed_source(const ReplPlace& place, std::string_view apl, Error* error);

}  // namespace evq

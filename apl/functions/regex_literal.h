#pragma once
// required_literal(): what a text must contain to match a regular expression, so that the texts of
// a column are first searched for it, which is much quicker.

#include <string>
#include <string_view>

namespace evq {

// A literal of at least three bytes that every match of a pattern contains.
struct RequiredLiteral {
  std::string text;        // the longest one; empty when none is evident
  bool is_whole = false;   // the pattern is nothing else
  bool is_prefix = false;  // every match starts with it
};
RequiredLiteral required_literal(std::string_view pattern);

}  // namespace evq

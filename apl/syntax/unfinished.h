#pragma once
// Whether a text goes on in the next line, which is what Enter at a prompt depends on: something is
// missing at its end (an operand, a closing bracket, the operator after a pipe, the query after its
// let statements).

#include <cstddef>
#include <string>
#include <string_view>

namespace evq::syntax {

// Whether the text is unfinished. Pure; any thread.
bool is_unfinished(std::string_view text);

// Answers this for a text that grows by lines, as one from a file does, in time linear in its
// length: the parser looks at it again only where it may end. Where a list goes on, that is each
// time the text has doubled, so a mistake in it is noticed somewhat later. One thread.
class GrowingText {
 public:
  // Whether the text goes on. `known` bytes at its front, whole lines, are what the call before
  // found unfinished; 0: the text is a new one.
  bool is_unfinished(std::string_view text, std::size_t known);

 private:
  void scan(std::string_view lines);
  void match(std::string_view symbol);

  std::size_t settled_ = 0;  // bytes of whole statements at the front, before the query
  std::size_t parsed_ = 0;   // bytes of the text that the parser saw last
  // State of the tokens that are not settled:
  std::string open_brackets_;
  std::string last_token_;
  bool may_be_name_ = false;  // the last two begin a quoted name or a list of strings: ['a'
  bool is_doubtful_ = false;  // one is broken, or out of place: only the parser can tell
};

}  // namespace evq::syntax

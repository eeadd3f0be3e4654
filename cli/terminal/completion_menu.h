#pragma once
// CompletionMenu: the candidates shown under the text while the user tabs through them. It knows
// which one is chosen and what the text was before; the editor applies the choice. Candidates come
// from a callback, and their order is the caller's. One thread at a time.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal/screen_painter.h"

namespace evq {

struct Completion {
  std::string replacement;
  std::string display;  // empty: the replacement
  std::string detail;   // a type, a signature, a sentence; may be empty
};

struct CompletionList {
  // The bytes of the text that a replacement takes the place of.
  std::size_t begin = 0;
  std::size_t end = 0;
  std::vector<Completion> items;
  // Why candidates are missing, in a few words; where that is not empty, no candidate is sure.
  std::string note{};
};

// Whether the candidate begins with what it takes the place of, quotes and case aside.
bool begins_as_typed(const Completion& completion, std::string_view typed);
// Returns the longest text that all replacements start with, never half a character.
std::string common_prefix(const CompletionList& list);

class CompletionMenu {
 public:
  // Shows the list with nothing chosen; `text` and `cursor` are what cancelling goes back to.
  void open(CompletionList list, std::string_view text, std::size_t cursor);
  void close() { list_.reset(); }
  bool is_open() const { return list_.has_value(); }
  // Goes to the next or previous candidate, from the last to the first and back.
  void step(bool forward);
  // Moves `count` candidates on, or back where negative, and stops at the ends.
  void jump(std::ptrdiff_t count);

  // Returns what open() was given; the menu must be open.
  const CompletionList& list() const { return *list_; }
  const std::string& original_text() const { return text_; }
  std::size_t original_cursor() const { return cursor_; }
  // Returns the chosen candidate; null before the first step.
  const Completion* chosen() const;
  // Appends the rows of the menu, at most `rows_max`, each on a line of its own.
  void append_rows(FrameBuilder& frame, std::size_t rows_max, bool color) const;

 private:
  std::optional<CompletionList> list_;
  std::optional<std::size_t> chosen_;
  std::string text_;
  std::size_t cursor_ = 0;
};

}  // namespace evq

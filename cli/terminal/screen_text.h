#pragma once
// How much of a screen a text takes, and ScreenText: text that is kept for as long as it fits one.
// Escape sequences take no room.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cli/terminal/terminal.h"

namespace evq {

// Counts the rows of a screen `columns` wide that the text takes, and stops above `rows_max`.
std::size_t count_screen_rows(std::string_view text, std::size_t columns,
                              std::size_t rows_max = SIZE_MAX);

// Removes escape sequences, as a reader without colours wants it.
std::string without_escapes(std::string_view text);

class ScreenText {
 public:
  // Adds to the text; false when it has outgrown a screen of this size, on which the cursor below
  // the text needs a row, too.
  bool append(std::string_view text, TerminalSize size);
  const std::string& text() const { return text_; }
  // Gives the text away, and begins anew.
  std::string take();

 private:
  std::string text_;
  std::size_t rows_ = 0;        // of the whole lines
  std::size_t line_start_ = 0;  // of the last, unfinished line
};

}  // namespace evq

#pragma once
// Which Go layout reads times that are written in a way of their own, for messages that propose it:
// one of the usual ones, told by several of them, for 03/04 is of two forms and 14/04 of one.
// Pure; nothing here fails.

#include <span>
#include <string>

namespace evq {

struct GuessedLayout {
  std::string layout;  // empty: none reads them
  // The same with the day before the month, where that reads as many: nothing tells which it is.
  std::string day_first;
  std::string example;     // the first text
  bool is_number = false;  // which is digits alone
  bool has_day = false;    // a month or a year alone has none
};

// The layout that reads the first of `texts` and the most of the others, and nearly all; empty
// texts count for nothing. Digits alone are a date of this or the last two centuries or none.
GuessedLayout guess_layout(std::span<const std::string> texts);

}  // namespace evq

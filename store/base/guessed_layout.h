#pragma once
// Guesses the Go layout of times in an unknown notation, for messages that propose it: one of the
// usual ones, told by several times, because 03/04 is ambiguous and 14/04 is not. Pure; nothing
// here fails.

#include <span>
#include <string>

namespace evq {

struct GuessedLayout {
  std::string layout;  // empty: none reads them
  // The layout with the day first, where it reads as many texts, so that nothing tells which it is.
  std::string day_first;
  std::string example;     // the first text
  bool is_number = false;  // `example` is digits alone
  bool has_day = false;    // false: the times tell a month or a year alone
};

// The layout that reads the first of `texts` and the most of the others, and nearly all; empty
// texts count for nothing. A first number over 12 is the year where the last one has two digits,
// unless the times are nearer to each other where it is the day. Digits alone are a date of this or
// the last two centuries or none.
GuessedLayout guess_layout(std::span<const std::string> texts);

}  // namespace evq

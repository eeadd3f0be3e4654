#pragma once
// TimeScanner and the names of months, days and zones: what the readers of time texts share. The
// scanner walks over a text it does not own; a take that fails leaves it where it was.

#include <cstddef>
#include <optional>
#include <string_view>

namespace evq {

class TimeScanner {
 public:
  explicit TimeScanner(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }
  // The byte `ahead` places on; 0 past the end.
  char peek(std::size_t ahead = 0) const { return ahead < rest_.size() ? rest_[ahead] : '\0'; }
  bool digit_at(std::size_t ahead) const { return peek(ahead) >= '0' && peek(ahead) <= '9'; }
  void skip(std::size_t count) { rest_.remove_prefix(count); }
  void skip_blanks();
  bool take(char wanted);
  // How many digits come next.
  std::size_t digit_count() const;
  // Takes a number of `digits_min` to `digits_max` digits (9 at most); further digits stay.
  std::optional<int> take_number(std::size_t digits_min, std::size_t digits_max);
  // Takes the digits after a decimal point, as nanoseconds; those past the ninth are dropped.
  std::optional<int> take_fraction();
  // Takes the ASCII letters that come next; may be empty.
  std::string_view take_word();
  // Takes [+-]hh, [+-]hhmm or [+-]hh:mm, below 24 hours, as seconds east of UTC.
  std::optional<int> take_offset();

 private:
  std::string_view rest_;
};

// 1..12 for "Jan", "january", "Sept" in any case; 0 for other words.
int month_from_name(std::string_view word);
// 0 (Sunday)..6 for "Mon", "monday", "Tues", "Thurs" in any case; -1 for other words.
int weekday_from_name(std::string_view word);
// Seconds east of UTC for UTC, GMT, UT, Z, the zones of RFC 822 and others whose short name means
// one thing to nearly everybody (CET, EEST, BST, MSK, IST of India, JST, AEDT …), upper case only.
std::optional<int> zone_from_name(std::string_view word);
// "January" for 1; the first three letters are the short name.
std::string_view month_name(int month);
// "Sunday" for 0.
std::string_view weekday_name(int weekday);
// Two-digit years: 69..99 are 19xx, 00..68 are 20xx.
inline int year_from_two_digits(int year) {
  return year + (year >= 69 ? 1900 : 2000);
}

}  // namespace evq

#pragma once
// Helpers that the readers of times in log lines share: shapes of texts, and years left out. Pure
// functions; nothing here fails.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/base/time.h"
#include "store/base/time_parse.h"
#include "store/base/time_scan.h"

namespace evq {

// Bytes at the start of a line in which a time is looked for.
inline constexpr std::size_t kTimeHeadBytesMax = 160;

// Whether the text has the shape: 9 stands for a digit, _ for one or a blank, A for a letter.
bool fits_shape(std::string_view text, std::string_view shape);
// Whether the text begins with such a shape.
bool begins_with_shape(std::string_view text, std::string_view shape);

// Whether the word is Unix time of ten digits or more, with or without a fraction.
bool is_unix_time(std::string_view word);

// Whether the text may hold a time of day, with colons or as it begins in "20240501T102030".
bool has_time_of_day(std::string_view text);

// The size of the zone that the text begins with, "-0500", "+02", "CET", "UTC+2" or
// "Europe/Berlin", whatever stands behind it; 0: there is none, or it belongs to a longer word.
std::size_t zone_size(std::string_view text);

// A date of numbers that does not begin with its year, "05/04/2024" and "5-4-24", or with one of
// two digits.
struct DateNumbers {
  int first = 0;
  int second = 0;
  std::size_t first_digits = 0;
  std::size_t third_digits = 0;
};

// Takes the first two numbers, with the separators, off a text that begins with such a date, in
// brackets or not.
std::optional<DateNumbers> take_date_numbers(TimeScanner* scanner);

// The time that `in_year` writes, in the latest year that puts it at most a day after receipt.
template <class InYear>
std::optional<std::int64_t> read_in_last_year(std::int64_t receipt_ns, const InYear& in_year) {
  // Zones are less than a day apart from each other.
  const int latest = civil_from_ns(receipt_ns + 2 * kDayNs).year;
  for (const int candidate : {latest, latest - 1, latest - 2}) {
    const auto time =
        parse_logged_datetime(in_year(std::to_string(candidate)), DateOrder::kMonthFirst);
    if (time && *time <= receipt_ns + kDayNs) {
      return time;
    }
  }
  return std::nullopt;
}

}  // namespace evq

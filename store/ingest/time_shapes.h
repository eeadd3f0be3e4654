#pragma once
// What the readers of times in log lines share: the shapes of texts, and years that are not told.
// Pure functions; nothing here fails.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/base/time.h"
#include "store/base/time_parse.h"
#include "store/base/time_scan.h"

namespace evq {

// Where a time is looked for in a line.
inline constexpr std::size_t kTimeHeadBytesMax = 160;

// Whether the text has the shape: 9 stands for a digit, _ for one or a blank, A for a letter.
bool fits_shape(std::string_view text, std::string_view shape);
// Whether it begins with one.
bool begins_with_shape(std::string_view text, std::string_view shape);

// Whether it is Unix time of ten digits or more, with or without a fraction.
bool is_unix_time(std::string_view word);

// Whether it may hold a time of day.
bool has_time_of_day(std::string_view text);

// How long the zone is that the text begins with, "-0500", "+02", "CET", "UTC+2" or
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

// Takes the first two of them, with what parts them from the third, from a text that begins with
// such a date, in brackets or not.
std::optional<DateNumbers> take_date_numbers(TimeScanner* scanner);

// The time that `in_year` writes out with a year, in the year that puts it last before the receipt.
template <class InYear>
std::optional<std::int64_t> read_in_last_year(std::int64_t receipt_ns, const InYear& in_year) {
  // Zones are less than a day apart from each other.
  const int latest = civil_from_ns(receipt_ns + 2 * kDayNs).year;
  for (const int candidate : {latest, latest - 1, latest - 2}) {
    const auto time = parse_liberal_datetime(in_year(std::to_string(candidate)));
    if (time && *time <= receipt_ns + kDayNs) {
      return time;
    }
  }
  return std::nullopt;
}

}  // namespace evq

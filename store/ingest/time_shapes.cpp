#include "store/ingest/time_shapes.h"

#include <algorithm>

#include "store/base/ascii.h"
#include "store/base/zone_text.h"

namespace evq {

bool fits_shape(std::string_view text, std::string_view shape) {
  return std::ranges::equal(text, shape, [](char c, char wanted) {
    switch (wanted) {
      case '9':
        return is_digit(c);
      case '_':
        return is_digit(c) || c == ' ';
      case 'A':
        return is_letter(c);
      default:
        return c == wanted;
    }
  });
}

bool begins_with_shape(std::string_view text, std::string_view shape) {
  return fits_shape(text.substr(0, shape.size()), shape);
}

bool is_unix_time(std::string_view word) {
  constexpr std::size_t kSecondsDigits = 10;
  const std::size_t digits =
      static_cast<std::size_t>(std::find_if_not(word.begin(), word.end(), is_digit) - word.begin());
  return digits >= kSecondsDigits &&
         (digits == word.size() ||
          (word[digits] == '.' &&
           std::all_of(word.begin() + static_cast<std::ptrdiff_t>(digits) + 1, word.end(),
                       is_digit)));
}

bool has_time_of_day(std::string_view text) {
  constexpr std::string_view kBasic = "99999999T999999";
  return (text.find(':') != std::string_view::npos &&
          std::any_of(text.begin(), text.end(), is_digit)) ||
         begins_with_shape(text, kBasic);
}

std::size_t zone_size(std::string_view text) {
  constexpr std::size_t kHoursOnly = 3;
  TimeScanner scanner(text);
  const bool is_offset = scanner.take_offset().has_value();
  const std::size_t size =
      is_offset ? text.size() - scanner.rest().size() : read_named_zone(text).size;
  const char next = size < text.size() ? text[size] : ' ';
  const bool more = size + 1 < text.size() && is_letter_or_digit(text[size + 1]);
  // "-05.5" and "-05,5" are numbers, "10:20:30-11:20:30" is a range.
  const bool is_number = (next == '.' && more) || (is_offset && next == ':' && more) ||
                         (is_offset && size == kHoursOnly && next == ',' && more);
  const bool is_name = !is_offset || size == kHoursOnly;
  const bool goes_on = is_letter_or_digit(next) || is_number ||
                       (is_name && std::string_view("-_/").find(next) != std::string_view::npos);
  return goes_on ? 0 : size;
}

std::optional<DateNumbers> take_date_numbers(TimeScanner* scanner) {
  TimeScanner ahead = *scanner;
  static_cast<void>(ahead.take('['));
  DateNumbers date;
  date.first_digits = ahead.digit_count();
  const auto first = ahead.take_number(1, 2);
  const char separator = ahead.peek();
  if (!first || (separator != '/' && separator != '-')) {
    return std::nullopt;
  }
  ahead.skip(1);
  const auto second = ahead.take_number(1, 2);
  if (!second || !ahead.take(separator)) {
    return std::nullopt;
  }
  date.first = *first;
  date.second = *second;
  date.third_digits = ahead.digit_count();
  if (date.third_digits != 2 && date.third_digits != 4) {
    return std::nullopt;
  }
  *scanner = ahead;
  return date;
}

}  // namespace evq

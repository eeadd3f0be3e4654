#include "store/ingest/time_behind_words.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "store/base/ascii.h"
#include "store/base/time_scan.h"
#include "store/ingest/time_shapes.h"

namespace evq {

namespace {

// Dates as they stand before a time of day. The shapes that others end in come last.
constexpr std::array<std::string_view, 13> kDates = {
    "9999-99-99",  "9999/99/99",  "9999.99.99",  "99.99.9999",   "99-AAA-9999",
    "99/AAA/9999", "99 AAA 9999", "AAA _9 9999", "AAA 99, 9999", "9999 AAA _9",
    "9999-AAA-99", "99999999",    "999999"};
constexpr std::array<std::string_view, 3> kShortDates = {"9-AAA-9999", "AAA 9, 9999", "9999 AAA 9"};
// Which come in two orders.
constexpr std::array<std::string_view, 2> kNumericDates = {"99/99/9999", "99-99-9999"};
// With the half of the day behind them, which is written where the month comes first.
constexpr std::array<std::string_view, 3> kSlashDates = {"9/99/9999", "99/9/9999", "9/9/9999"};
constexpr std::array<std::string_view, 4> kDatesWithoutYear = {"AAA _9", "99 AAA", "99-99",
                                                               "AAA-99"};

// The end of the text that has one of the shapes and does not belong to a longer word.
std::string_view date_at_end(std::string_view text, std::span<const std::string_view> shapes) {
  for (const std::string_view shape : shapes) {
    if (text.size() < shape.size()) {
      continue;
    }
    const std::size_t begin = text.size() - shape.size();
    const char before = begin == 0 ? ' ' : text[begin - 1];
    if (fits_shape(text.substr(begin), shape) && !is_letter_or_digit(before) &&
        std::string_view("-./_").find(before) == std::string_view::npos) {
      return text.substr(begin);
    }
  }
  return {};
}

// A time of day and what is told with it.
struct TimeOfDay {
  std::size_t begin = 0;
  std::size_t end = 0;  // behind its fraction, half of the day and offset
  bool padded = true;   // its numbers have two digits, but for the hour
  bool has_half_day = false;
  bool has_offset = false;
  std::string text;             // with its fraction, half of the day and offset
  std::string_view zone;        // its name, with the blank before it
  bool zone_ends = false;       // and with a colon behind it
  std::string_view year;        // where it stands behind
  std::string_view later_zone;  // behind the year, with the blank before it
};

// Behind the seconds: the fraction, where a colon stands before it in milliseconds or a smaller
// unit. Behind a comma the next of a line's values may stand instead.
void take_fraction(TimeScanner* scanner, TimeOfDay* time) {
  TimeScanner ahead = *scanner;
  const char point = ahead.peek();
  if ((point != '.' && point != ',' && point != ':') || !ahead.digit_at(1)) {
    return;
  }
  ahead.skip(1);
  const std::size_t digits = ahead.digit_count();
  constexpr std::size_t kMillisecondDigits = 3;
  const bool fills_unit = digits % kMillisecondDigits == 0;
  if (!fills_unit && ((point == ':' && digits > kMillisecondDigits) ||
                      (point == ',' && ahead.peek(digits) == ','))) {
    return;
  }
  time->text.append(".");
  time->text.append(point == ':' && digits < kMillisecondDigits ? kMillisecondDigits - digits : 0,
                    '0');
  time->text.append(ahead.rest().substr(0, digits));
  ahead.skip(digits);
  *scanner = ahead;
}

// The half of the day: how long it is.
std::size_t half_day_size(std::string_view rest) {
  const std::size_t blank = rest.starts_with(' ') ? 1 : 0;
  const std::string word = ascii_lower(rest.substr(blank, 2));
  const bool ends = rest.size() <= blank + 2 || !is_letter_or_digit(rest[blank + 2]);
  return ends && (word == "am" || word == "pm") ? blank + 2 : 0;
}

// What tells the zone by a number: how long it is.
std::size_t offset_size(std::string_view rest) {
  if (rest.starts_with('Z')) {
    return 1;
  }
  constexpr std::size_t kHoursOnly = 3;
  const std::size_t blank = rest.starts_with(' ') ? 1 : 0;
  const std::string_view offset = rest.substr(blank);
  const std::size_t size =
      offset.starts_with('+') || offset.starts_with('-') ? zone_size(offset) : 0;
  // Two digits that stand apart are rather a value.
  return size == 0 || (blank > 0 && size == kHoursOnly) ? 0 : blank + size;
}

// Behind all that: the name of a zone, and the year, as in "10:20:30 CEST 2024", perhaps with the
// zone behind it. A year stands behind any word in capitals, be it a zone that is known or not.
void take_zone_and_year(std::string_view rest, TimeOfDay* time) {
  if (rest.size() > 1 && rest[0] == ' ' && is_letter(rest[1]) && !time->text.ends_with('Z')) {
    const std::size_t size = zone_size(rest.substr(1));
    const std::size_t word =
        std::min(rest.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 1), rest.size());
    if (size > 0) {
      time->zone = rest.substr(0, 1 + size);
      time->zone_ends = rest.substr(1 + size).starts_with(':');
      rest.remove_prefix(1 + size);
    } else if (word > 2 && word <= 6) {
      rest.remove_prefix(word);
    }
  }
  if ((rest.starts_with(" 19") || rest.starts_with(" 20")) &&
      fits_shape(rest.substr(0, 5), " 9999") && (rest.size() == 5 || !is_digit(rest[5]))) {
    time->year = rest.substr(1, 4);
    rest.remove_prefix(5);
    const std::size_t name =
        rest.size() > 1 && rest[0] == ' ' && is_letter(rest[1]) ? zone_size(rest.substr(1)) : 0;
    const std::size_t size = name > 0 ? 1 + name : offset_size(rest);
    time->later_zone = rest.substr(0, time->has_offset || !time->zone.empty() ? 0 : size);
  }
}

// What stands around the first colon of "10:20:30" or "10:2:3"; nothing where that is no time of
// day.
std::optional<TimeOfDay> time_of_day_at(std::string_view text, std::size_t colon) {
  if (colon == 0 || !is_digit(text[colon - 1])) {
    return std::nullopt;
  }
  TimeOfDay time;
  time.begin = colon - (colon > 1 && is_digit(text[colon - 2]) ? 2 : 1);
  TimeScanner scanner(text.substr(colon + 1));
  const std::size_t minute_digits = scanner.digit_count();
  scanner.skip(minute_digits);
  if (minute_digits < 1 || minute_digits > 2 || !scanner.take(':') || !scanner.digit_at(0)) {
    return std::nullopt;
  }
  const std::size_t second_digits = scanner.digit_at(1) ? 2 : 1;
  scanner.skip(second_digits);
  time.padded = minute_digits + second_digits == 4;
  time.text = text.substr(time.begin, text.size() - scanner.rest().size() - time.begin);
  take_fraction(&scanner, &time);
  const int hour = TimeScanner(time.text).take_number(1, 2).value_or(0);
  const std::size_t half_day = hour >= 1 && hour <= 12 ? half_day_size(scanner.rest()) : 0;
  const std::size_t offset = offset_size(scanner.rest().substr(half_day));
  time.has_half_day = half_day > 0;
  time.has_offset = offset > 0;
  time.text.append(scanner.rest().substr(0, half_day + offset));
  scanner.skip(half_day + offset);
  time.end = text.size() - scanner.rest().size();
  take_zone_and_year(scanner.rest(), &time);
  return time;
}

// The date that ends the text, before a time of day.
struct DateBefore {
  std::string_view text;  // empty: there is none
  bool has_year = false;
};

DateBefore date_before(std::string_view text, const TimeOfDay& time) {
  DateBefore date{date_at_end(text, kDates), true};
  // Six digits before something shorter than a time usually is are a number.
  if (!time.padded) {
    constexpr std::size_t kDigitsOfDate = 8;
    return date.text.size() < kDigitsOfDate ? DateBefore() : date;
  }
  if (date.text.empty()) {
    date.text = date_at_end(text, kShortDates);
  }
  if (date.text.empty()) {
    date.text = date_at_end(text, kNumericDates);
  }
  if (date.text.empty() && time.has_half_day) {
    date.text = date_at_end(text, kSlashDates);
  }
  return date.text.empty() ? DateBefore{date_at_end(text, kDatesWithoutYear), false} : date;
}

// The text without what may part a date from its time: "2022/02/07 - 10:49:33", "1-May-2024::9:20".
std::string_view without_separators(std::string_view text) {
  constexpr std::string_view kSeparators = " :,";
  text = text.substr(0, text.find_last_not_of(kSeparators) + 1);
  if (text.ends_with(" -")) {
    text.remove_suffix(1);
    text = text.substr(0, text.find_last_not_of(kSeparators) + 1);
  }
  return text;
}

// Whether the word may be one of a sentence, or begins what a label says.
bool may_be_prose(std::string_view word) {
  const bool is_label = word.ends_with(':');
  word = word.substr(0, word.find_last_not_of(",:;.") + 1);
  return is_label || (std::ranges::all_of(word, is_letter) &&
                      std::ranges::any_of(word, [](char c) { return c >= 'a' && c <= 'z'; }));
}

// Whether a sentence goes on behind the word, so that a date there is one that it speaks of.
bool leads_to_date(std::string_view word) {
  constexpr std::string_view kWords[] = {
      "after", "and",  "at", "before", "between", "by",   "due",  "expired", "expires",
      "for",   "from", "in", "is",     "of",      "on",   "or",   "past",    "since",
      "than",  "till", "to", "until",  "was",     "were", "will", "within"};
  word = word.substr(0, word.find_last_not_of(":,=(\"'") + 1);
  return may_be_prose(word) && std::ranges::find(kWords, ascii_lower(word)) != std::end(kWords);
}

// Whether a date behind these words is that of the line: behind two that lead to no date, and
// behind some more where they make no sentence, end before it, and the date can be nothing else.
bool may_stand_before(std::string_view words, const DateBefore& date) {
  constexpr std::size_t kWordsMax = 2;
  constexpr std::size_t kWordsBeforeSureMax = 5;
  constexpr std::size_t kDigitsOfDate = 8;
  const bool is_sure = date.has_year && date.text.size() > kDigitsOfDate &&
                       (words.ends_with(' ') || words.ends_with('[') || words.ends_with('|'));
  std::size_t count = 0;
  std::size_t prose = 0;
  std::size_t prose_at_end = 0;  // of them, one behind the other
  std::string_view last;
  bool begins_with_prose = false;
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    words.remove_prefix(std::min(word.size() + 1, words.size()));
    if (word.find_first_not_of("|-*[]") == std::string_view::npos) {
      continue;  // it parts others
    }
    const bool is_prose = may_be_prose(word);
    begins_with_prose = begins_with_prose || (count == 0 && is_prose);
    ++count;
    prose += is_prose ? 1U : 0U;
    prose_at_end = is_prose ? prose_at_end + 1 : 0;
    last = word;
  }
  if (count <= kWordsMax || !is_sure) {
    return count <= kWordsMax && !leads_to_date(last);
  }
  return count <= kWordsBeforeSureMax && prose <= kWordsMax && prose_at_end < kWordsMax &&
         !begins_with_prose && !leads_to_date(last);
}

// The date with the time, in the year that stands behind it or, without one, that is told last.
std::optional<std::int64_t> read_date_and_time(std::string_view text, const DateBefore& date,
                                               TimeOfDay time, std::int64_t from_ns,
                                               DateOrder order) {
  // As it stands, that of web servers is read fastest.
  if (date.has_year && date.text[2] == '/' && text[time.begin - 1] == ':' && time.zone.empty()) {
    const auto begin = static_cast<std::size_t>(date.text.data() - text.data());
    return parse_logged_datetime(text.substr(begin, time.end - begin), order);
  }
  const bool dashes = date.text.size() > 2 && date.text[2] == '-';
  const bool names_month = !dashes;
  if (date.has_year || (names_month && !time.year.empty()) || time.zone_ends) {
    time.text.append(time.zone);
  }
  if (!date.has_year && names_month) {
    time.text.append(time.later_zone);
  }
  if (date.has_year) {
    return parse_logged_datetime(std::string(date.text) + ' ' + time.text, order);
  }
  const auto in_year = [&](const std::string& year) {
    return (dashes ? year + '-' + std::string(date.text) : std::string(date.text) + ' ' + year) +
           ' ' + time.text;
  };
  return names_month && !time.year.empty() ? parse_liberal_datetime(in_year(std::string(time.year)))
                                           : read_in_last_year(from_ns, in_year);
}

// Calls take(date, time) for each that may be the line's, until it says that this one is.
template <class Take>
void visit_times(std::string_view text, const Take& take) {
  for (std::size_t colon = text.find(':'); colon != std::string_view::npos;
       colon = text.find(':', colon + 1)) {
    const auto time = time_of_day_at(text, colon);
    if (!time || time->begin == 0) {
      continue;
    }
    const char separator = text[time->begin - 1];
    if (std::string_view(" T_-:|").find(separator) == std::string_view::npos) {
      continue;
    }
    const std::string_view before = without_separators(text.substr(0, time->begin - 1));
    const DateBefore date = date_before(before, *time);
    const std::string_view words = before.substr(0, before.size() - date.text.size());
    // A bar parts columns, but in brackets what belongs together.
    const bool apart = separator == '|' && !words.ends_with('[');
    if (!date.text.empty() && !apart && may_stand_before(words, date) && take(date, *time)) {
      return;
    }
  }
}

// Whether something has the shape of one of kNumericDates: few lines have, and this is seen soon.
bool may_have_numeric_date(std::string_view text) {
  constexpr std::size_t kFirst = 2;   // of the separators
  constexpr std::size_t kSecond = 3;  // from the first on
  constexpr std::size_t kBytesBehind = 8;
  for (std::size_t at = kFirst; at + kBytesBehind <= text.size(); ++at) {
    const char c = text[at];
    if ((c == '/' || c == '-') && text[at + kSecond] == c && is_digit(text[at - 1]) &&
        is_digit(text[at + 1])) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::optional<std::int64_t> time_behind_words(std::string_view text, std::int64_t from_ns,
                                              DateOrder order) {
  std::optional<std::int64_t> instant;
  visit_times(text, [&](const DateBefore& date, const TimeOfDay& time) {
    instant = read_date_and_time(text, date, time, from_ns, order);
    return instant.has_value();
  });
  return instant;
}

std::string_view numeric_date_behind_words(std::string_view text) {
  text = text.substr(0, kTimeHeadBytesMax);
  std::string_view found;
  if (!may_have_numeric_date(text)) {
    return found;
  }
  visit_times(text, [&](const DateBefore& date, const TimeOfDay& /*time*/) {
    found = date_at_end(date.text, kNumericDates);
    return !found.empty();
  });
  return found;
}

}  // namespace evq

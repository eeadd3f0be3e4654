#include "store/ingest/leading_time.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "store/base/ascii.h"
#include "store/base/time.h"
#include "store/base/time_parse.h"
#include "store/base/time_scan.h"
#include "store/base/zone_text.h"
#include "store/ingest/log_fields.h"

namespace evq {

namespace {

// Where a time is looked for.
constexpr std::size_t kHeadBytesMax = 160;
constexpr std::size_t kTimeWordsMax = 6;

bool has_time_of_day(std::string_view text) {
  return text.find(':') != std::string_view::npos &&
         std::any_of(text.begin(), text.end(), is_digit);
}

// "<34>" of syslog, and the version number behind it.
std::string_view skip_priority(std::string_view line) {
  if (take_priority(&line) && line.starts_with("1 ")) {
    line.remove_prefix(2);
  }
  return line;
}

// The text without the sequences by which terminals are told colours.
std::string without_colors(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const std::size_t escape = std::min(text.find("\x1b["), text.size());
    plain.append(text.substr(0, escape));
    text.remove_prefix(escape);
    const std::size_t end = text.find_first_not_of("0123456789;", 2);
    text.remove_prefix(end == std::string_view::npos ? text.size()
                                                     : std::min(end + 1, text.size()));
  }
  return plain;
}

// What no time holds, unless in a comment in parentheses.
constexpr std::string_view kForeignToTimes = "\"[{<";

// Where each of the first words ends, up to one that cannot belong to a time. Behind a half of the
// day that is the last of them the zone may follow.
struct Words {
  std::array<std::size_t, kTimeWordsMax + 1> ends{};
  std::size_t count = 0;
};

Words first_words(std::string_view text) {
  Words words;
  std::size_t i = 0;
  const std::size_t foreign = text.find_first_of(kForeignToTimes);
  const bool commented = text.find('(') < foreign;
  const auto behind_half_day = [&] {
    const std::string_view read = text.substr(0, i);
    return words.count == kTimeWordsMax && (read.ends_with(" AM") || read.ends_with(" PM"));
  };
  while (i < text.size() && (words.count < kTimeWordsMax || behind_half_day())) {
    while (i < text.size() && text[i] == ' ') {
      ++i;
    }
    while (i < text.size() && text[i] != ' ' && text[i] != '\t') {
      ++i;
    }
    if (i > foreign && !commented) {
      break;
    }
    words.ends[words.count++] = i;
    if (i < text.size() && text[i] == '\t') {
      break;
    }
  }
  return words;
}

bool begins_with_month(std::string_view text) {
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  return text.size() > 3 && text[3] == ' ' &&
         std::find(kMonths.begin(), kMonths.end(), text.substr(0, 3)) != kMonths.end();
}

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

// "Oct 11 22:14:15".
std::optional<std::int64_t> read_without_year(std::string_view text, std::int64_t receipt_ns) {
  return read_in_last_year(
      receipt_ns, [text](const std::string& year) { return std::string(text) + ' ' + year; });
}

// "I1010 13:55:36.123456", as Kubernetes' own programs begin their lines, or with the year.
std::optional<std::int64_t> read_klog_time(std::string_view text, std::int64_t receipt_ns) {
  constexpr std::size_t kDayBytes = 4;  // month and day
  constexpr std::size_t kYearBytes = 4;
  const std::size_t blank = text.find(' ');
  const bool has_year = blank == 1 + kYearBytes + kDayBytes;
  if ((blank != 1 + kDayBytes && !has_year) ||
      std::string_view("IWEFD").find(text[0]) == std::string_view::npos ||
      !std::ranges::all_of(text.substr(1, blank - 1), is_digit)) {
    return std::nullopt;
  }
  const std::string month(text.substr(blank - kDayBytes, 2));
  const std::string day(text.substr(blank - 2, 2));
  const std::string time(text.substr(blank + 1, text.find(' ', blank + 1) - blank - 1));
  if (!has_time_of_day(time)) {
    return std::nullopt;
  }
  const auto in_year = [&](const std::string& year) {
    return year + '-' + month + '-' + day + ' ' + time;
  };
  return has_year ? parse_liberal_datetime(in_year(std::string(text.substr(1, kYearBytes))))
                  : read_in_last_year(receipt_ns, in_year);
}

// Whether the text has the shape: 9 stands for a digit, _ for one or a blank, A for a letter.
bool fits(std::string_view text, std::string_view shape) {
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

std::string_view trim_punctuation(std::string_view text) {
  while (!text.empty() && std::string_view(",:;|-").find(text.back()) != std::string_view::npos) {
    text.remove_suffix(1);
  }
  return text;
}

// Whether the last word is a zone with a colon behind it, as in "Nov 16 06:55:46.123 CET: %SYS-5".
bool ends_in_zone(std::string_view words) {
  if (!words.ends_with(':')) {
    return false;
  }
  words.remove_suffix(1);
  const std::string_view last = words.substr(words.rfind(' ') + 1);
  return read_named_zone(last).size == last.size();
}

// Of ISO 8601 with its zone, as machines write it: no word behind it can belong to the time.
std::optional<std::int64_t> read_zoned_instant(std::string_view text) {
  constexpr std::size_t kSizeMin = std::string_view("2024-05-01T10:20:30Z").size();
  constexpr std::size_t kLetterAt = std::string_view("2024-05-01").size();
  const std::string_view word = trim_punctuation(text.substr(0, text.find(' ')));
  if (word.size() < kSizeMin || word[kLetterAt] != 'T') {
    return std::nullopt;
  }
  const std::string_view end = word.substr(kSizeMin - 1);
  const bool has_zone = end.ends_with('Z') || end.find_first_of("+-") != std::string_view::npos;
  return has_zone ? parse_instant(word) : std::nullopt;
}

// Whether a word behind date and time may say more of them: a zone, an offset, a half of the day.
bool may_belong_to_time(std::string_view word) {
  if (word.empty() || word.front() == '[') {
    return false;
  }
  const auto* const end = std::find_if_not(word.begin(), word.end(), is_letter);
  const std::string_view letters = word.substr(0, static_cast<std::size_t>(end - word.begin()));
  constexpr std::size_t kHalfDayLetters = 2;
  const bool is_name = end == word.end() || *end == ':' || *end == ',' || *end == '[';
  return letters.size() <= kHalfDayLetters || !is_name || zone_from_name(letters).has_value();
}

// "2024-05-01 10:20:30,123" where what follows cannot belong to it, such as "INFO" and "[main]".
std::optional<std::int64_t> read_lone_instant(std::string_view text) {
  constexpr std::size_t kSizeMin = std::string_view("2024-05-01 10:20:30").size();
  constexpr std::size_t kBlankAt = std::string_view("2024-05-01").size();
  if (text.size() < kSizeMin || text[kBlankAt] != ' ') {
    return std::nullopt;
  }
  const std::size_t end = std::min(text.find(' ', kBlankAt + 1), text.size());
  const std::size_t next = std::min(text.find_first_not_of(' ', end), text.size());
  const std::string_view word = text.substr(next, text.find(' ', next) - next);
  return may_belong_to_time(word) ? std::nullopt
                                  : parse_instant(trim_punctuation(text.substr(0, end)));
}

// The longest run of the first words that is a time.
std::optional<std::int64_t> read_first_words(std::string_view text, std::int64_t receipt_ns,
                                             DateOrder order) {
  if (const auto time = read_zoned_instant(text)) {
    return time;
  }
  if (const auto time = read_lone_instant(text)) {
    return time;
  }
  const Words words = first_words(text);
  const bool month_first = begins_with_month(text);
  for (std::size_t n = words.count; n > 0; --n) {
    const std::string_view run = text.substr(0, words.ends[n - 1]);
    const std::string_view candidate = trim_punctuation(run);
    const bool lacks_year = month_first && (n == 3 || (n == 4 && ends_in_zone(run)));
    if (lacks_year && has_time_of_day(candidate)) {
      if (const auto time = read_without_year(candidate, receipt_ns)) {
        return time;
      }
    }
    if (has_time_of_day(candidate) || n == 1) {
      if (const auto time = whole_time(candidate, order)) {
        return time;
      }
    }
  }
  return std::nullopt;
}

// What the brackets from `open` on hold.
std::optional<std::int64_t> read_in_brackets(std::string_view text, std::size_t open,
                                             DateOrder order) {
  const std::size_t close = text.find(']', open);
  if (close == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view inside = text.substr(open + 1, close - open - 1);
  return has_time_of_day(inside) ? parse_logged_datetime(inside, order) : std::nullopt;
}

// ---------------------------------------------------------------- behind other words

// Dates as they stand before a time of day. The shapes that others end in come last.
constexpr std::array<std::string_view, 11> kDates = {
    "9999-99-99",  "9999/99/99",  "9999.99.99",   "99.99.9999", "99-AAA-9999", "99/AAA/9999",
    "99 AAA 9999", "AAA _9 9999", "AAA 99, 9999", "99999999",   "999999"};
constexpr std::array<std::string_view, 1> kShortDates = {"9-AAA-9999"};
constexpr std::array<std::string_view, 3> kDatesWithoutYear = {"AAA _9", "99 AAA", "99-99"};

// The end of the text that has one of the shapes and does not belong to a longer word.
std::string_view date_at_end(std::string_view text, std::span<const std::string_view> shapes) {
  for (const std::string_view shape : shapes) {
    if (text.size() < shape.size()) {
      continue;
    }
    const std::size_t begin = text.size() - shape.size();
    const char before = begin == 0 ? ' ' : text[begin - 1];
    if (fits(text.substr(begin), shape) && !is_letter_or_digit(before) &&
        std::string_view("-./_").find(before) == std::string_view::npos) {
      return text.substr(begin);
    }
  }
  return {};
}

// A time of day and what is told with it.
struct TimeOfDay {
  std::size_t begin = 0;
  bool padded = true;      // its numbers have two digits, but for the hour
  std::string text;        // with its fraction, half of the day and offset
  std::string_view zone;   // its name, with the blank before it
  bool zone_ends = false;  // and with a colon behind it
  std::string_view year;   // where it stands behind
};

// Behind the seconds: the fraction, in milliseconds where a colon stands before it.
void take_fraction(TimeScanner* scanner, TimeOfDay* time) {
  TimeScanner ahead = *scanner;
  const char point = ahead.peek();
  if ((point != '.' && point != ',' && point != ':') || !ahead.digit_at(1)) {
    return;
  }
  ahead.skip(1);
  const std::size_t digits = ahead.digit_count();
  constexpr std::size_t kMillisecondDigits = 3;
  if (point == ':' && digits > kMillisecondDigits) {
    return;
  }
  time->text.append(".");
  time->text.append(point == ':' ? kMillisecondDigits - digits : 0, '0');
  time->text.append(ahead.rest().substr(0, digits));
  ahead.skip(digits);
  *scanner = ahead;
}

// What tells the zone by a number, or the half of the day: how long it is.
std::size_t zone_or_half_day(std::string_view rest) {
  if (rest.starts_with('Z')) {
    return 1;
  }
  if (fits(rest.substr(0, 6), "+99:99") || fits(rest.substr(0, 6), "-99:99") ||
      fits(rest.substr(0, 6), " +9999") || fits(rest.substr(0, 6), " -9999")) {
    return 6;
  }
  if (fits(rest.substr(0, 5), "+9999") || fits(rest.substr(0, 5), "-9999")) {
    return 5;
  }
  return rest.starts_with(" AM") || rest.starts_with(" PM") ? 3 : 0;
}

// Behind all that: the name of a zone, and the year, as in "10:20:30 CEST 2024". A year stands
// behind any word in capitals, be it a zone that is known or not.
void take_zone_and_year(std::string_view rest, TimeOfDay* time) {
  if (rest.size() > 1 && rest[0] == ' ' && is_letter(rest[1]) && !time->text.ends_with('Z')) {
    const std::size_t size = read_named_zone(rest.substr(1)).size;
    const std::size_t word =
        std::min(rest.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 1), rest.size());
    const char next = size + 1 < rest.size() ? rest[size + 1] : ' ';
    const bool is_word =
        !is_letter_or_digit(next) && std::string_view("-_/.").find(next) == std::string_view::npos;
    if (size > 0 && is_word) {
      time->zone = rest.substr(0, 1 + size);
      time->zone_ends = next == ':';
      rest.remove_prefix(1 + size);
    } else if (word > 2 && word <= 6) {
      rest.remove_prefix(word);
    }
  }
  if ((rest.starts_with(" 19") || rest.starts_with(" 20")) && fits(rest.substr(0, 5), " 9999") &&
      (rest.size() == 5 || !is_digit(rest[5]))) {
    time->year = rest.substr(1, 4);
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
  const std::size_t behind = zone_or_half_day(scanner.rest());
  time.text.append(scanner.rest().substr(0, behind));
  scanner.skip(behind);
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
  return date.text.empty() ? DateBefore{date_at_end(text, kDatesWithoutYear), false} : date;
}

// The date with the time, in the year that stands behind it or, without one, that is told last.
std::optional<std::int64_t> read_date_and_time(const DateBefore& date, TimeOfDay time,
                                               std::int64_t receipt_ns) {
  const bool dashes = date.text.size() > 2 && date.text[2] == '-';
  const bool names_month = !dashes;
  if (date.has_year || (names_month && !time.year.empty()) || time.zone_ends) {
    time.text.append(time.zone);
  }
  if (date.has_year) {
    return parse_logged_datetime(std::string(date.text) + ' ' + time.text, DateOrder::kMonthFirst);
  }
  const auto in_year = [&](const std::string& year) {
    return (dashes ? year + '-' + std::string(date.text) : std::string(date.text) + ' ' + year) +
           ' ' + time.text;
  };
  return names_month && !time.year.empty() ? parse_liberal_datetime(in_year(std::string(time.year)))
                                           : read_in_last_year(receipt_ns, in_year);
}

// The first date and time of day behind at most two words: "INFO 2024-05-01 10:20:30,123",
// "web-1 | 2024-05-01T10:20:30Z", "[I 240501 10:20:30 web:1]". Only notations that cannot be
// anything else.
std::optional<std::int64_t> read_behind_words(std::string_view text, std::int64_t receipt_ns) {
  constexpr std::size_t kWordsBeforeMax = 2;
  for (std::size_t colon = text.find(':'); colon != std::string_view::npos;
       colon = text.find(':', colon + 1)) {
    const auto time = time_of_day_at(text, colon);
    if (!time || time->begin == 0) {
      continue;
    }
    const char separator = text[time->begin - 1];
    if (std::string_view(" T_-:").find(separator) == std::string_view::npos) {
      continue;
    }
    std::string_view before = text.substr(0, time->begin - 1);
    before = before.substr(0, before.find_last_not_of(" :,") + 1);
    const DateBefore date = date_before(before, *time);
    if (date.text.empty() ||
        count_words(before.substr(0, before.size() - date.text.size())) > kWordsBeforeMax) {
      continue;
    }
    if (const auto instant = read_date_and_time(date, *time, receipt_ns)) {
      return instant;
    }
  }
  return std::nullopt;
}

// "[1714557600.123] …" and "- 1117838570 …", as Nagios and supercomputers begin their lines.
std::optional<std::int64_t> read_marked_unix_time(std::string_view text) {
  if (!text.starts_with('[') && !text.starts_with("- ")) {
    return std::nullopt;
  }
  const std::string_view number = text.substr(text[0] == '[' ? 1 : 2);
  const std::string_view word = number.substr(0, number.find_first_of("] "));
  return is_unix_time(word) ? parse_liberal_datetime(word) : std::nullopt;
}

// "17/06/09 20:10:40 INFO …", as Spark and Hadoop begin their lines: what cannot be a month stands
// for the year.
std::optional<std::int64_t> read_short_year(std::string_view text) {
  constexpr std::string_view kShape = "99/99/99 99:99:99";
  const std::string_view time = text.substr(0, kShape.size());
  return fits(time, kShape) && time.substr(0, 2) > "12"
             ? parse_liberal_datetime("20" + std::string(time))
             : std::nullopt;
}

// "081109 203615 148 INFO …", as Hadoop's file system once began its lines.
std::optional<std::int64_t> read_digits_of_time(std::string_view text) {
  constexpr std::string_view kShape = "999999 999999 ";
  if (!fits(text.substr(0, kShape.size()), kShape)) {
    return std::nullopt;
  }
  const std::string digits(text.substr(0, kShape.size()));
  return parse_liberal_datetime(digits.substr(0, 9) + ':' + digits.substr(9, 2) + ':' +
                                digits.substr(11, 2));
}

}  // namespace

std::string_view audit_time_text(std::string_view line) {
  constexpr std::string_view kMark = " msg=audit(";
  if (!line.starts_with("type=") && !line.starts_with("node=")) {
    return {};
  }
  const std::size_t mark = line.substr(0, kHeadBytesMax).find(kMark);
  if (mark == std::string_view::npos) {
    return {};
  }
  const std::string_view time = line.substr(mark + kMark.size());
  const std::string_view text = time.substr(0, time.find_first_of(":) "));
  return is_unix_time(text) ? text : std::string_view();
}

std::size_t count_words(std::string_view text) {
  std::size_t words = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    words += text[i] != ' ' && (i == 0 || text[i - 1] == ' ') ? 1U : 0U;
  }
  return words;
}

std::optional<std::int64_t> leading_time(std::string_view line, std::int64_t receipt_ns,
                                         DateOrder order) {
  const std::string_view head = line.substr(0, kHeadBytesMax);
  if (head.find("\x1b[") != std::string_view::npos) {
    return leading_time(without_colors(head), receipt_ns, order);
  }
  const std::string_view text = skip_priority(head);
  if (text.empty()) {
    return std::nullopt;
  }
  if (const auto time = read_klog_time(text, receipt_ns)) {
    return time;
  }
  if (const auto time = read_short_year(text)) {
    return time;
  }
  if (const auto time = text.front() == '[' ? read_in_brackets(text, 0, order)
                                            : read_first_words(text, receipt_ns, order)) {
    return time;
  }
  if (const auto time = read_marked_unix_time(text)) {
    return time;
  }
  if (const auto time = read_digits_of_time(text)) {
    return time;
  }
  if (const auto time = read_behind_words(text, receipt_ns)) {
    return time;
  }
  if (const std::string_view audit = audit_time_text(text); !audit.empty()) {
    return parse_liberal_datetime(audit);
  }
  for (std::size_t open = text.find('['); open != std::string_view::npos;
       open = text.find('[', open + 1)) {
    if (const auto time = read_in_brackets(text, open, order)) {
      return time;
    }
  }
  return std::nullopt;
}

std::optional<DateOrder> told_date_order(std::string_view text) {
  TimeScanner scanner(text);
  static_cast<void>(scanner.take('['));
  const auto first = scanner.take_number(1, 2);
  const char separator = scanner.peek();
  if (!first || (separator != '/' && separator != '-')) {
    return std::nullopt;
  }
  scanner.skip(1);
  const auto second = scanner.take_number(1, 2);
  if (!second || !scanner.take(separator) || scanner.digit_count() != 4) {
    return std::nullopt;
  }
  const auto is_month = [](int number) { return number >= 1 && number <= 12; };
  if (is_month(*first) == is_month(*second)) {
    return std::nullopt;
  }
  return is_month(*first) ? DateOrder::kMonthFirst : DateOrder::kDayFirst;
}

std::optional<std::int64_t> whole_time(std::string_view text, DateOrder order) {
  constexpr std::string_view kBasic = "99999999T999999";
  return text.size() <= kHeadBytesMax && (has_time_of_day(text) || is_unix_time(text) ||
                                          fits(text.substr(0, kBasic.size()), kBasic))
             ? parse_logged_datetime(text, order)
             : std::nullopt;
}

}  // namespace evq

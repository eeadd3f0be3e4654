// parse_liberal_datetime: one walk over the text that recognises each piece by its shape (a word, a
// number with a separator behind it, a sign after a time) and fills in a date, a time and a zone.
// A piece that fits nowhere, or a second piece of a kind, fails the whole text: a wrong instant is
// worse than none.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "store/base/ascii.h"
#include "store/base/checked_math.h"
#include "store/base/limits.h"
#include "store/base/time.h"
#include "store/base/time_parse.h"
#include "store/base/time_scan.h"
#include "store/base/time_zone.h"
#include "store/base/zone_text.h"
#include "store/base/zoneless.h"

namespace evq {

namespace {

// Behind the numbers of Chinese and Japanese dates.
constexpr std::string_view kYearSign = "\u5e74";
constexpr std::string_view kMonthSign = "\u6708";
constexpr std::string_view kDaySign = "\u65e5";

// A leap second is read as the end of the second before it, as parse_instant does.
std::optional<std::int64_t> instant_of(Civil civil, int offset_seconds) {
  constexpr int kLeap = 60;
  if (civil.second == kLeap) {
    civil.second = kLeap - 1;
    civil.nanosecond = 999999999;
  }
  return ns_from_civil(civil, offset_seconds);
}

class LiberalReader {
 public:
  // `order`: that of a log's dates; without one the month comes first, or the text is no time.
  explicit LiberalReader(std::string_view text, std::optional<DateOrder> order = std::nullopt)
      : scanner_(text), order_(order) {}

  std::optional<std::int64_t> read() {
    while (!scanner_.at_end()) {
      if (!read_piece()) {
        return std::nullopt;
      }
    }
    return finish();
  }

 private:
  bool read_piece() {
    const char c = scanner_.peek();
    if (c == ' ' || c == '\t' || c == ',' || (c == '\'' && scanner_.digit_at(1))) {
      scanner_.skip(1);
      return true;
    }
    if (scanner_.digit_at(0)) {
      return read_number();
    }
    if (c == '+' || c == '-') {
      return read_offset();
    }
    if (has_offset_ && scanner_.rest().starts_with("m=")) {
      return skip_monotonic();
    }
    if (c == '(') {
      return read_comment();
    }
    return read_word();
  }

  // Behind a time, or "2020-07-20+08:00". Go writes a zone without a name as its offset again.
  bool read_offset() {
    const bool dated = has_year_ && has_day_ && scanner_.peek() == '+';
    const auto offset = has_time_ || dated ? scanner_.take_offset() : std::nullopt;
    if (!offset || (has_offset_ && *offset != offset_)) {
      return false;
    }
    offset_ = *offset;
    has_offset_ = true;
    return true;
  }

  // "m=+0.000000001", the monotonic clock that Go prints behind a time.
  bool skip_monotonic() {
    const std::size_t end = scanner_.rest().find(' ');
    scanner_.skip(end == std::string_view::npos ? scanner_.rest().size() : end);
    return true;
  }

  // "(PST)" after a numeric zone, as mail programs write, or "(GMT+3)" for the zone.
  bool read_comment() {
    const std::size_t end = scanner_.rest().find(')');
    if (end == std::string_view::npos ||
        (!has_offset_ && !read_zone(scanner_.rest().substr(1, end - 1)))) {
      return false;
    }
    scanner_.skip(end + 1);
    return true;
  }

  // Of a time that has none yet.
  bool read_zone(std::string_view name) {
    if (!has_time_ || has_zone_name_) {
      return false;
    }
    NamedZone zone = read_named_zone(name);
    if (zone.size == 0 || zone.size != name.size()) {
      return false;
    }
    has_zone_name_ = true;
    offset_ = zone.offset;
    zone_rules_ = std::move(zone.rules);
    return true;
  }

  bool read_word() {
    constexpr std::size_t kHalfDayLetters = 2;
    const std::string_view word = scanner_.take_word();
    if (word.empty()) {
      return false;
    }
    if (const int month = month_from_name(word); month != 0) {
      return set_month(month);
    }
    if (weekday_from_name(word) >= 0) {
      static_cast<void>(scanner_.take('.'));
      // What stands before the day of the week of "7 Sun Mar 10" is no day of the month.
      const bool behind_day = has_day_ && month_ == 0;
      return !std::exchange(has_weekday_, true) && !behind_day;
    }
    if (equals_ignoring_ascii_case(word, "am") || equals_ignoring_ascii_case(word, "pm")) {
      return apply_half_day((word[0] | 0x20) == 'p');
    }
    // "PMZ", as layouts give that have the zone right behind the half of the day.
    const std::string_view half = word.substr(0, kHalfDayLetters);
    if ((equals_ignoring_ascii_case(half, "am") || equals_ignoring_ascii_case(half, "pm")) &&
        zone_from_name(word.substr(half.size())).has_value()) {
      return apply_half_day((word[0] | 0x20) == 'p') && read_zone(word.substr(half.size()));
    }
    if (equals_ignoring_ascii_case(word, "t") && has_day_ && scanner_.digit_at(0)) {
      return true;
    }
    if (equals_ignoring_ascii_case(word, "at") || word == "of") {
      return true;
    }
    return read_zone_name(word);
  }

  bool read_zone_name(std::string_view word) {
    if (!has_time_ || has_zone_name_) {
      return false;
    }
    has_zone_name_ = true;
    // A numeric offset says it, before or behind the name, which is a comment then.
    if (offset_follows()) {
      return word.size() <= 5;
    }
    // Most words behind times are no zones: those are in capitals, or an area before a slash.
    const bool may_be_zone =
        word[0] >= 'A' && word[0] <= 'Z' && (word.size() <= 4 || scanner_.peek() == '/');
    if (!may_be_zone) {
      return has_offset_ && word.size() <= 5;
    }
    NamedZone zone = read_named_zone({word.data(), word.size() + scanner_.rest().size()});
    scanner_.skip(zone.size - std::min(zone.size, word.size()));
    if (has_offset_) {
      return zone.size > 0 || word.size() <= 5;
    }
    offset_ = zone.offset;
    zone_rules_ = std::move(zone.rules);
    return zone.size > 0;
  }

  bool offset_follows() const {
    TimeScanner ahead = scanner_;
    return ahead.take_offset().has_value();
  }

  bool set_month(int month) {
    if (month_ != 0) {
      return false;
    }
    month_ = month;
    static_cast<void>(scanner_.take('.'));
    if ((scanner_.peek() == '-' || scanner_.peek() == '/') && scanner_.digit_at(1)) {
      scanner_.skip(1);
    }
    return true;
  }

  bool read_number() {
    const std::size_t digits = scanner_.digit_count();
    if (digits > 9) {
      return false;
    }
    const int value = *scanner_.take_number(1, 9);
    const char next = scanner_.peek();
    const bool short_number = digits <= 2;
    const bool year_behind = short_number && year_follows();
    if (next == ':' && !has_time_ && short_number && !year_behind) {
      return read_time(value);
    }
    if (digits == 4 && scanner_.rest().starts_with(kYearSign)) {
      return read_signed_date(value);
    }
    if (digits == 6 && !has_year_ && !has_day_ && month_ == 0 && time_follows()) {
      return set_date(year_from_two_digits(value / 10000), value / 100 % 100, value % 100);
    }
    const bool separator =
        next == '/' || next == '-' || next == '.' || (next == ':' && (digits == 4 || year_behind));
    if (separator && month_ == 0 && !has_day_ && digits <= 4) {
      return read_date(value, digits);
    }
    if (next == '/' || next == '-') {
      // "Jan-02-2006": the day and the year are numbers of their own.
      if (!scanner_.digit_at(1) || has_day_) {
        return false;
      }
      scanner_.skip(1);
    }
    if (digits == 8 && !has_day_ && month_ == 0) {
      return set_date(value / 10000, value / 100 % 100, value % 100);
    }
    if (!has_time_ && digits <= 2 && half_day_follows()) {
      return set_time(value, 0, 0);
    }
    return read_day_or_year(value, digits);
  }

  // The rest of "04:02:2014", which no time of day looks like.
  bool year_follows() const {
    TimeScanner ahead = scanner_;
    return ahead.take(':') && ahead.take_number(1, 2).has_value() && ahead.take(':') &&
           ahead.digit_count() == 4;
  }

  // The time of "171113 14:14:20", as MySQL logs it.
  bool time_follows() const {
    TimeScanner ahead = scanner_;
    return ahead.take(' ') && ahead.take_number(1, 2).has_value() && ahead.peek() == ':';
  }

  // The rest of "2014年04月08日".
  bool read_signed_date(int year) {
    scanner_.skip(kYearSign.size());
    const auto month = scanner_.take_number(1, 2);
    if (!month || !scanner_.rest().starts_with(kMonthSign)) {
      return false;
    }
    scanner_.skip(kMonthSign.size());
    const auto day = scanner_.take_number(1, 2);
    if (!day || !scanner_.rest().starts_with(kDaySign)) {
      return false;
    }
    scanner_.skip(kDaySign.size());
    return set_date(year, *month, *day);
  }

  // "5 PM" and "5pm".
  bool half_day_follows() const {
    TimeScanner ahead = scanner_;
    ahead.skip_blanks();
    const std::string_view word = ahead.take_word();
    return equals_ignoring_ascii_case(word, "am") || equals_ignoring_ascii_case(word, "pm");
  }

  bool read_day_or_year(int value, std::size_t digits) {
    if (digits == 4 && !has_year_) {
      year_ = value;
      has_year_ = true;
      return true;
    }
    if (digits > 2) {
      return false;
    }
    if (!has_day_) {
      day_ = value;
      has_day_ = true;
      skip_ordinal();
      return true;
    }
    if (!has_year_ && digits == 2) {
      year_ = year_from_two_digits(value);
      has_year_ = true;
      return true;
    }
    return false;
  }

  // "8th", "1st".
  void skip_ordinal() {
    TimeScanner ahead = scanner_;
    const std::string_view word = ahead.take_word();
    for (const std::string_view ordinal : {"st", "nd", "rd", "th"}) {
      if (equals_ignoring_ascii_case(word, ordinal)) {
        scanner_ = ahead;
      }
    }
  }

  bool read_time(int hour) {
    scanner_.skip(1);
    const auto minute = scanner_.take_number(1, 2);
    if (!minute) {
      return false;
    }
    int second = 0;
    if (scanner_.take(':')) {
      const auto number = scanner_.take_number(1, 2);
      if (!number) {
        return false;
      }
      second = *number;
      const char point = scanner_.peek();
      if ((point == '.' || point == ',' || point == ':') && scanner_.digit_at(1)) {
        scanner_.skip(1);
        const std::size_t digits = scanner_.digit_count();
        ns_ = *scanner_.take_fraction();
        // Who separates them so writes milliseconds, and those of one digit with one.
        ns_ /= point == ':' && digits == 1 ? 100 : point == ':' && digits == 2 ? 10 : 1;
      }
    }
    return set_time(hour, *minute, second);
  }

  bool set_time(int hour, int minute, int second) {
    hour_ = hour;
    minute_ = minute;
    second_ = second;
    has_time_ = true;
    return true;
  }

  bool apply_half_day(bool afternoon) {
    if (!has_time_ || has_half_day_ || hour_ < 1 || hour_ > 12) {
      return false;
    }
    has_half_day_ = true;
    hour_ = hour_ % 12 + (afternoon ? 12 : 0);
    return true;
  }

  bool set_date(int year, int month, int day) {
    if (has_year_) {
      return false;
    }
    year_ = year;
    month_ = month;
    day_ = day;
    has_year_ = true;
    has_day_ = true;
    return true;
  }

  // The rest of "2006-01-02", "2006/1/2", "2006:1:2", "02-Jan-06", "1/2/2006", "1.2.2006",
  // "1:2:2006", "2006-01".
  bool read_date(int first, std::size_t first_digits) {
    const char separator = scanner_.peek();
    scanner_.skip(1);
    int second = 0;
    bool named = false;
    if (scanner_.digit_at(0)) {
      second = scanner_.take_number(1, 2).value_or(0);
    } else {
      second = month_from_name(scanner_.take_word());
      named = true;
    }
    if (second == 0) {
      return false;
    }
    if (!scanner_.take(separator)) {
      return first_digits == 4 && separator != ':' && !scanner_.digit_at(0) &&
             set_date(first, second, 1);
    }
    const std::size_t third_digits = scanner_.digit_count();
    const auto third = scanner_.take_number(1, 4);
    if (!third) {
      return false;
    }
    // The date of the common log format has its time behind a colon.
    if (scanner_.peek() == ':' && scanner_.digit_at(1)) {
      scanner_.skip(1);
    }
    if (first_digits == 4) {
      return third_digits <= 2 && set_date(first, second, *third);
    }
    if (first_digits > 2 || (third_digits != 2 && third_digits != 4)) {
      return false;
    }
    if (third_digits == 2 && first_digits == 2 && !named && separator != '.' &&
        order_ == DateOrder::kYearFirst) {
      return set_date(year_from_two_digits(first), second, *third);
    }
    const int year = third_digits == 2 ? year_from_two_digits(*third) : *third;
    const bool day_first = named || (order_.has_value() && is_day(first, second, separator));
    return set_date(year, day_first ? second : first, day_first ? first : second);
  }

  // Whether the first of two numbers before the year of a logged date is the day.
  bool is_day(int first, int second, char separator) const {
    constexpr int kMonthsMax = 12;
    if (first > kMonthsMax || second > kMonthsMax) {
      return first > kMonthsMax;
    }
    const bool in_order = separator == '/' || separator == '-';
    return separator == '.' || (in_order && order_ == DateOrder::kDayFirst);
  }

  std::optional<std::int64_t> finish() const {
    if (!has_year_ || month_ == 0) {
      return std::nullopt;
    }
    const auto instant =
        instant_of({year_, month_, has_day_ ? day_ : 1, hour_, minute_, second_, ns_}, offset_);
    if (!has_offset_ && !has_zone_name_) {
      return ZonelessTimes::instant_of(instant);
    }
    return instant && zone_rules_ ? zone_rules_->utc_from_local(*instant) : instant;
  }

  TimeScanner scanner_;
  const std::optional<DateOrder> order_;
  int year_ = 0;
  int month_ = 0;  // 0: none yet
  int day_ = 0;
  int hour_ = 0;
  int minute_ = 0;
  int second_ = 0;
  int ns_ = 0;
  int offset_ = 0;  // seconds east of UTC
  std::shared_ptr<const TimeZone> zone_rules_;
  bool has_year_ = false;
  bool has_day_ = false;
  bool has_time_ = false;
  bool has_half_day_ = false;
  bool has_weekday_ = false;
  bool has_offset_ = false;
  bool has_zone_name_ = false;
};

// A time of ISO 8601, in whatever form, with the name of a zone behind it: "2024-122 10:20:30 EDT",
// "20240501T102030 Europe/Berlin".
std::optional<std::int64_t> read_instant_in_zone(std::string_view text) {
  const std::size_t blank = std::min(text.rfind(' '), text.size());
  const std::string_view time = trimmed(text.substr(0, blank));
  const auto local = time.find_first_of("Tt ") == std::string_view::npos
                         ? std::nullopt
                         : parse_instant(std::string(time) + 'Z');
  const std::string_view name = text.substr(std::min(blank + 1, text.size()));
  const NamedZone zone = local ? read_named_zone(name) : NamedZone();
  if (zone.size == 0 || zone.size != name.size()) {
    return std::nullopt;
  }
  return zone.rules != nullptr ? zone.rules->utc_from_local(*local)
                               : checked_subtract(*local, zone.offset * kSecondNs);
}

// Digits alone that are a date rather than an epoch: 2024, 20240501, 20240501102030.
std::optional<std::int64_t> parse_digits_as_date(std::string_view text) {
  TimeScanner scanner(text);
  Civil civil;
  civil.year = scanner.take_number(4, 4).value_or(0);
  if (text.size() >= 8) {
    civil.month = scanner.take_number(2, 2).value_or(0);
    civil.day = scanner.take_number(2, 2).value_or(0);
  }
  if (text.size() == 14) {
    civil.hour = scanner.take_number(2, 2).value_or(0);
    civil.minute = scanner.take_number(2, 2).value_or(0);
    civil.second = scanner.take_number(2, 2).value_or(0);
  }
  return ZonelessTimes::instant_of(instant_of(civil, 0));
}

bool names_month(std::string_view text) {
  TimeScanner scanner(text);
  while (!scanner.at_end()) {
    if (month_from_name(scanner.take_word()) != 0) {
      return true;
    }
    scanner.skip(scanner.at_end() ? 0 : 1);
  }
  return false;
}

}  // namespace

std::optional<std::int64_t> parse_unmistakable_datetime(std::string_view text) {
  constexpr std::size_t kBasicDateDigits = 8;
  const std::size_t digits = TimeScanner(text).digit_count();
  if (text.size() > kTimeTextBytesMax || text.find(':') == std::string_view::npos) {
    const bool date = text.size() <= kTimeTextBytesMax && digits == kBasicDateDigits;
    return date ? read_instant_in_zone(text) : std::nullopt;
  }
  const bool year_first = digits == 4;
  const bool basic = digits == kBasicDateDigits && text[digits] == '-';  // "20240501-10:20:30:123"
  const auto time = year_first || basic || names_month(text) ? LiberalReader(text).read()
                                                             : std::optional<std::int64_t>();
  return time || !year_first ? time : read_instant_in_zone(text);
}

namespace {

std::optional<std::int64_t> read_liberally(std::string_view text, std::optional<DateOrder> order) {
  text = trimmed(text);
  const TimeScanner scanner(text);
  if (text.empty() || text.size() > kTimeTextBytesMax) {
    return std::nullopt;
  }
  const bool digits_only = scanner.digit_count() == text.size();
  if (digits_only && (text.size() == 4 || text.size() == 8 || text.size() == 14)) {
    return parse_digits_as_date(text);
  }
  // "2014.03" is a month, though it could be seconds.
  if (text.size() == 7 && scanner.digit_count() == 4 && text[4] == '.') {
    if (const auto month = LiberalReader(text).read()) {
      return month;
    }
  }
  if (const auto instant = parse_machine_time(text)) {
    return instant;
  }
  if (digits_only) {
    return std::nullopt;
  }
  const auto time = LiberalReader(text, order).read();
  return time ? time : read_instant_in_zone(text);
}

}  // namespace

std::optional<std::int64_t> parse_liberal_datetime(std::string_view text) {
  return read_liberally(text, std::nullopt);
}

std::optional<std::int64_t> parse_logged_datetime(std::string_view text, DateOrder order) {
  return read_liberally(text, order);
}

}  // namespace evq

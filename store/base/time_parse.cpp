#include "store/base/time_parse.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "store/base/ascii.h"
#include "store/base/checked_math.h"
#include "store/base/limits.h"
#include "store/base/number.h"
#include "store/base/time.h"
#include "store/base/time_scan.h"
#include "store/base/timespan.h"
#include "store/base/zoneless.h"

namespace evq {

namespace {

constexpr int kLeapSecond = 60;
constexpr int kMidnightHour = 24;  // of 24:00, the end of the day

constexpr std::int64_t kDaySeconds = 86400;

// The rest after the seconds: [.,]digits and a zone. What stands before is checked already.
std::optional<std::int64_t> finish_instant(TimeScanner scanner, std::int64_t days,
                                           int seconds_to_minute, int second, bool has_second) {
  int ns = 0;
  if (has_second && (scanner.peek() == '.' || scanner.peek() == ',')) {
    scanner.skip(1);
    const auto fraction = scanner.take_fraction();
    if (!fraction) {
      return std::nullopt;
    }
    ns = *fraction;
  }
  if (second == kLeapSecond) {
    second = 59;
    ns = 999999999;
  }
  int offset = 0;
  const bool zoneless = scanner.at_end();
  if (!zoneless && !scanner.take('Z') && !scanner.take('z')) {
    if (scanner.peek() == ' ' && (scanner.peek(1) == '+' || scanner.peek(1) == '-')) {
      scanner.skip(1);
    }
    const auto zone = scanner.take_offset();
    if (!zone) {
      return std::nullopt;
    }
    offset = *zone;
  }
  if (!scanner.at_end()) {
    return std::nullopt;
  }
  const auto instant =
      ns_from_seconds(days * kDaySeconds + seconds_to_minute + second - offset, ns);
  return zoneless ? ZonelessTimes::instant_of(instant) : instant;
}

// A date at the start of a text: its days since the epoch.
struct IsoDate {
  std::int64_t days = 0;
  bool dashes = false;
  bool alone = false;  // may stand without a time: digits alone are a number, not a date
};

// Of the Monday of week 1 of a year, which holds its 4 January.
std::int64_t first_week_days(int year) {
  const std::int64_t fourth = days_from_civil(year, 1, 4);
  constexpr std::int64_t kWeekday = 3;  // 1970-01-01 was a Thursday, the fourth day of its week
  return fourth - ((fourth + kWeekday) % 7 + 7) % 7;
}

// The rest of "2024-W18-3", "2024-W18" and "2024W183".
std::optional<IsoDate> take_week_date(TimeScanner* scanner, int year, bool dashes) {
  const auto week = scanner->take_number(2, 2);
  std::optional<int> day = 1;
  if (dashes ? scanner->take('-') : scanner->digit_at(0)) {
    day = scanner->take_number(1, 1);
  }
  if (!week || *week < 1 || !day || *day < 1 || *day > 7) {
    return std::nullopt;
  }
  const std::int64_t monday = first_week_days(year) + (*week - 1) * 7;
  return monday < first_week_days(year + 1)
             ? std::optional(IsoDate{monday + *day - 1, dashes, true})
             : std::nullopt;
}

std::optional<IsoDate> take_iso_date(TimeScanner* scanner) {
  const auto year = scanner->take_number(4, 4);
  if (!year) {
    return std::nullopt;
  }
  const bool dashes = scanner->take('-');
  if (scanner->take('W')) {
    return take_week_date(scanner, *year, dashes);
  }
  if (scanner->digit_count() == 3) {
    const int day = *scanner->take_number(3, 3);
    return day >= 1 && day <= (is_leap_year(*year) ? 366 : 365)
               ? std::optional(IsoDate{days_from_civil(*year, 1, day), dashes, dashes})
               : std::nullopt;
  }
  const auto month = scanner->take_number(2, 2);
  if (!month || *month < 1 || *month > 12) {
    return std::nullopt;
  }
  if (dashes && scanner->at_end()) {
    return IsoDate{days_from_civil(*year, *month, 1), dashes, true};
  }
  if (dashes && !scanner->take('-')) {
    return std::nullopt;
  }
  const auto day = scanner->take_number(2, 2);
  if (!day || *day < 1 || *day > days_in_month(*year, *month)) {
    return std::nullopt;
  }
  return IsoDate{days_from_civil(*year, *month, *day), dashes, dashes};
}

// All forms, one field after the other.
std::optional<std::int64_t> parse_instant_slowly(std::string_view text) {
  if (text.size() > kTimeTextBytesMax) {
    return std::nullopt;
  }
  TimeScanner scanner(text);
  const auto date = take_iso_date(&scanner);
  if (!date) {
    return std::nullopt;
  }
  if (scanner.at_end()) {
    return date->alone ? ZonelessTimes::instant_of(ns_from_seconds(date->days * kDaySeconds, 0))
                       : std::nullopt;
  }
  const bool letter = scanner.take('T') || scanner.take('t');
  if (!letter && !scanner.take(' ')) {
    return std::nullopt;
  }
  const auto hour = scanner.take_number(2, 2);
  if (!hour || *hour > kMidnightHour) {
    return std::nullopt;
  }
  std::optional<int> minute = 0;
  std::optional<int> second = 0;
  bool has_second = false;
  const bool colons = scanner.take(':');
  if (colons || !letter || scanner.digit_at(0)) {
    minute = scanner.take_number(2, 2);
    has_second = colons ? scanner.take(':') : scanner.digit_at(0);
    second = has_second ? scanner.take_number(2, 2) : second;
    // Only behind the letter a time without marks may follow a date with them.
    if (!minute || *minute > 59 || !second || *second > kLeapSecond ||
        (!letter && colons != date->dashes)) {
      return std::nullopt;
    }
  }
  const auto instant =
      finish_instant(scanner, date->days, (*hour * 60 + *minute) * 60, *second, has_second);
  const bool ends_day = *hour == kMidnightHour;  // and must be its very end
  if (ends_day && (*minute != 0 || *second != 0 || (instant && *instant % kSecondNs != 0))) {
    return std::nullopt;
  }
  return instant;
}

std::uint64_t load_word(const char* at) {
  static_assert(std::endian::native == std::endian::little, "the first byte is the lowest lane");
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// Eight bytes of text as a word, one lane a byte, with `shape` taken out: '0' where a digit
// belongs, the separator itself elsewhere. So digits become 0..9 and separators 0. `slack` is 0x76
// in lanes of digits and 0x7F in those of separators: adding it sets the top bit of every lane that
// does not fit, and no lane that fits carries into the next.
struct Lanes {
  std::uint64_t digits;
  std::uint64_t misfits;
};

Lanes take_shape(std::uint64_t word, std::uint64_t shape, std::uint64_t slack) {
  const std::uint64_t digits = word ^ shape;
  return {digits, ((digits + slack) | digits) & 0x8080808080808080ULL};
}

// Lane i becomes ten times digit i plus digit i + 1.
std::uint64_t join_pairs(std::uint64_t digits) {
  return digits * 10 + (digits >> 8);
}

std::uint32_t lane(std::uint64_t word, unsigned index) {
  return static_cast<std::uint32_t>(word >> (8 * index)) & 0xFFU;
}

// Up to nine digits from `at` on as nanoseconds; eight readable bytes must stand before them.
std::uint32_t read_fraction(const char* at, std::size_t count, std::uint64_t& misfits) {
  const std::size_t in_word = count < 8 ? count : 8;
  // The word ends at the last digit; what stands before the first is shifted out, and zeros come in
  // behind the last: the digits that are missing.
  const Lanes lanes =
      take_shape(load_word(at + in_word - 8) >> (8 * (8 - in_word)),
                 0x3030303030303030ULL >> (8 * (8 - in_word)), 0x7676767676767676ULL);
  misfits |= lanes.misfits;
  const std::uint64_t pairs = join_pairs(lanes.digits);
  constexpr std::uint64_t kLanes = 0x000000FF000000FFULL;
  const std::uint64_t eight = ((pairs & kLanes) * (100 + (1000000ULL << 32)) +
                               ((pairs >> 16) & kLanes) * (1 + (10000ULL << 32))) >>
                              32;
  std::uint32_t ninth = 0;
  if (count == 9) {
    ninth = static_cast<std::uint32_t>(static_cast<unsigned char>(at[8])) - '0';
    misfits |= static_cast<std::uint64_t>(ninth > 9);
  }
  return static_cast<std::uint32_t>(eight) * 10 + ninth;
}

// Days from 0000-03-01 to 1970-01-01, and from a March to the first of each month.
constexpr std::uint32_t kEpochDays = 719468;
constexpr std::array<std::uint16_t, 13> kDaysFromMarch = {0,   306, 337, 0,   31,  61, 92,
                                                          122, 153, 184, 214, 245, 275};

// The unit that the size of a Unix time tells.
std::int64_t unix_time_unit(std::int64_t value) {
  const std::uint64_t magnitude =
      value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  if (magnitude < 100000000000ULL) {
    return kSecondNs;
  }
  if (magnitude < 100000000000000ULL) {
    return kMillisecondNs;
  }
  return magnitude < 100000000000000000ULL ? kMicrosecondNs : 1;
}

// "1714557600" and "1714557600.25", exactly. Nothing for other notations and huge numbers.
std::optional<std::int64_t> parse_unix_time(std::string_view text) {
  const std::size_t dot = text.find('.');
  const auto whole = parse_int(text.substr(0, dot));
  if (!whole) {
    return std::nullopt;
  }
  const auto whole_ns = event_time_from_integer(*whole);
  if (dot == std::string_view::npos || !whole_ns) {
    return whole_ns;
  }
  TimeScanner scanner(text.substr(dot + 1));
  const auto fraction = scanner.take_fraction();
  if (!fraction || !scanner.at_end()) {
    return std::nullopt;
  }
  const std::int64_t part = *fraction * unix_time_unit(*whole) / kSecondNs;
  return text[0] == '-' ? checked_subtract(*whole_ns, part) : checked_add(*whole_ns, part);
}

// "02/Jan/2006:15:04:05 -0700", the time of the common log format.
std::optional<std::int64_t> parse_common_log_time(std::string_view text) {
  TimeScanner scanner(text);
  const auto day = scanner.take_number(1, 2);
  if (!day || !scanner.take('/')) {
    return std::nullopt;
  }
  const int month = month_from_name(scanner.take_word());
  if (month == 0 || !scanner.take('/')) {
    return std::nullopt;
  }
  const auto year = scanner.take_number(4, 4);
  if (!year || !scanner.take(':')) {
    return std::nullopt;
  }
  const auto hour = scanner.take_number(2, 2);
  const bool first_colon = scanner.take(':');
  const auto minute = scanner.take_number(2, 2);
  const bool second_colon = scanner.take(':');
  const auto second = scanner.take_number(2, 2);
  if (!hour || !minute || !second || !first_colon || !second_colon || *hour > 23 || *minute > 59 ||
      *second > kLeapSecond || *day < 1 || *day > days_in_month(*year, month)) {
    return std::nullopt;
  }
  return finish_instant(scanner, days_from_civil(*year, month, *day), (*hour * 60 + *minute) * 60,
                        *second, true);
}

// "/Date(1714558830123)/" and "/Date(1714558830123+0200)/", as .NET writes an instant in
// milliseconds; the offset says nothing of it.
std::optional<std::int64_t> parse_dotnet_time(std::string_view text) {
  constexpr std::string_view kBegin = "/Date(";
  constexpr std::string_view kEnd = ")/";
  if (!text.starts_with(kBegin) || !text.ends_with(kEnd) ||
      text.size() <= kBegin.size() + kEnd.size()) {
    return std::nullopt;
  }
  text = text.substr(kBegin.size(), text.size() - kBegin.size() - kEnd.size());
  const std::size_t sign = text.find_first_of("+-", 1);
  TimeScanner offset(sign == std::string_view::npos ? "" : text.substr(sign));
  const auto milliseconds = parse_int(text.substr(0, sign));
  const bool ends = offset.at_end() || (offset.take_offset() && offset.at_end());
  return milliseconds && ends ? checked_multiply(*milliseconds, kMillisecondNs) : std::nullopt;
}

// "2024-05-01T10:20:30+02:00[Europe/Berlin]" of RFC 9557, as Java writes it: the offset tells the
// instant, what stands in brackets is passed over.
std::optional<std::int64_t> parse_annotated_instant(std::string_view text) {
  constexpr std::size_t kLetterAt = std::string_view("2024-05-01").size();
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos || open <= kLetterAt) {
    return std::nullopt;
  }
  for (std::string_view rest = text.substr(open); !rest.empty();) {
    const std::size_t close = rest.find(']');
    if (!rest.starts_with('[') || close == std::string_view::npos || close < 2) {
      return std::nullopt;
    }
    rest.remove_prefix(close + 1);
  }
  const std::string_view instant = text.substr(0, open);
  const bool zoned = instant.find_first_of("Z+-", kLetterAt) != std::string_view::npos;
  return zoned ? parse_instant(instant) : std::nullopt;
}

bool looks_numeric(std::string_view text) {
  return text.find_first_not_of("+-.0123456789eE") == std::string_view::npos;
}

// "10:20", "10:20:30.5": nanoseconds since midnight.
std::optional<std::int64_t> parse_time_of_day(std::string_view text) {
  TimeScanner scanner(text);
  const auto hour = scanner.take_number(1, 2);
  if (!hour || *hour > 23 || !scanner.take(':')) {
    return std::nullopt;
  }
  const auto minute = scanner.take_number(2, 2);
  if (!minute || *minute > 59) {
    return std::nullopt;
  }
  std::optional<int> second = 0;
  const bool has_second = scanner.take(':');
  if (has_second) {
    second = scanner.take_number(2, 2);
    if (!second || *second > 59) {
      return std::nullopt;
    }
  }
  return finish_instant(scanner, 0, (*hour * 60 + *minute) * 60, *second, has_second);
}

}  // namespace

// The common forms are read eight bytes at a time, and whatever does not fit is collected and
// tested once; any surprise goes to the slow reader, which agrees on what is left.
std::optional<std::int64_t> parse_instant(std::string_view text) {
  const bool zoneless = !text.ends_with('Z');
  const std::size_t size = text.size() - (zoneless ? 0 : 1);
  if (size < 19 || size > 29 || size == 20) {
    return parse_instant_slowly(text);
  }
  const char* at = text.data();
  // "YYYY-MM-", "DDTHH:MM" and, from the hour on, "HH:MM:SS"; the first lane is the lowest. A blank
  // is taken for the letter.
  constexpr std::uint64_t kBlankForLetter = std::uint64_t{'T' ^ ' '} << 16U;
  const std::uint64_t letter = at[10] == ' ' ? kBlankForLetter : 0;
  const Lanes date = take_shape(load_word(at), 0x2D30302D30303030ULL, 0x7F76767F76767676ULL);
  const Lanes middle =
      take_shape(load_word(at + 8) ^ letter, 0x30303A3030543030ULL, 0x76767F76767F7676ULL);
  const Lanes time = take_shape(load_word(at + 11), 0x30303A30303A3030ULL, 0x76767F76767F7676ULL);
  std::uint64_t misfits = date.misfits | middle.misfits | time.misfits;
  std::uint32_t ns = 0;
  if (size > 19) {
    misfits |= static_cast<std::uint64_t>(at[19] != '.');
    ns = read_fraction(at + 20, size - 20, misfits);
  }
  const std::uint64_t date_pairs = join_pairs(date.digits);
  const std::uint64_t time_pairs = join_pairs(time.digits);
  const std::uint32_t year = lane(date_pairs, 0) * 100 + lane(date_pairs, 2);
  const std::uint32_t month = lane(date_pairs, 5);
  const std::uint32_t day = lane(join_pairs(middle.digits), 0);
  const std::uint32_t hour = lane(time_pairs, 0);
  const std::uint32_t minute = lane(time_pairs, 3);
  const std::uint32_t second = lane(time_pairs, 6);
  // Years of which a part is out of range are left to the slow reader.
  const bool unusual = month - 1 > 11 || day - 1 > 30 || hour > 23 || minute > 59 || second > 59 ||
                       year - 1678 > 583;
  if (misfits != 0 || unusual ||
      (day > 28 && static_cast<int>(day) > days_in_month(year, static_cast<int>(month))))
      [[unlikely]] {
    return parse_instant_slowly(text);
  }
  const std::uint32_t march_year = year - (month <= 2 ? 1 : 0);
  const std::uint32_t days = march_year * 365 + march_year / 4 - march_year / 100 +
                             march_year / 400 + kDaysFromMarch[month] + day - 1;
  const std::uint32_t second_of_day = (hour * 60 + minute) * 60 + second;
  const std::int64_t seconds =
      (static_cast<std::int64_t>(days) - kEpochDays) * kDaySeconds + second_of_day;
  const std::int64_t instant = seconds * kSecondNs + ns;
  return zoneless ? ZonelessTimes::instant_of(instant) : instant;
}

std::optional<std::int64_t> parse_machine_time(std::string_view text) {
  text = trimmed(text);
  if (text.empty() || text.size() > kTimeTextBytesMax) {
    return std::nullopt;
  }
  if (const auto instant = parse_instant(text)) {
    return instant;
  }
  if (looks_numeric(text)) {
    if (const auto exact = parse_unix_time(text)) {
      return exact;
    }
    const bool plain = text.find_first_of(".eE") == std::string_view::npos;
    const auto real = plain ? std::nullopt : parse_real(text);
    return real ? event_time_from_real(*real) : std::nullopt;
  }
  if (const auto dotnet = parse_dotnet_time(text)) {
    return dotnet;
  }
  const auto annotated = parse_annotated_instant(text);
  return annotated ? annotated : parse_common_log_time(text);
}

std::optional<std::int64_t> parse_event_time(std::string_view text) {
  const auto instant = parse_machine_time(text);
  return instant ? instant : parse_unmistakable_datetime(trimmed(text));
}

std::optional<std::int64_t> event_time_from_integer(std::int64_t value) {
  return checked_multiply(value, unix_time_unit(value));
}

std::optional<std::int64_t> event_time_from_real(double value) {
  if (!(std::fabs(value) < 9223372036854775808.0)) {
    return std::nullopt;
  }
  if (std::fabs(value) < 1e-4) {
    return static_cast<std::int64_t>(std::llround(value * 1e9));
  }
  std::array<char, kNumberTextBytesMax> text{};
  const char* end = write_real(value, text.data());
  return parse_unix_time({text.data(), static_cast<std::size_t>(end - text.data())});
}

std::optional<std::int64_t> parse_datetime_literal(std::string_view text, std::int64_t now_ns) {
  text = trimmed(text);
  if (const auto instant = parse_liberal_datetime(text)) {
    return instant;
  }
  const auto time_of_day = parse_time_of_day(text);
  const auto midnight = floor_to(now_ns, kDayNs);
  return time_of_day && midnight ? checked_add(*midnight, *time_of_day) : std::nullopt;
}

std::optional<std::int64_t> parse_relative_time(std::string_view text, std::int64_t now_ns) {
  text = trimmed(text);
  if (text.substr(0, 3) == "now") {
    text = trimmed(text.substr(3));
    if (text.empty()) {
      return now_ns;
    }
    const bool later = text[0] == '+';
    if (!later && text[0] != '-') {
      return std::nullopt;
    }
    text = trimmed(text.substr(1));
    const bool signed_twice = !text.empty() && (text[0] == '-' || text[0] == '+');
    const auto span = signed_twice ? std::nullopt : parse_combined_span(text);
    if (!span) {
      return std::nullopt;
    }
    return later ? checked_add(now_ns, *span) : checked_subtract(now_ns, *span);
  }
  if (const auto span = text == "0" ? std::nullopt : parse_combined_span(text)) {
    // "7d" and "-7d" both mean that long ago; only a plus sign points to the future.
    const bool is_signed = text[0] == '-' || text[0] == '+';
    return is_signed ? checked_add(now_ns, *span) : checked_subtract(now_ns, *span);
  }
  return parse_event_time(text);
}

}  // namespace evq

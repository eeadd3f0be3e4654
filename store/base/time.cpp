#include "store/base/time.h"

#include <array>
#include <cstring>

#include "store/base/checked_math.h"

namespace evq {

namespace {

// Division toward minus infinity; `by` is positive.
constexpr std::int64_t divide_down(std::int64_t value, std::int64_t by) {
  return value / by - (value % by < 0 ? 1 : 0);
}

struct Date {
  std::int64_t year;
  int month;
  int day;
};

// Howard Hinnant's algorithm: years start in March, so that the leap day is the last of its year,
// and eras of 400 years repeat exactly.
Date date_from_days(std::int64_t days) {
  const std::int64_t shifted = days + 719468;
  const std::int64_t era = divide_down(shifted, 146097);
  const auto day_of_era = static_cast<std::uint32_t>(shifted - era * 146097);
  const std::uint32_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::uint32_t day_of_march_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::uint32_t march_month = (5 * day_of_march_year + 2) / 153;
  const auto day = static_cast<int>(day_of_march_year - (153 * march_month + 2) / 5 + 1);
  const auto month = static_cast<int>(march_month < 10 ? march_month + 3 : march_month - 9);
  const std::int64_t year = era * 400 + static_cast<std::int64_t>(year_of_era);
  return {year + (month <= 2 ? 1 : 0), month, day};
}

constexpr std::array<char, 200> make_digit_pairs() {
  std::array<char, 200> pairs{};
  for (std::size_t i = 0; i < 100; ++i) {
    pairs[2 * i] = static_cast<char>('0' + i / 10);
    pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return pairs;
}
constexpr std::array<char, 200> kDigitPairs = make_digit_pairs();

void write_pair(char* at, std::uint32_t value) {
  std::memcpy(at, &kDigitPairs[static_cast<std::size_t>(value) * 2], 2);
}

// ".123456789" without trailing zeros; `fraction` is not zero.
char* write_fraction(char* out, std::uint32_t fraction) {
  *out++ = '.';
  const std::uint32_t low = fraction % 10000;
  const std::uint32_t rest = fraction / 10000;
  const std::uint32_t middle = rest % 10000;
  out[0] = static_cast<char>('0' + rest / 10000);
  write_pair(out + 1, middle / 100);
  write_pair(out + 3, middle % 100);
  write_pair(out + 5, low / 100);
  write_pair(out + 7, low % 100);
  out += 9;
  while (out[-1] == '0') {
    --out;
  }
  return out;
}

std::optional<std::int64_t> ns_from_days(std::int64_t days) {
  return checked_multiply(days, kDayNs);
}

// The first day of the unit `offset` units after the one that holds the day.
std::optional<std::int64_t> first_day(CalendarUnit unit, std::int64_t day, std::int64_t offset) {
  // Beyond this any unit leaves the range, and the sums below cannot overflow.
  constexpr std::int64_t kOffsetMax = 10000000;
  if (offset > kOffsetMax || offset < -kOffsetMax) {
    return std::nullopt;
  }
  if (unit == CalendarUnit::kDay) {
    return day + offset;
  }
  if (unit == CalendarUnit::kWeek) {
    // 1970-01-01 was a Thursday, four days after a Sunday.
    return divide_down(day + 4, 7) * 7 - 4 + offset * 7;
  }
  const Date date = date_from_days(day);
  if (unit == CalendarUnit::kYear) {
    return days_from_civil(date.year + offset, 1, 1);
  }
  const std::int64_t step = unit == CalendarUnit::kQuarter ? 3 : 1;
  const std::int64_t month0 = (date.month - 1) / step * step;
  const std::int64_t months = date.year * 12 + month0 + offset * step;
  const std::int64_t year = divide_down(months, 12);
  return days_from_civil(year, static_cast<int>(months - year * 12) + 1, 1);
}

}  // namespace

bool is_leap_year(std::int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int days_in_month(std::int64_t year, int month) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap_year(year) ? 29 : kDays[static_cast<std::size_t>(month - 1)];
}

std::int64_t days_from_civil(std::int64_t year, int month, int day) {
  const std::int64_t march_year = year - (month <= 2 ? 1 : 0);
  const std::int64_t era = divide_down(march_year, 400);
  const std::int64_t year_of_era = march_year - era * 400;
  const std::int64_t march_month = month > 2 ? month - 3 : month + 9;
  const std::int64_t day_of_march_year = (153 * march_month + 2) / 5 + day - 1;
  const std::int64_t day_of_era =
      year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_march_year;
  return era * 146097 + day_of_era - 719468;
}

Civil civil_from_ns(std::int64_t ns) {
  const std::int64_t days = divide_down(ns, kDayNs);
  // Below the range's first midnight the product would overflow; the remainder does not.
  std::int64_t rest = ns % kDayNs;
  rest += rest < 0 ? kDayNs : 0;
  const Date date = date_from_days(days);
  const auto seconds = static_cast<int>(rest / kSecondNs);
  return {static_cast<int>(date.year),
          date.month,
          date.day,
          seconds / 3600,
          seconds / 60 % 60,
          seconds % 60,
          static_cast<int>(rest % kSecondNs)};
}

std::optional<std::int64_t> ns_from_civil(const Civil& civil, int offset_seconds) {
  if (civil.month < 1 || civil.month > 12 || civil.day < 1 ||
      civil.day > days_in_month(civil.year, civil.month) || civil.hour < 0 || civil.hour > 23 ||
      civil.minute < 0 || civil.minute > 59 || civil.second < 0 || civil.second > 59 ||
      civil.nanosecond < 0 || civil.nanosecond > 999999999) {
    return std::nullopt;
  }
  const std::int64_t days = days_from_civil(civil.year, civil.month, civil.day);
  const std::int64_t second_of_day = (civil.hour * 60 + civil.minute) * 60 + civil.second;
  return ns_from_seconds(days * 86400 + second_of_day - offset_seconds, civil.nanosecond);
}

std::optional<std::int64_t> ns_from_seconds(std::int64_t seconds, int nanosecond) {
  // The first second of the range starts before it, so seconds below zero are counted from their
  // end.
  const bool before = seconds < 0;
  const auto whole = checked_multiply(before ? seconds + 1 : seconds, kSecondNs);
  return whole ? checked_add(*whole, nanosecond - (before ? kSecondNs : 0)) : std::nullopt;
}

char* write_instant(std::int64_t ns, char* buffer) {
  const Civil civil = civil_from_ns(ns);
  write_pair(buffer, static_cast<std::uint32_t>(civil.year / 100));
  write_pair(buffer + 2, static_cast<std::uint32_t>(civil.year % 100));
  buffer[4] = '-';
  write_pair(buffer + 5, static_cast<std::uint32_t>(civil.month));
  buffer[7] = '-';
  write_pair(buffer + 8, static_cast<std::uint32_t>(civil.day));
  buffer[10] = 'T';
  write_pair(buffer + 11, static_cast<std::uint32_t>(civil.hour));
  buffer[13] = ':';
  write_pair(buffer + 14, static_cast<std::uint32_t>(civil.minute));
  buffer[16] = ':';
  write_pair(buffer + 17, static_cast<std::uint32_t>(civil.second));
  char* out = buffer + 19;
  if (civil.nanosecond != 0) {
    out = write_fraction(out, static_cast<std::uint32_t>(civil.nanosecond));
  }
  *out++ = 'Z';
  return out;
}

void append_instant(std::string& out, std::int64_t ns) {
  std::array<char, kInstantTextBytesMax> text{};
  char* end = write_instant(ns, text.data());
  out.append(text.data(), static_cast<std::size_t>(end - text.data()));
}

std::string instant_text(std::int64_t ns) {
  std::string out;
  append_instant(out, ns);
  return out;
}

std::optional<std::int64_t> floor_to(std::int64_t ns, std::int64_t size) {
  if (size <= 0) {
    return std::nullopt;
  }
  const std::int64_t rest = ns % size;
  return checked_subtract(ns, rest < 0 ? rest + size : rest);
}

std::optional<std::int64_t> floor_to_from(std::int64_t ns, std::int64_t size, std::int64_t origin) {
  if (size <= 0) {
    return std::nullopt;
  }
  const std::int64_t phase = (origin % size) + (origin % size < 0 ? size : 0);
  const std::int64_t place = (ns % size) + (ns % size < 0 ? size : 0);
  const std::int64_t rest = place - phase;
  return checked_subtract(ns, rest < 0 ? rest + size : rest);
}

std::optional<std::int64_t> start_of(CalendarUnit unit, std::int64_t ns, std::int64_t offset) {
  if (unit == CalendarUnit::kHour) {
    const auto start = floor_to(ns, kHourNs);
    if (offset == 0) {
      return start;
    }
    const auto shift = checked_multiply(offset, kHourNs);
    return start && shift ? checked_add(*start, *shift) : std::nullopt;
  }
  const auto day = first_day(unit, divide_down(ns, kDayNs), offset);
  return day ? ns_from_days(*day) : std::nullopt;
}

std::optional<std::int64_t> end_of(CalendarUnit unit, std::int64_t ns, std::int64_t offset) {
  const auto next = checked_add(offset, 1);
  const auto start = next ? start_of(unit, ns, *next) : std::nullopt;
  return start ? checked_subtract(*start, 1) : std::nullopt;
}

std::optional<std::int64_t> add_months(std::int64_t ns, std::int64_t months) {
  Civil civil = civil_from_ns(ns);
  const auto total =
      checked_add(static_cast<std::int64_t>(civil.year) * 12 + civil.month - 1, months);
  // Far more than the range of instants, and small enough for an int.
  if (!total || *total > 1000000 || *total < -1000000) {
    return std::nullopt;
  }
  const std::int64_t year = divide_down(*total, 12);
  civil.year = static_cast<int>(year);
  civil.month = static_cast<int>(*total - year * 12) + 1;
  const int last = days_in_month(year, civil.month);
  civil.day = civil.day < last ? civil.day : last;
  return ns_from_civil(civil);
}

int day_of_week(std::int64_t ns) {
  const std::int64_t shifted = divide_down(ns, kDayNs) + 4;
  return static_cast<int>(shifted - divide_down(shifted, 7) * 7);
}

int day_of_year(std::int64_t ns) {
  const std::int64_t day = divide_down(ns, kDayNs);
  return static_cast<int>(day - days_from_civil(date_from_days(day).year, 1, 1)) + 1;
}

IsoWeek iso_week(std::int64_t ns) {
  // A week belongs to the year of its Thursday.
  const std::int64_t day = divide_down(ns, kDayNs);
  const int from_monday = (day_of_week(ns) + 6) % 7;
  const std::int64_t thursday = day - from_monday + 3;
  const std::int64_t year = date_from_days(thursday).year;
  const std::int64_t week = (thursday - days_from_civil(year, 1, 1)) / 7 + 1;
  return {static_cast<int>(year), static_cast<int>(week)};
}

}  // namespace evq

#include "store/base/time.h"

#include <cstdint>
#include <limits>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "store/base/checked_math.h"
#include "store/base/time_parse.h"

namespace evq {
namespace {

// The instant of a text, which must parse.
std::int64_t at(const char* text) {
  const auto ns = parse_instant(text);
  CAPTURE(std::string(text));
  REQUIRE(ns.has_value());
  return ns.value_or(0);
}

std::string instant_or_none(std::optional<std::int64_t> ns) {
  return ns ? instant_text(*ns) : "none";
}

TEST_CASE("known instants print as RFC 3339") {
  struct Row {
    std::int64_t ns;
    const char* text;
  };
  const Row rows[] = {{0, "1970-01-01T00:00:00Z"},
                      {-1, "1969-12-31T23:59:59.999999999Z"},
                      {1, "1970-01-01T00:00:00.000000001Z"},
                      {500000000, "1970-01-01T00:00:00.5Z"},
                      {123456000, "1970-01-01T00:00:00.123456Z"},
                      {951782400 * kSecondNs, "2000-02-29T00:00:00Z"},
                      {1000000000 * kSecondNs, "2001-09-09T01:46:40Z"},
                      {1714557600 * kSecondNs + 120000000, "2024-05-01T10:00:00.12Z"},
                      {-2208988800 * kSecondNs, "1900-01-01T00:00:00Z"},
                      {4102444799 * kSecondNs, "2099-12-31T23:59:59Z"},
                      {kInstantMin, "1677-09-21T00:12:43.145224192Z"},
                      {kInstantMax, "2262-04-11T23:47:16.854775807Z"}};
  for (const Row& row : rows) {
    CHECK(instant_text(row.ns) == row.text);
    CHECK(at(row.text) == row.ns);
    CHECK(ns_from_civil(civil_from_ns(row.ns)) == row.ns);
  }
}

// The days of one month, each against its number; returns the first number of the next month.
std::int64_t check_month(int year, int month, std::int64_t days) {
  for (int day = 1; day <= days_in_month(year, month); ++day, ++days) {
    REQUIRE(days_from_civil(year, month, day) == days);
    const bool in_range = year >= 1678 && year < 2262;
    const Civil expected = {year, month, day, 0, 0, 0, 1};
    REQUIRE((!in_range || civil_from_ns(days * kDayNs + 1) == expected));
  }
  return days;
}

TEST_CASE("every day of eight centuries follows its predecessor") {
  std::int64_t days = days_from_civil(1600, 1, 1);
  for (int month = 0; month < 800 * 12; ++month) {
    days = check_month(1600 + month / 12, month % 12 + 1, days);
  }
  CHECK(is_leap_year(2000));
  CHECK(!is_leap_year(1900));
  CHECK(is_leap_year(2024));
  CHECK(!is_leap_year(2023));
}

TEST_CASE("random instants of the whole range go round through civil and text") {
  const std::uint64_t seed = 11;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 200000; ++i) {
    auto ns = static_cast<std::int64_t>(random());
    if (i % 3 == 0) {
      ns -= ns % kMillisecondNs;
    } else if (i % 3 == 1) {
      ns -= ns % kSecondNs;
    }
    REQUIRE(ns_from_civil(civil_from_ns(ns)) == ns);
    const std::string text = instant_text(ns);
    REQUIRE(text.size() <= kInstantTextBytesMax);
    REQUIRE(parse_instant(text) == ns);
  }
}

TEST_CASE("impossible dates are none") {
  for (const Civil& civil :
       {Civil{2023, 2, 29}, Civil{2024, 2, 30}, Civil{2024, 0, 1}, Civil{2024, 13, 1},
        Civil{2024, 4, 31}, Civil{2024, 1, 0}, Civil{2024, 1, 1, 24}, Civil{2024, 1, 1, 0, 60},
        Civil{2024, 1, 1, 0, 0, 60}, Civil{2024, 1, 1, 0, 0, 0, 1000000000}, Civil{1677, 9, 20},
        Civil{1677, 9, 21, 0, 12, 43, 145224191}, Civil{2262, 4, 11, 23, 47, 16, 854775808},
        Civil{9999, 12, 31}, Civil{1, 1, 1}, Civil{0, 1, 1}}) {
    CHECK(!ns_from_civil(civil));
  }
  CHECK(ns_from_civil({1677, 9, 21, 0, 12, 43, 145224192}) == kInstantMin);
}

TEST_CASE("calendar units start and end") {
  struct Row {
    CalendarUnit unit;
    const char* from;
    std::int64_t offset;
    const char* start;
    const char* end;
  };
  const char* now = "2024-05-15T13:14:15.5Z";  // a Wednesday
  const Row rows[] = {
      {CalendarUnit::kHour, now, 0, "2024-05-15T13:00:00Z", "2024-05-15T13:59:59.999999999Z"},
      {CalendarUnit::kDay, now, 0, "2024-05-15T00:00:00Z", "2024-05-15T23:59:59.999999999Z"},
      {CalendarUnit::kDay, now, -15, "2024-04-30T00:00:00Z", "2024-04-30T23:59:59.999999999Z"},
      {CalendarUnit::kWeek, now, 0, "2024-05-12T00:00:00Z", "2024-05-18T23:59:59.999999999Z"},
      {CalendarUnit::kWeek, now, 1, "2024-05-19T00:00:00Z", "2024-05-25T23:59:59.999999999Z"},
      {CalendarUnit::kWeek, "2024-05-12T00:00:00Z", 0, "2024-05-12T00:00:00Z",
       "2024-05-18T23:59:59.999999999Z"},
      {CalendarUnit::kMonth, now, 0, "2024-05-01T00:00:00Z", "2024-05-31T23:59:59.999999999Z"},
      {CalendarUnit::kMonth, now, -3, "2024-02-01T00:00:00Z", "2024-02-29T23:59:59.999999999Z"},
      {CalendarUnit::kMonth, now, 8, "2025-01-01T00:00:00Z", "2025-01-31T23:59:59.999999999Z"},
      {CalendarUnit::kQuarter, now, 0, "2024-04-01T00:00:00Z", "2024-06-30T23:59:59.999999999Z"},
      {CalendarUnit::kQuarter, now, -2, "2023-10-01T00:00:00Z", "2023-12-31T23:59:59.999999999Z"},
      {CalendarUnit::kYear, now, 0, "2024-01-01T00:00:00Z", "2024-12-31T23:59:59.999999999Z"},
      {CalendarUnit::kYear, now, -1, "2023-01-01T00:00:00Z", "2023-12-31T23:59:59.999999999Z"},
      {CalendarUnit::kWeek, "1969-12-31T12:00:00Z", 0, "1969-12-28T00:00:00Z",
       "1970-01-03T23:59:59.999999999Z"}};
  for (const Row& row : rows) {
    CAPTURE(std::string(row.from));
    CAPTURE(row.offset);
    CHECK(instant_or_none(start_of(row.unit, at(row.from), row.offset)) == row.start);
    CHECK(instant_or_none(end_of(row.unit, at(row.from), row.offset)) == row.end);
  }
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  for (const CalendarUnit unit :
       {CalendarUnit::kHour, CalendarUnit::kDay, CalendarUnit::kWeek, CalendarUnit::kMonth,
        CalendarUnit::kQuarter, CalendarUnit::kYear}) {
    for (const std::int64_t offset : {huge, -huge - 1, std::int64_t{9999999}}) {
      CHECK(!start_of(unit, 0, offset));
      CHECK(!end_of(unit, 0, offset));
    }
    CHECK(!start_of(unit, kInstantMin, 0));
    CHECK(!end_of(unit, kInstantMax, 0));
  }
}

TEST_CASE("adding months clips the day") {
  struct Row {
    const char* from;
    std::int64_t months;
    const char* to;
  };
  const Row rows[] = {{"2024-01-31T10:00:00Z", 1, "2024-02-29T10:00:00Z"},
                      {"2023-01-31T10:00:00Z", 1, "2023-02-28T10:00:00Z"},
                      {"2024-02-29T00:00:00Z", 12, "2025-02-28T00:00:00Z"},
                      {"2024-02-29T00:00:00Z", 48, "2028-02-29T00:00:00Z"},
                      {"2024-01-15T00:00:00Z", -1, "2023-12-15T00:00:00Z"},
                      {"2024-03-31T00:00:00Z", -1, "2024-02-29T00:00:00Z"},
                      {"2024-03-31T00:00:00Z", 3, "2024-06-30T00:00:00Z"},
                      {"2024-03-31T00:00:00Z", 0, "2024-03-31T00:00:00Z"}};
  for (const Row& row : rows) {
    CHECK(instant_or_none(add_months(at(row.from), row.months)) == row.to);
  }
  CHECK(!add_months(0, 4000));
  CHECK(!add_months(0, std::numeric_limits<std::int64_t>::max()));
  CHECK(!add_months(0, std::numeric_limits<std::int64_t>::min()));
}

TEST_CASE("days and weeks of the year") {
  struct Row {
    const char* text;
    int weekday;
    int day_of_year;
    int iso_year;
    int iso_week;
  };
  const Row rows[] = {{"1970-01-01", 4, 1, 1970, 1},    {"2024-02-29", 4, 60, 2024, 9},
                      {"2024-12-31", 2, 366, 2025, 1},  {"2023-01-01", 0, 1, 2022, 52},
                      {"2021-01-03", 0, 3, 2020, 53},   {"2021-01-04", 1, 4, 2021, 1},
                      {"2020-12-31", 4, 366, 2020, 53}, {"1969-12-31", 3, 365, 1970, 1}};
  for (const Row& row : rows) {
    CAPTURE(std::string(row.text));
    CHECK(day_of_week(at(row.text)) == row.weekday);
    CHECK(day_of_year(at(row.text)) == row.day_of_year);
    CHECK(iso_week(at(row.text)).year == row.iso_year);
    CHECK(iso_week(at(row.text)).week == row.iso_week);
  }
}

TEST_CASE("floors go toward minus infinity") {
  CHECK(floor_to(7, 5) == 5);
  CHECK(floor_to(-7, 5) == -10);
  CHECK(floor_to(-10, 5) == -10);
  CHECK(floor_to(0, 5) == 0);
  CHECK(!floor_to(1, 0));
  CHECK(!floor_to(1, -5));
  CHECK(!floor_to(kInstantMin, kDayNs));
  CHECK(floor_to(kInstantMax, kInstantMax) == kInstantMax);
  CHECK(floor_to_from(7, 5, 1) == 6);
  CHECK(floor_to_from(0, 5, 1) == -4);
  CHECK(floor_to_from(-7, 5, -1) == -11);
  CHECK(floor_to_from(kInstantMax, 10, kInstantMin).has_value());
  CHECK(!floor_to_from(0, 0, 0));
}

TEST_CASE("checked arithmetic refuses to overflow") {
  CHECK(checked_add(1, 2) == 3);
  CHECK(!checked_add(kInstantMax, 1));
  CHECK(!checked_subtract(kInstantMin, 1));
  CHECK(!checked_multiply(kInstantMax, 2));
  CHECK(checked_multiply(-3, 4) == -12);
}

}  // namespace
}  // namespace evq

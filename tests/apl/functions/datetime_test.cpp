// The datetime functions: clipping, boundaries, ISO weeks, units with offsets.

#include <doctest/doctest.h>

#include "store/base/time.h"
#include "store/base/time_parse.h"
#include "tests/support/function_calls.h"

namespace evq {
namespace {

TEST_CASE("calendar arithmetic") {
  check_calls({
      {"datetime_add", {t("month"), n(1), at("2024-01-31")}, "2024-02-29T00:00:00Z"},
      {"datetime_add", {t("Year"), n(1), at("2024-02-29")}, "2025-02-28T00:00:00Z"},
      {"datetime_add", {t("quarter"), n(-1), at("2024-05-31")}, "2024-02-29T00:00:00Z"},
      {"datetime_add", {t("week"), n(1), at("2024-12-28")}, "2025-01-04T00:00:00Z"},
      {"datetime_add", {t("year"), n(1000), at("2024-12-28")}, "null"},
      {"datetime_diff", {t("day"), at("2024-05-02T00:30:00Z"), at("2024-05-01T23:30:00Z")}, "1"},
      {"datetime_diff", {t("day"), at("1969-12-31T23:30:00Z"), at("1970-01-01")}, "-1"},
      {"datetime_diff", {t("week"), at("2024-05-05"), at("2024-05-04")}, "1"},
      {"datetime_diff", {t("week"), at("1970-01-04"), at("1970-01-03")}, "1"},
      {"datetime_diff", {t("week"), at("1969-12-28"), at("1969-12-27")}, "1"},
      {"datetime_diff", {t("week"), at("1970-01-03"), at("1969-12-28")}, "0"},
      {"datetime_diff", {t("month"), at("2024-01-01"), at("2024-03-31")}, "-2"},
      {"datetime_diff", {t("quarter"), at("2024-04-01"), at("2024-03-31")}, "1"},
      {"datetime_diff", {t("second"), at("1969-12-31T23:59:59.9Z"), at("1970-01-01")}, "-1"},
      {"datetime_part", {t("microsecond"), at("2024-05-01T00:00:00.765432100Z")}, "765432"},
      {"datetime_part", {t("nanosecond"), at("2024-05-01T00:00:00.765432100Z")}, "765432100"},
      {"datetime_part", {t("dayOfYear"), at("2024-12-31")}, "366"},
      {"datetime_part", {t("week_of_year"), at("2024-12-30")}, "1"},
      {"week_of_year", {at("2021-01-03")}, "53"},
      {"dayofweek", {at("2024-05-05")}, "0"},
      {"dayofweek", {at("1969-12-31")}, "3"},
      {"getyear", {kNothing}, "null"},
  });
}

TEST_CASE("units with offsets") {
  const Value time = at("2024-02-29T13:14:15.765Z");
  check_calls({
      {"startofday", {time}, "2024-02-29T00:00:00Z"},
      {"startofday", {time, n(1)}, "2024-03-01T00:00:00Z"},
      {"startofweek", {time}, "2024-02-25T00:00:00Z"},
      {"startofmonth", {time, n(-1)}, "2024-01-01T00:00:00Z"},
      {"startofyear", {time, n(1)}, "2025-01-01T00:00:00Z"},
      {"endofday", {time}, "2024-02-29T23:59:59.9999999Z"},
      {"endofweek", {time}, "2024-03-02T23:59:59.9999999Z"},
      {"endofmonth", {time, n(1)}, "2024-03-31T23:59:59.9999999Z"},
      {"endofyear", {time}, "2024-12-31T23:59:59.9999999Z"},
  });
}

TEST_CASE("construction") {
  check_calls({
      {"unixtime_seconds_todatetime", {n(1714558830)}, "2024-05-01T10:20:30Z"},
      {"unixtime_seconds_todatetime", {r(1714558830.9)}, "2024-05-01T10:20:30Z"},
      {"unixtime_milliseconds_todatetime", {n(-1)}, "1969-12-31T23:59:59.999Z"},
      {"unixtime_seconds_todatetime", {n(INT64_MAX)}, "null"},
      {"make_datetime", {n(2024), n(2), n(29)}, "2024-02-29T00:00:00Z"},
      {"make_datetime", {n(2023), n(2), n(29)}, "null"},
      {"make_datetime", {n(2024), n(2), n(9), n(1), n(2), r(3.5)}, "2024-02-09T01:02:03.5Z"},
      {"make_timespan", {n(1), n(12), n(30), r(55.123)}, "36h30m55.123s"},
      {"make_timespan", {n(24), n(0)}, "null"},
      {"bin_at", {r(6.5), r(2.5), n(7)}, "4.5"},
      {"bin_at",
       {at("2024-05-01T10:20:00Z"), span(kDayNs), at("2024-01-01T12:00:00Z")},
       "2024-04-30T12:00:00Z"},
      {"bin_at", {n(5), n(0), n(1)}, "null"},
      {"ago", {span(kHourNs)}, "1969-12-31T23:00:00Z"},
      {"now", {span(kHourNs)}, "1970-01-01T01:00:00Z"},
  });
}

}  // namespace
}  // namespace evq

// The functions that make instants and spans of numbers: counts since the epoch, calendar fields.

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "apl/functions/lift.h"
#include "apl/functions/registry.h"
#include "store/base/checked_math.h"
#include "store/base/number.h"
#include "store/base/time.h"

namespace evq {
namespace {

template <std::int64_t kUnitNs>
MaybeTime time_from_long(std::int64_t count) {
  return time_of(checked_multiply(count, kUnitNs));
}
// Fractions are dropped.
template <std::int64_t kUnitNs>
MaybeTime time_from_real(double count) {
  const MaybeLong whole = int_from_real(count);
  return whole.has_value() ? time_of(checked_multiply(*whole, kUnitNs)) : std::nullopt;
}

// A long in a dynamic keeps its last digits, which a real would not.
MaybeTime time_from_dynamic(DynamicView nanoseconds) {
  if (nanoseconds.tag() == DynamicTag::kLong) {
    return time_from_long<1>(nanoseconds.as_integer());
  }
  return nanoseconds.tag() == DynamicTag::kReal ? time_from_real<1>(nanoseconds.as_real())
                                                : std::nullopt;
}

bool fits_int(std::int64_t value) {
  return value >= 0 && value <= 9999;
}

// Seconds with a fraction, as whole nanoseconds below a minute.
MaybeLong seconds_ns(double seconds) {
  if (!(seconds >= 0 && seconds < 60)) {
    return std::nullopt;
  }
  return std::min<std::int64_t>(std::llround(seconds * static_cast<double>(kSecondNs)),
                                kMinuteNs - 1);
}

MaybeTime make_datetime(std::int64_t year, std::int64_t month, std::int64_t day, MaybeLong hour,
                        MaybeLong minute, std::optional<double> second) {
  const MaybeLong rest = seconds_ns(second.value_or(0));
  for (const std::int64_t field : {year, month, day, hour.value_or(0), minute.value_or(0)}) {
    if (!fits_int(field)) {
      return std::nullopt;
    }
  }
  if (!rest.has_value()) {
    return std::nullopt;
  }
  Civil civil;
  civil.year = static_cast<int>(year);
  civil.month = static_cast<int>(month);
  civil.day = static_cast<int>(day);
  civil.hour = static_cast<int>(hour.value_or(0));
  civil.minute = static_cast<int>(minute.value_or(0));
  civil.second = static_cast<int>(*rest / kSecondNs);
  civil.nanosecond = static_cast<int>(*rest % kSecondNs);
  return time_of(ns_from_civil(civil));
}

MaybeSpan span_of_parts(std::int64_t days, std::int64_t hours, std::int64_t minutes,
                        double seconds) {
  constexpr std::int64_t kDaysMax = 106751;
  const MaybeLong rest = seconds_ns(seconds);
  if (days < 0 || days >= kDaysMax || hours < 0 || hours > 23 || minutes < 0 || minutes > 59 ||
      !rest.has_value()) {
    return std::nullopt;
  }
  return Timespan{days * kDayNs + hours * kHourNs + minutes * kMinuteNs + *rest};
}
MaybeSpan timespan_hm(std::int64_t hours, std::int64_t minutes) {
  return span_of_parts(0, hours, minutes, 0);
}
MaybeSpan timespan_hms(std::int64_t hours, std::int64_t minutes, double seconds) {
  return span_of_parts(0, hours, minutes, seconds);
}
MaybeSpan timespan_dhms(std::int64_t days, std::int64_t hours, std::int64_t minutes,
                        double seconds) {
  return span_of_parts(days, hours, minutes, seconds);
}

constexpr std::array<ScalarFunction, 6> kDatetimeMakeFunctions = {{
    {.name = "make_datetime",
     .category = "datetime",
     .summary = "Makes a time of its calendar fields.",
     .params = {{{"year", "The year."},
                 {"month", "The month, 1 to 12."},
                 {"day", "The day, 1 to 31."},
                 {"[hour]", "The hour, 0 to 23."},
                 {"[minute]", "The minute, 0 to 59."},
                 {"[second]", "The second, with a fraction."}}},
     .returns = "A datetime, UTC; null when there is no such time.",
     .examples = {{{"print make_datetime(2024, 5, 1, 10, 20, 30.5)", "2024-05-01T10:20:30.5Z"},
                   {"print make_datetime(2023, 2, 29)", "null"}}},
     .overloads = {lift<make_datetime>()}},
    {.name = "make_timespan",
     .category = "datetime",
     .summary = "Makes a span of its fields.",
     .params = {{{"[days]", "Days; only with all four arguments."},
                 {"hours", "Hours, 0 to 23."},
                 {"minutes", "Minutes, 0 to 59."},
                 {"[seconds]", "Seconds below 60, with a fraction."}}},
     .returns = "A timespan; null when a field is out of its range.",
     .examples = {{{"print make_timespan(1, 12, 30, 55.123)", "36h30m55.123s"},
                   {"print make_timespan(12, 30)", "12h30m0s"}}},
     .overloads = {lift<timespan_hm>(), lift<timespan_hms>(), lift<timespan_dhms>()}},
    {.name = "unixtime_microseconds_todatetime",
     .category = "datetime",
     .summary = "The time that lies so many microseconds after 1970-01-01.",
     .params = {{{"count", "A number of microseconds; fractions are dropped."}}},
     .returns = "A datetime; null outside of the years 1677 to 2262.",
     .examples = {{{"print unixtime_microseconds_todatetime(1714558830000000)",
                    "2024-05-01T10:20:30Z"}}},
     .overloads = {lift<time_from_long<kMicrosecondNs>>(), lift<time_from_real<kMicrosecondNs>>()}},
    {.name = "unixtime_milliseconds_todatetime",
     .category = "datetime",
     .summary = "The time that lies so many milliseconds after 1970-01-01.",
     .params = {{{"count", "A number of milliseconds; fractions are dropped."}}},
     .returns = "A datetime; null outside of the years 1677 to 2262.",
     .examples = {{{"print unixtime_milliseconds_todatetime(1714558830000)",
                    "2024-05-01T10:20:30Z"}}},
     .overloads = {lift<time_from_long<kMillisecondNs>>(), lift<time_from_real<kMillisecondNs>>()}},
    {.name = "unixtime_nanoseconds_todatetime",
     .category = "datetime",
     .summary = "The time that lies so many nanoseconds after 1970-01-01.",
     .params = {{{"count", "A number of nanoseconds; fractions are dropped."}}},
     .returns = "A datetime; null outside of the years 1677 to 2262.",
     .examples = {{{"print unixtime_nanoseconds_todatetime(1714558830000000000)",
                    "2024-05-01T10:20:30Z"}}},
     .overloads = {lift<time_from_long<1>>(), lift<time_from_real<1>>(),
                   lift<time_from_dynamic>()}},
    {.name = "unixtime_seconds_todatetime",
     .category = "datetime",
     .summary = "The time that lies so many seconds after 1970-01-01.",
     .params = {{{"count", "A number of seconds; fractions are dropped."}}},
     .returns = "A datetime; null outside of the years 1677 to 2262.",
     .examples = {{{"print unixtime_seconds_todatetime(1714558830)", "2024-05-01T10:20:30Z"}}},
     .overloads = {lift<time_from_long<kSecondNs>>(), lift<time_from_real<kSecondNs>>()}},
}};

}  // namespace

std::span<const ScalarFunction> datetime_make_functions() {
  return kDatetimeMakeFunctions;
}

}  // namespace evq

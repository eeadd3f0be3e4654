// The functions of instants: the clock, calendar parts, starts and ends of units, differences;
// datetime_make.cpp has those that make instants and spans of numbers.
// Everything is UTC; weeks begin on Sunday, except those of week_of_year(), which are ISO 8601's.

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "apl/functions/lift.h"
#include "apl/functions/registry.h"
#include "store/base/ascii.h"
#include "store/base/number.h"
#include "store/base/time.h"
#include "store/base/time_scan.h"

namespace evq {
namespace {

using MaybeLong = std::optional<std::int64_t>;
using MaybeTime = std::optional<Datetime>;
using MaybeSpan = std::optional<Timespan>;

Datetime now_plain(const EvalContext& context) {
  return {context.now_ns};
}
MaybeTime now_offset(const EvalContext& context, Timespan offset) {
  return time_of(checked_add(context.now_ns, offset.ns));
}
MaybeTime ago(const EvalContext& context, Timespan span) {
  return time_of(checked_subtract(context.now_ns, span.ns));
}

// ---- parts

enum class Part : std::uint8_t {
  kYear,
  kQuarter,
  kMonth,
  kWeek,
  kDay,
  kDayOfYear,
  kHour,
  kMinute,
  kSecond,
  kMillisecond,
  kMicrosecond,
  kNanosecond,
};

struct PartName {
  std::string_view name;
  Part part;
};

constexpr std::array<PartName, 14> kPartNames = {{
    {"year", Part::kYear},
    {"quarter", Part::kQuarter},
    {"month", Part::kMonth},
    {"week", Part::kWeek},
    {"week_of_year", Part::kWeek},
    {"weekofyear", Part::kWeek},
    {"day", Part::kDay},
    {"dayofyear", Part::kDayOfYear},
    {"hour", Part::kHour},
    {"minute", Part::kMinute},
    {"second", Part::kSecond},
    {"millisecond", Part::kMillisecond},
    {"microsecond", Part::kMicrosecond},
    {"nanosecond", Part::kNanosecond},
}};

std::optional<Part> part_from_name(std::string_view name) {
  for (const PartName& known : kPartNames) {
    if (equals_ignoring_ascii_case(known.name, name)) {
      return known.part;
    }
  }
  return std::nullopt;
}

// A part written out in the query is checked when the query is, so that a typing error does not
// pass for missing data.
std::optional<BindFailure> check_part(const BindRequest& request) {
  const Value* part = request.arguments.empty() ? nullptr : request.arguments[0].constant;
  if (part == nullptr || part->is_null() || part->type() != Type::kString ||
      part_from_name(part->as_text()).has_value()) {
    return std::nullopt;
  }
  return BindFailure{0, "there is no date part '" + std::string(part->as_text()) + "'",
                     "parts are year, quarter, month, week, week_of_year, day, dayofyear, hour, "
                     "minute, second, millisecond, microsecond and nanosecond"};
}

// Nanoseconds of a part of fixed length; 0 for months and longer.
std::int64_t part_ns(Part part) {
  switch (part) {
    case Part::kWeek:
      return kWeekNs;
    case Part::kDay:
    case Part::kDayOfYear:
      return kDayNs;
    case Part::kHour:
      return kHourNs;
    case Part::kMinute:
      return kMinuteNs;
    case Part::kSecond:
      return kSecondNs;
    case Part::kMillisecond:
      return kMillisecondNs;
    case Part::kMicrosecond:
      return kMicrosecondNs;
    case Part::kNanosecond:
      return 1;
    case Part::kYear:
    case Part::kQuarter:
    case Part::kMonth:
      return 0;
  }
  return 0;
}

std::int64_t part_months(Part part) {
  return part == Part::kYear ? 12 : part == Part::kQuarter ? 3 : 1;
}

MaybeLong datetime_part(std::string_view name, Datetime time) {
  const std::optional<Part> part = part_from_name(name);
  if (!part.has_value()) {
    return std::nullopt;
  }
  const Civil civil = civil_from_ns(time.ns);
  switch (*part) {
    case Part::kYear:
      return civil.year;
    case Part::kQuarter:
      return (civil.month - 1) / 3 + 1;
    case Part::kMonth:
      return civil.month;
    case Part::kWeek:
      return iso_week(time.ns).week;
    case Part::kDay:
      return civil.day;
    case Part::kDayOfYear:
      return day_of_year(time.ns);
    case Part::kHour:
      return civil.hour;
    case Part::kMinute:
      return civil.minute;
    case Part::kSecond:
      return civil.second;
    case Part::kMillisecond:
      return civil.nanosecond / kMillisecondNs;
    case Part::kMicrosecond:
      return civil.nanosecond / kMicrosecondNs;
    case Part::kNanosecond:
      return civil.nanosecond;
  }
  return std::nullopt;
}

MaybeTime datetime_add(std::string_view name, std::int64_t amount, Datetime time) {
  const std::optional<Part> part = part_from_name(name);
  if (!part.has_value()) {
    return std::nullopt;
  }
  const std::int64_t width = part_ns(*part);
  if (width == 0) {
    const MaybeLong months = checked_multiply(amount, part_months(*part));
    return months.has_value() ? time_of(add_months(time.ns, *months)) : std::nullopt;
  }
  const MaybeLong span = checked_multiply(amount, width);
  return span.has_value() ? time_of(checked_add(time.ns, *span)) : std::nullopt;
}

// ns / width, rounded down; a constant width spares the division.
template <std::int64_t kWidth>
std::int64_t units_before(std::int64_t ns) {
  const std::int64_t quotient = ns / kWidth;
  return quotient * kWidth > ns ? quotient - 1 : quotient;
}

// The number of the unit that holds `ns`, counted from an arbitrary one.
std::int64_t unit_number(Part part, std::int64_t ns) {
  switch (part) {
    case Part::kYear:
    case Part::kQuarter:
    case Part::kMonth: {
      const Civil civil = civil_from_ns(ns);
      const std::int64_t months = std::int64_t{civil.year} * 12 + civil.month - 1;
      return months / part_months(part);
    }
    case Part::kWeek: {
      // The epoch was a Thursday; weeks begin on Sundays, four days before it.
      const std::int64_t day = units_before<kDayNs>(ns) + 4;
      return day >= 0 ? day / 7 : -((-day + 6) / 7);
    }
    case Part::kDay:
    case Part::kDayOfYear:
      return units_before<kDayNs>(ns);
    case Part::kHour:
      return units_before<kHourNs>(ns);
    case Part::kMinute:
      return units_before<kMinuteNs>(ns);
    case Part::kSecond:
      return units_before<kSecondNs>(ns);
    case Part::kMillisecond:
      return units_before<kMillisecondNs>(ns);
    case Part::kMicrosecond:
      return units_before<kMicrosecondNs>(ns);
    case Part::kNanosecond:
      return ns;
  }
  return 0;
}

MaybeLong units_between(Part part, Datetime a, Datetime b) {
  std::int64_t difference = 0;
  const bool overflows =
      __builtin_sub_overflow(unit_number(part, a.ns), unit_number(part, b.ns), &difference);
  return overflows ? std::nullopt : MaybeLong(difference);
}

MaybeLong datetime_diff(std::string_view name, Datetime a, Datetime b) {
  const std::optional<Part> part = part_from_name(name);
  return part.has_value() ? units_between(*part, a, b) : std::nullopt;
}

// Reads the name of the part once where it is the same in all rows.
Vector datetime_diff_rows(const KernelCall& call) {
  const Vector& name = call.args[0];
  if (call.rows == 0 || !name.is_constant() || name.is_null(0)) {
    return lifting::kernel<datetime_diff>(call);
  }
  const std::optional<Part> part = part_from_name(name.at<std::string_view>(0));
  const lifting::Reader<Datetime> a(call.args[1]);
  const lifting::Reader<Datetime> b(call.args[2]);
  lifting::Writer<MaybeLong> out(call.rows, call.args);
  for (std::size_t row = 0; row < call.rows; ++row) {
    if (!part.has_value() || a.missing(row) || b.missing(row)) {
      out.put_null(row);
    } else {
      out.put(row, units_between(*part, a.get(row), b.get(row)));
    }
  }
  return out.finish();
}

constexpr Overload datetime_diff_overload() {
  Overload overload = lift<datetime_diff>();
  overload.kernel = datetime_diff_rows;
  return overload;
}

std::int64_t day_of_month(Datetime t) {
  return civil_from_ns(t.ns).day;
}
std::int64_t day_of_week_number(Datetime t) {
  return day_of_week(t.ns);
}
std::int64_t day_of_year_number(Datetime t) {
  return day_of_year(t.ns);
}
std::int64_t month_number(Datetime t) {
  return civil_from_ns(t.ns).month;
}
std::int64_t year_number(Datetime t) {
  return civil_from_ns(t.ns).year;
}
std::int64_t hour_number(Datetime t) {
  const std::int64_t rest = t.ns % kDayNs;
  return (rest < 0 ? rest + kDayNs : rest) / kHourNs;
}
std::int64_t week_number(Datetime t) {
  return iso_week(t.ns).week;
}

// ---- units

template <CalendarUnit kUnit>
MaybeTime unit_start(Datetime time, MaybeLong offset) {
  return time_of(start_of(kUnit, time.ns, offset.value_or(0)));
}

// The language counts in ticks of 100 ns here: a unit ends at .9999999.
template <CalendarUnit kUnit>
MaybeTime unit_end(Datetime time, MaybeLong offset) {
  const MaybeLong last = end_of(kUnit, time.ns, offset.value_or(0));
  return last.has_value() ? time_of(checked_subtract(*last, kTickNs - 1)) : std::nullopt;
}

// ---- bins from a point

MaybeTime bin_at_time(Datetime value, Timespan size, Datetime origin) {
  return time_of(floor_to_from(value.ns, size.ns, origin.ns));
}
MaybeSpan bin_at_span(Timespan value, Timespan size, Timespan origin) {
  const MaybeTime bin = time_of(floor_to_from(value.ns, size.ns, origin.ns));
  return bin.has_value() ? MaybeSpan(Timespan{bin->ns}) : std::nullopt;
}
MaybeLong bin_at_long(std::int64_t value, std::int64_t size, std::int64_t origin) {
  return floor_to_from(value, size, origin);
}
std::optional<double> bin_at_real(double value, double size, double origin) {
  if (!(size > 0)) {
    return std::nullopt;
  }
  return std::floor((value - origin) / size) * size + origin;
}

constexpr std::array<ScalarFunction, 24> kDatetimeFunctions = {{
    {.name = "ago",
     .category = "datetime",
     .summary = "The time a span before now.",
     .params = {{{"span", "How long ago."}}},
     .returns = "A datetime; now() is one instant for the whole query.",
     .examples = {{{"print now() - ago(1h)", "1h0m0s"}}},
     .overloads = {lift<ago>()},
     .flags = FunctionFlags::kContext},
    {.name = "bin_at",
     .category = "datetime",
     .summary =
         "Rounds a number, time or span down to a multiple of a size, counted from a fixed point.",
     .params = {{{"value", "The number, datetime or timespan to round."},
                 {"size", "The distance of the multiples."},
                 {"origin", "A value that is a multiple."}}},
     .returns = "A value of the type of `value`; null when the size is zero or negative.",
     .examples = {{{"print bin_at(6.5, 2.5, 7)", "4.5"},
                   {"print bin_at(datetime(2024-05-01 10:20), 1d, datetime(2024-01-01 12:00))",
                    "2024-04-30T12:00:00Z"}}},
     .overloads = {lift<bin_at_long>(), lift<bin_at_real>(), lift<bin_at_time>(),
                   lift<bin_at_span>()}},
    {.name = "datetime_add",
     .category = "datetime",
     .summary = "Adds a number of calendar units to a time.",
     .params = {{{"part",
                  "year, quarter, month, week, day, hour, minute, second, millisecond, microsecond "
                  "or nanosecond, in any case."},
                 {"amount", "How many; may be negative."},
                 {"time", "A datetime."}}},
     .returns = "A datetime; the day is clipped to the month's length. Null outside "
                "of 1677-09-21 to 2262-04-11.",
     .examples = {{{"print datetime_add('month', 1, datetime(2024-01-31))", "2024-02-29T00:00:00Z"},
                   {"print datetime_add('day', -1, datetime(2024-03-01))",
                    "2024-02-29T00:00:00Z"}}},
     .overloads = {lift<datetime_add>()},
     .check = check_part},
    {.name = "datetime_diff",
     .category = "datetime",
     .summary = "Counts the boundaries of calendar units between two times.",
     .params = {{{"part",
                  "year, quarter, month, week, day, hour, minute, second, millisecond, microsecond "
                  "or nanosecond, in any case."},
                 {"a", "The later datetime."},
                 {"b", "The earlier datetime."}}},
     .returns = "A long, positive when `a` is later; both times are rounded down to the part "
                "first, so one day lies between 23:30 and 00:30.",
     .examples =
         {{{"print datetime_diff('day', datetime(2024-05-02 00:30), datetime(2024-05-01 23:30))",
            "1"},
           {"print datetime_diff('month', datetime(2024-01-01), datetime(2024-03-31))", "-2"}}},
     .overloads = {datetime_diff_overload()},
     .check = check_part},
    {.name = "datetime_part",
     .category = "datetime",
     .summary = "One part of a time as a number.",
     .params = {{{"part",
                  "year, quarter, month, week_of_year, day, dayOfYear, hour, minute, second, "
                  "millisecond, microsecond or nanosecond, in any case."},
                 {"time", "A datetime."}}},
     .returns = "A long; the parts of a second are the whole fraction in that unit.",
     .examples = {{{"print datetime_part('quarter', datetime(2024-05-01))", "2"},
                   {"print datetime_part('microsecond', datetime(2024-05-01 00:00:00.765432))",
                    "765432"}}},
     .overloads = {lift<datetime_part>()},
     .check = check_part},
    {.name = "dayofmonth",
     .category = "datetime",
     .summary = "The day of the month, 1 to 31.",
     .params = {{{"time", "A datetime."}}},
     .returns = "A long.",
     .examples = {{{"print dayofmonth(datetime(2024-02-29 13:14:15.765))", "29"}}},
     .overloads = {lift<day_of_month>()}},
    {.name = "dayofweek",
     .category = "datetime",
     .summary = "The day of the week: 0 is Sunday, 6 Saturday.",
     .params = {{{"time", "A datetime."}}},
     .returns = "A long.",
     .examples = {{{"print dayofweek(datetime(2024-02-29 13:14:15.765))", "4"}}},
     .overloads = {lift<day_of_week_number>()}},
    {.name = "dayofyear",
     .category = "datetime",
     .summary = "The day of the year, 1 to 366.",
     .params = {{{"time", "A datetime."}}},
     .returns = "A long.",
     .examples = {{{"print dayofyear(datetime(2024-02-29 13:14:15.765))", "60"}}},
     .overloads = {lift<day_of_year_number>()}},
    {.name = "endofday",
     .category = "datetime",
     .summary = "The end of the day that holds a time.",
     .params = {{{"time", "A datetime."},
                 {"[offset]", "How many days later, or earlier when negative."}}},
     .returns = "A datetime, 100 ns before the next day.",
     .examples = {{{"print endofday(datetime(2024-02-29 13:14:15.765))",
                    "2024-02-29T23:59:59.9999999Z"}}},
     .overloads = {lift<unit_end<CalendarUnit::kDay>>()}},
    {.name = "endofhour",
     .category = "datetime",
     .summary = "The end of the hour that holds a time.",
     .params = {{{"time", "A datetime."},
                 {"[offset]", "How many hours later, or earlier when negative."}}},
     .returns = "A datetime, 100 ns before the next hour.",
     .examples = {{{"print endofhour(datetime(2024-02-29 13:14:15.765))",
                    "2024-02-29T13:59:59.9999999Z"}}},
     .overloads = {lift<unit_end<CalendarUnit::kHour>>()}},
    {.name = "endofmonth",
     .category = "datetime",
     .summary = "The end of the month that holds a time.",
     .params = {{{"time", "A datetime."},
                 {"[offset]", "How many months later, or earlier when negative."}}},
     .returns = "A datetime, 100 ns before the next month.",
     .examples = {{{"print endofmonth(datetime(2024-02-29 13:14:15.765))",
                    "2024-02-29T23:59:59.9999999Z"}}},
     .overloads = {lift<unit_end<CalendarUnit::kMonth>>()}},
    {.name = "endofweek",
     .category = "datetime",
     .summary = "The end of the week that holds a time.",
     .params = {{{"time", "A datetime."},
                 {"[offset]", "How many weeks later, or earlier when negative."}}},
     .returns = "A datetime, 100 ns before the next week. Weeks begin on Sunday.",
     .examples = {{{"print endofweek(datetime(2024-02-29 13:14:15.765))",
                    "2024-03-02T23:59:59.9999999Z"}}},
     .overloads = {lift<unit_end<CalendarUnit::kWeek>>()}},
    {.name = "endofyear",
     .category = "datetime",
     .summary = "The end of the year that holds a time.",
     .params = {{{"time", "A datetime."},
                 {"[offset]", "How many years later, or earlier when negative."}}},
     .returns = "A datetime, 100 ns before the next year.",
     .examples = {{{"print endofyear(datetime(2024-02-29 13:14:15.765))",
                    "2024-12-31T23:59:59.9999999Z"}}},
     .overloads = {lift<unit_end<CalendarUnit::kYear>>()}},
    {.name = "getmonth",
     .category = "datetime",
     .summary = "The month, 1 to 12.",
     .params = {{{"time", "A datetime."}}},
     .returns = "A long.",
     .examples = {{{"print getmonth(datetime(2024-02-29 13:14:15.765))", "2"}}},
     .overloads = {lift<month_number>()}},
    {.name = "getyear",
     .category = "datetime",
     .summary = "The year.",
     .params = {{{"time", "A datetime."}}},
     .returns = "A long.",
     .examples = {{{"print getyear(datetime(2024-02-29 13:14:15.765))", "2024"}}},
     .overloads = {lift<year_number>()}},
    {.name = "hourofday",
     .category = "datetime",
     .summary = "The hour, 0 to 23.",
     .params = {{{"time", "A datetime."}}},
     .returns = "A long.",
     .examples = {{{"print hourofday(datetime(2024-02-29 13:14:15.765))", "13"}}},
     .overloads = {lift<hour_number>()}},
    {.name = "monthofyear",
     .category = "datetime",
     .summary = "The month, 1 to 12.",
     .params = {{{"time", "A datetime."}}},
     .returns = "A long.",
     .examples = {{{"print monthofyear(datetime(2024-02-29 13:14:15.765))", "2"}}},
     .overloads = {lift<month_number>()}},
    {.name = "now",
     .category = "datetime",
     .summary = "The time of the query, one instant for all of it.",
     .params = {{{"[offset]", "A timespan to add."}}},
     .returns = "A datetime.",
     .examples = {{{"print now(-1h) == ago(1h)", "true"}}},
     .overloads = {lift<now_plain>(), lift<now_offset>()},
     .flags = FunctionFlags::kContext},
    {.name = "startofday",
     .category = "datetime",
     .summary = "The first instant of the day that holds a time.",
     .params = {{{"time", "A datetime."},
                 {"[offset]", "How many days later, or earlier when negative."}}},
     .returns = "A datetime.",
     .examples = {{{"print startofday(datetime(2024-02-29 13:14:15.765))",
                    "2024-02-29T00:00:00Z"}}},
     .overloads = {lift<unit_start<CalendarUnit::kDay>>()}},
    {.name = "startofhour",
     .category = "datetime",
     .summary = "The first instant of the hour that holds a time.",
     .params = {{{"time", "A datetime."},
                 {"[offset]", "How many hours later, or earlier when negative."}}},
     .returns = "A datetime.",
     .examples = {{{"print startofhour(datetime(2024-02-29 13:14:15.765))",
                    "2024-02-29T13:00:00Z"}}},
     .overloads = {lift<unit_start<CalendarUnit::kHour>>()}},
    {.name = "startofmonth",
     .category = "datetime",
     .summary = "The first instant of the month that holds a time.",
     .params = {{{"time", "A datetime."},
                 {"[offset]", "How many months later, or earlier when negative."}}},
     .returns = "A datetime.",
     .examples = {{{"print startofmonth(datetime(2024-02-29 13:14:15.765))",
                    "2024-02-01T00:00:00Z"}}},
     .overloads = {lift<unit_start<CalendarUnit::kMonth>>()}},
    {.name = "startofweek",
     .category = "datetime",
     .summary = "The first instant of the week that holds a time.",
     .params = {{{"time", "A datetime."},
                 {"[offset]", "How many weeks later, or earlier when negative."}}},
     .returns = "A datetime. Weeks begin on Sunday.",
     .examples = {{{"print startofweek(datetime(2024-02-29 13:14:15.765))",
                    "2024-02-25T00:00:00Z"}}},
     .overloads = {lift<unit_start<CalendarUnit::kWeek>>()}},
    {.name = "startofyear",
     .category = "datetime",
     .summary = "The first instant of the year that holds a time.",
     .params = {{{"time", "A datetime."},
                 {"[offset]", "How many years later, or earlier when negative."}}},
     .returns = "A datetime.",
     .examples = {{{"print startofyear(datetime(2024-02-29 13:14:15.765))",
                    "2024-01-01T00:00:00Z"}}},
     .overloads = {lift<unit_start<CalendarUnit::kYear>>()}},
    {.name = "week_of_year",
     .aliases = {"weekofyear"},
     .category = "datetime",
     .summary = "The number of the week by ISO 8601, 1 to 53.",
     .params = {{{"time", "A datetime."}}},
     .returns = "A long; weeks begin on Monday, and the first one holds the year's first Thursday.",
     .examples = {{{"print week_of_year(datetime(2021-01-03))", "53"}}},
     .overloads = {lift<week_number>()}},
}};

}  // namespace

std::span<const ScalarFunction> datetime_functions() {
  return kDatetimeFunctions;
}

}  // namespace evq

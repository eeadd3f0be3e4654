// The functions of instants: the clock, calendar parts, starts and ends of units, differences;
// datetime_make.cpp has those that make instants and spans of numbers.
// Everything is UTC; weeks begin on Sunday, except those of week_of_year(), which are ISO 8601's.

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "apl/functions/datetime_parts.h"
#include "apl/functions/lift.h"
#include "apl/functions/registry.h"
#include "apl/functions/time_runs.h"
#include "store/base/ascii.h"
#include "store/base/checked_math.h"
#include "store/base/number.h"
#include "store/base/time.h"
#include "store/base/time_scan.h"

namespace evq {
namespace {

Datetime now_plain(const EvalContext& context) {
  return {context.now_ns};
}
MaybeTime now_offset(const EvalContext& context, Timespan offset) {
  return time_of(checked_add(context.now_ns, offset.ns));
}
MaybeTime ago(const EvalContext& context, Timespan span) {
  return time_of(checked_subtract(context.now_ns, span.ns));
}

constexpr Overload datetime_diff_overload() {
  Overload overload = lift<datetime_diff>();
  overload.kernel = datetime_diff_rows;
  return overload;
}

constexpr Overload datetime_part_overload() {
  Overload overload = lift<datetime_part>();
  overload.kernel = datetime_part_rows;
  return overload;
}

// ---- parts

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
  const double steps = (value - origin) / size;
  return std::isinf(steps) ? value : std::floor(steps) * size + origin;
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
                   lift<bin_at_span>()},
     .result_name = ResultName::kArgument},
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
     .check = check_date_part},
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
     .check = check_date_part},
    {.name = "datetime_part",
     .aliases = {"datepart"},
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
     .overloads = {datetime_part_overload()},
     .check = check_date_part},
    {.name = "dayofmonth",
     .category = "datetime",
     .summary = "The day of the month, 1 to 31.",
     .params = {{{"time", "A datetime."}}},
     .returns = "A long.",
     .examples = {{{"print dayofmonth(datetime(2024-02-29 13:14:15.765))", "29"}}},
     .overloads = {lift_by_unit<day_of_month, kDayNs>()}},
    {.name = "dayofweek",
     .category = "datetime",
     .summary = "The day of the week: 0 is Sunday, 6 Saturday.",
     .params = {{{"time", "A datetime."}}},
     .returns = "A long.",
     .examples = {{{"print dayofweek(datetime(2024-02-29 13:14:15.765))", "4"}}},
     .overloads = {lift_by_unit<day_of_week_number, kDayNs>()}},
    {.name = "dayofyear",
     .category = "datetime",
     .summary = "The day of the year, 1 to 366.",
     .params = {{{"time", "A datetime."}}},
     .returns = "A long.",
     .examples = {{{"print dayofyear(datetime(2024-02-29 13:14:15.765))", "60"}}},
     .overloads = {lift_by_unit<day_of_year_number, kDayNs>()}},
    {.name = "endofday",
     .category = "datetime",
     .summary = "The end of the day that holds a time.",
     .params = {{{"time", "A datetime."},
                 {"[offset]", "How many days later, or earlier when negative."}}},
     .returns = "A datetime, 100 ns before the next day.",
     .examples = {{{"print endofday(datetime(2024-02-29 13:14:15.765))",
                    "2024-02-29T23:59:59.9999999Z"}}},
     .overloads = {lift_by_unit<unit_end<CalendarUnit::kDay>, kDayNs>()},
     .result_name = ResultName::kArgument},
    {.name = "endofhour",
     .category = "datetime",
     .summary = "The end of the hour that holds a time.",
     .params = {{{"time", "A datetime."},
                 {"[offset]", "How many hours later, or earlier when negative."}}},
     .returns = "A datetime, 100 ns before the next hour.",
     .examples = {{{"print endofhour(datetime(2024-02-29 13:14:15.765))",
                    "2024-02-29T13:59:59.9999999Z"}}},
     .overloads = {lift_by_unit<unit_end<CalendarUnit::kHour>, kHourNs>()},
     .result_name = ResultName::kArgument},
    {.name = "endofmonth",
     .category = "datetime",
     .summary = "The end of the month that holds a time.",
     .params = {{{"time", "A datetime."},
                 {"[offset]", "How many months later, or earlier when negative."}}},
     .returns = "A datetime, 100 ns before the next month.",
     .examples = {{{"print endofmonth(datetime(2024-02-29 13:14:15.765))",
                    "2024-02-29T23:59:59.9999999Z"}}},
     .overloads = {lift_by_unit<unit_end<CalendarUnit::kMonth>, kDayNs>()},
     .result_name = ResultName::kArgument},
    {.name = "endofweek",
     .category = "datetime",
     .summary = "The end of the week that holds a time.",
     .params = {{{"time", "A datetime."},
                 {"[offset]", "How many weeks later, or earlier when negative."}}},
     .returns = "A datetime, 100 ns before the next week. Weeks begin on Sunday.",
     .examples = {{{"print endofweek(datetime(2024-02-29 13:14:15.765))",
                    "2024-03-02T23:59:59.9999999Z"}}},
     .overloads = {lift_by_unit<unit_end<CalendarUnit::kWeek>, kDayNs>()},
     .result_name = ResultName::kArgument},
    {.name = "endofyear",
     .category = "datetime",
     .summary = "The end of the year that holds a time.",
     .params = {{{"time", "A datetime."},
                 {"[offset]", "How many years later, or earlier when negative."}}},
     .returns = "A datetime, 100 ns before the next year.",
     .examples = {{{"print endofyear(datetime(2024-02-29 13:14:15.765))",
                    "2024-12-31T23:59:59.9999999Z"}}},
     .overloads = {lift_by_unit<unit_end<CalendarUnit::kYear>, kDayNs>()},
     .result_name = ResultName::kArgument},
    {.name = "getmonth",
     .category = "datetime",
     .summary = "The month, 1 to 12.",
     .params = {{{"time", "A datetime."}}},
     .returns = "A long.",
     .examples = {{{"print getmonth(datetime(2024-02-29 13:14:15.765))", "2"}}},
     .overloads = {lift_by_unit<month_number, kDayNs>()}},
    {.name = "getyear",
     .category = "datetime",
     .summary = "The year.",
     .params = {{{"time", "A datetime."}}},
     .returns = "A long.",
     .examples = {{{"print getyear(datetime(2024-02-29 13:14:15.765))", "2024"}}},
     .overloads = {lift_by_unit<year_number, kDayNs>()}},
    {.name = "hourofday",
     .category = "datetime",
     .summary = "The hour, 0 to 23.",
     .params = {{{"time", "A datetime."}}},
     .returns = "A long.",
     .examples = {{{"print hourofday(datetime(2024-02-29 13:14:15.765))", "13"}}},
     .overloads = {lift_by_unit<hour_number, kHourNs>()}},
    {.name = "monthofyear",
     .category = "datetime",
     .summary = "The month, 1 to 12.",
     .params = {{{"time", "A datetime."}}},
     .returns = "A long.",
     .examples = {{{"print monthofyear(datetime(2024-02-29 13:14:15.765))", "2"}}},
     .overloads = {lift_by_unit<month_number, kDayNs>()}},
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
     .overloads = {lift_by_unit<unit_start<CalendarUnit::kDay>, kDayNs>()},
     .result_name = ResultName::kArgument},
    {.name = "startofhour",
     .category = "datetime",
     .summary = "The first instant of the hour that holds a time.",
     .params = {{{"time", "A datetime."},
                 {"[offset]", "How many hours later, or earlier when negative."}}},
     .returns = "A datetime.",
     .examples = {{{"print startofhour(datetime(2024-02-29 13:14:15.765))",
                    "2024-02-29T13:00:00Z"}}},
     .overloads = {lift_by_unit<unit_start<CalendarUnit::kHour>, kHourNs>()},
     .result_name = ResultName::kArgument},
    {.name = "startofmonth",
     .category = "datetime",
     .summary = "The first instant of the month that holds a time.",
     .params = {{{"time", "A datetime."},
                 {"[offset]", "How many months later, or earlier when negative."}}},
     .returns = "A datetime.",
     .examples = {{{"print startofmonth(datetime(2024-02-29 13:14:15.765))",
                    "2024-02-01T00:00:00Z"}}},
     .overloads = {lift_by_unit<unit_start<CalendarUnit::kMonth>, kDayNs>()},
     .result_name = ResultName::kArgument},
    {.name = "startofweek",
     .category = "datetime",
     .summary = "The first instant of the week that holds a time.",
     .params = {{{"time", "A datetime."},
                 {"[offset]", "How many weeks later, or earlier when negative."}}},
     .returns = "A datetime. Weeks begin on Sunday.",
     .examples = {{{"print startofweek(datetime(2024-02-29 13:14:15.765))",
                    "2024-02-25T00:00:00Z"}}},
     .overloads = {lift_by_unit<unit_start<CalendarUnit::kWeek>, kDayNs>()},
     .result_name = ResultName::kArgument},
    {.name = "startofyear",
     .category = "datetime",
     .summary = "The first instant of the year that holds a time.",
     .params = {{{"time", "A datetime."},
                 {"[offset]", "How many years later, or earlier when negative."}}},
     .returns = "A datetime.",
     .examples = {{{"print startofyear(datetime(2024-02-29 13:14:15.765))",
                    "2024-01-01T00:00:00Z"}}},
     .overloads = {lift_by_unit<unit_start<CalendarUnit::kYear>, kDayNs>()},
     .result_name = ResultName::kArgument},
    {.name = "week_of_year",
     .aliases = {"weekofyear"},
     .category = "datetime",
     .summary = "The number of the week by ISO 8601, 1 to 53.",
     .params = {{{"time", "A datetime."}}},
     .returns = "A long; weeks begin on Monday, and the first one holds the year's first Thursday.",
     .examples = {{{"print week_of_year(datetime(2021-01-03))", "53"}}},
     .overloads = {lift_by_unit<week_number, kDayNs>()}},
}};

}  // namespace

std::span<const ScalarFunction> datetime_functions() {
  return kDatetimeFunctions;
}

}  // namespace evq

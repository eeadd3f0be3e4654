// Times and spans as text by a format, and times in zones of the tz database. A zone that the query
// names is read when a call is bound, those that rows name once for each call with many rows.

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "apl/functions/lift.h"
#include "apl/functions/registry.h"
#include "store/base/ascii.h"
#include "store/base/checked_math.h"
#include "store/base/time.h"
#include "store/base/time_scan.h"
#include "store/base/time_zone.h"

namespace evq {
namespace {

void append_padded(std::string* out, std::int64_t value, std::size_t width) {
  std::array<char, 20> digits;
  const char* end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  const auto size = static_cast<std::size_t>(end - digits.data());
  out->append(width > size ? width - size : 0, '0').append(digits.data(), size);
}

// The first `width` digits of a fraction; with `trimmed`, without zeros at the end.
void append_fraction(std::string* out, std::int64_t nanoseconds, std::size_t width, bool trimmed) {
  std::string digits;
  append_padded(&digits, nanoseconds, 9);
  digits.resize(std::min<std::size_t>(width, 9));
  while (trimmed && !digits.empty() && digits.back() == '0') {
    digits.pop_back();
  }
  if (digits.empty() && out->ends_with('.')) {
    out->pop_back();  // as .NET has it: no point without a fraction behind it
  }
  out->append(digits);
}

// Calls letter(c, count, out) for each run of one letter; false means that it is none of a format.
template <class Letter>
std::optional<std::string> format_runs(std::string_view format, const Letter& letter) {
  std::string out;
  while (!format.empty()) {
    const char c = format[0];
    const std::size_t count = std::min(format.find_first_not_of(c), format.size());
    if (!is_letter(c)) {
      out.append(count, c);
    } else if (!letter(c, count, &out)) {
      return std::nullopt;
    }
    format.remove_prefix(count);
  }
  return out;
}

constexpr std::size_t kShortNameLetters = 3;  // MMM and ddd; four of them ask for all

void append_name(std::string* out, std::string_view name, std::size_t count) {
  out->append(name.substr(0, count == kShortNameLetters ? kShortNameLetters : name.size()));
}

std::optional<std::string> format_datetime(Datetime time, std::string_view format) {
  const Civil civil = civil_from_ns(time.ns);
  return format_runs(format, [&](char c, std::size_t count, std::string* out) {
    const std::size_t width = std::min<std::size_t>(count, 2);
    switch (c) {
      case 'y':
        append_padded(out, count > 2 ? civil.year : civil.year % 100, count > 2 ? 4 : count);
        return true;
      case 'M':
        if (count >= kShortNameLetters) {
          append_name(out, month_name(civil.month), count);
        } else {
          append_padded(out, civil.month, width);
        }
        return true;
      case 'd':
        if (count >= kShortNameLetters) {
          append_name(out, weekday_name(day_of_week(time.ns)), count);
        } else {
          append_padded(out, civil.day, width);
        }
        return true;
      case 'H':
        append_padded(out, civil.hour, width);
        return true;
      case 'h':
        append_padded(out, (civil.hour + 11) % 12 + 1, width);
        return true;
      case 'm':
        append_padded(out, civil.minute, width);
        return true;
      case 's':
        append_padded(out, civil.second, width);
        return true;
      case 'f':
      case 'F':
        append_fraction(out, civil.nanosecond, count, c == 'F');
        return true;
      case 't':
        out->append(civil.hour < 12 ? "AM" : "PM");
        return true;
      case 'T':
      case 'Z':
        out->append(count, c);
        return true;
      default:
        return false;
    }
  });
}

// The unit of the finest letter in a format that is at least a second, and at most an hour; 0 for
// fractions.
std::int64_t finest_unit(std::string_view format) {
  if (format.find_first_of("fF") != std::string_view::npos) {
    return 0;
  }
  return format.find('s') != std::string_view::npos   ? kSecondNs
         : format.find('m') != std::string_view::npos ? kMinuteNs
                                                      : kHourNs;
}

// Sorted times come in runs that a format does not tell apart: a dictionary with an entry a run.
// Nothing when runs are short.
std::optional<Vector> format_runs_of_times(const Vector& times, std::string_view format) {
  constexpr std::size_t kRowsPerRunMin = 4;
  const std::int64_t unit = finest_unit(format);
  const std::size_t rows = times.size();
  if (unit == 0 || !times.is_flat() || times.may_have_nulls()) {
    return std::nullopt;
  }
  const auto* data = times.values().data<std::int64_t>();
  const std::shared_ptr<Code[]> codes = make_codes(rows);
  Code* to = codes.get();
  VectorBuilder entries(Type::kString);
  std::int64_t begin = 0;
  std::int64_t last = -1;  // of the run, empty at first
  for (std::size_t i = 0; i < rows; ++i) {
    if (data[i] < begin || data[i] > last) {
      const std::optional<std::int64_t> start = floor_to(data[i], unit);
      if (!start.has_value() || entries.size() >= rows / kRowsPerRunMin) {
        return std::nullopt;
      }
      begin = *start;
      last = checked_add(begin, unit - 1).value_or(std::numeric_limits<std::int64_t>::max());
      if (const std::optional<std::string> text = format_datetime({data[i]}, format)) {
        entries.append_text(*text);
      } else {
        entries.append_null();
      }
    }
    to[i] = static_cast<Code>(entries.size() - 1);
  }
  return Vector::dictionary(entries.finish().shared_values(), codes, rows);
}

Vector format_datetimes(const KernelCall& call) {
  const Vector& format = call.args[1];
  std::optional<Vector> made;
  if (format.is_constant() && !format.is_null(0)) {
    made = format_runs_of_times(call.args[0], format.at<std::string_view>(0));
  }
  return made.has_value() ? *std::move(made) : lifting::kernel<format_datetime>(call);
}

constexpr Overload format_datetime_overload() {
  Overload overload = lift<format_datetime>();
  overload.kernel = &format_datetimes;
  return overload;
}

std::optional<std::string> format_timespan(Timespan span, std::string_view format) {
  const std::uint64_t size =
      span.ns < 0 ? -static_cast<std::uint64_t>(span.ns) : static_cast<std::uint64_t>(span.ns);
  const auto part = [size](std::int64_t unit, std::uint64_t modulus) {
    return static_cast<std::int64_t>(size / static_cast<std::uint64_t>(unit) % modulus);
  };
  std::optional<std::string> text =
      format_runs(format, [&](char c, std::size_t count, std::string* out) {
        switch (c) {
          case 'd':
            append_padded(out, part(kDayNs, UINT64_MAX), count);
            return true;
          case 'h':
          case 'H':
            append_padded(out, part(kHourNs, 24), count);
            return true;
          case 'm':
            append_padded(out, part(kMinuteNs, 60), count);
            return true;
          case 's':
            append_padded(out, part(kSecondNs, 60), count);
            return true;
          case 'f':
          case 'F':
            append_fraction(out, part(1, kSecondNs), count, c == 'F');
            return true;
          default:
            return false;
        }
      });
  if (text.has_value() && span.ns < 0) {
    text->insert(0, "-");
  }
  return text;
}

// A format written out in the query is checked when the query is.
template <class Time, std::optional<std::string> (*kFormat)(Time, std::string_view)>
std::optional<BindFailure> check_format(const BindRequest& request) {
  const Value* format = request.arguments.size() < 2 ? nullptr : request.arguments[1].constant;
  if (format == nullptr || format->is_null() || format->type() != Type::kString ||
      kFormat(Time{0}, format->as_text()).has_value()) {
    return std::nullopt;
  }
  return BindFailure{1, "'" + std::string(format->as_text()) + "' holds letters that are no format",
                     "write 'yyyy-MM-dd HH:mm:ss.fff', or of a timespan 'd.hh:mm:ss'"};
}

// ---- zones

// Times of rows in the zone that all of them have, or each in the one that its row names. A name
// that is no zone gives null.
class ZoneShift final : public BoundFunction {
 public:
  ZoneShift(bool to_local, std::optional<TimeZone> constant)
      : to_local_(to_local), constant_(std::move(constant)) {}

  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                  std::size_t rows) const override {
    auto out = Values::make(Type::kDatetime, rows);
    Zones zones;
    for (std::size_t i = 0; i < rows; ++i) {
      std::optional<std::int64_t> shifted;
      if (!args[0].is_null(i) && !args[1].is_null(i)) {
        const std::optional<TimeZone>& zone =
            constant_.has_value() ? constant_ : zone_of(args[1].at<std::string_view>(i), &zones);
        const std::int64_t ns = args[0].at<std::int64_t>(i);
        if (zone.has_value()) {
          shifted = to_local_ ? zone->local_from_utc(ns) : zone->utc_from_local(ns);
        }
      }
      if (shifted.has_value()) {
        out->mutable_data<std::int64_t>()[i] = *shifted;
      } else {
        out->set_null(i);
      }
    }
    return Vector::flat(std::move(out));
  }

 private:
  using Zones = std::map<std::string, std::optional<TimeZone>, std::less<>>;  // by name

  static const std::optional<TimeZone>& zone_of(std::string_view name, Zones* zones) {
    auto known = zones->find(name);
    if (known == zones->end()) {
      Result<TimeZone> loaded = TimeZone::load(name);
      known = zones->emplace(name, std::nullopt).first;
      if (loaded.ok()) {
        known->second = std::move(loaded).value();
      }
    }
    return known->second;
  }

  bool to_local_;
  std::optional<TimeZone> constant_;  // when the name is a constant
};

template <bool kToLocal>
BindResult bind_zone_shift(const BindRequest& request) {
  if (!implicit_cast_cost(request.arguments[0].type, Type::kDatetime).has_value()) {
    return BindFailure{0, "this takes a datetime", "convert it first with todatetime()"};
  }
  if (!implicit_cast_cost(request.arguments[1].type, Type::kString).has_value()) {
    return BindFailure{1, "the time zone must be a text", "for example 'Europe/Berlin'"};
  }
  std::optional<TimeZone> constant;
  if (const Value* name = request.arguments[1].constant; name != nullptr && !name->is_null()) {
    Result<TimeZone> zone = TimeZone::load(name->to_text());
    if (!zone.ok()) {
      return BindFailure{1, zone.error().message, zone.error().hint};
    }
    constant = std::move(zone).value();
  }
  return BoundCall{Type::kDatetime,
                   {Type::kDatetime, Type::kString},
                   std::make_shared<ZoneShift>(kToLocal, std::move(constant))};
}

class ZoneNames final : public BoundFunction {
 public:
  explicit ZoneNames(Value names) : names_(std::move(names)) {}
  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> /*args*/,
                  std::size_t rows) const override {
    return Vector::constant(names_, rows);
  }

 private:
  Value names_;
};

BindResult bind_zone_names(const BindRequest& /*request*/) {
  Result<std::vector<std::string>> names = TimeZone::names();
  if (!names.ok()) {
    return BindFailure{-1, "this system has no tz database", "install its tzdata package"};
  }
  DynamicBuilder out;
  out.begin_array();
  for (const std::string& name : names.value()) {
    out.add_string(name);
  }
  out.end_array();
  return BoundCall{Type::kDynamic, {}, std::make_shared<ZoneNames>(Value::dynamic(out.take()))};
}

constexpr std::array<ScalarFunction, 5> kTimeFormatFunctions = {{
    {.name = "datetime_list_timezones",
     .category = "datetime",
     .summary = "The time zones that this system knows.",
     .returns = "An array of texts.",
     .examples = {{{"print set_has_element(datetime_list_timezones(), 'Europe/Berlin')", "true"}}},
     .bind = bind_zone_names,
     .arguments_min = 0,
     .arguments_max = 0},
    {.name = "datetime_local_to_utc",
     .category = "datetime",
     .summary = "The UTC time of what the clock of a zone shows.",
     .params = {{{"time", "A datetime that means local time."},
                 {"zone", "A name of the tz database."}}},
     .returns =
         "A datetime; of a local time that exists twice, the earlier instant. One that the clocks "
         "leave out is read by the clock after the change.",
     .examples = {{{"print datetime_local_to_utc(datetime(2024-01-01 12:00), 'Europe/Berlin')",
                    "2024-01-01T11:00:00Z"}}},
     .bind = bind_zone_shift<false>,
     .arguments_min = 2,
     .arguments_max = 2},
    {.name = "datetime_utc_to_local",
     .category = "datetime",
     .summary = "A time in UTC as the clock of a zone shows it.",
     .params = {{{"time", "A datetime in UTC."}, {"zone", "A name of the tz database."}}},
     .returns = "A datetime.",
     .examples = {{{"print datetime_utc_to_local(datetime(2024-07-01 12:00), 'Europe/Berlin')",
                    "2024-07-01T14:00:00Z"}}},
     .bind = bind_zone_shift<true>,
     .arguments_min = 2,
     .arguments_max = 2},
    {.name = "format_datetime",
     .category = "datetime",
     .summary = "A time as text by a format.",
     .params =
         {{{"time", "A datetime."},
           {"format",
            "Letters: y M d H h m s f (fraction) F (without trailing zeros) tt (AM, PM); twice for "
            "two digits, yyyy for the whole year, MMM MMMM ddd dddd for the names of months and "
            "days. "
            "Other signs stand for themselves."}}},
     .returns = "A string; null for an unknown letter.",
     .examples =
         {{{"print format_datetime(datetime(2024-05-01 13:04:05.678), 'yyyy-MM-dd HH:mm:ss.fff')",
            "2024-05-01 13:04:05.678"},
           {"print format_datetime(datetime(2024-05-01 13:04:05), 'd/M/yy h:mm tt')",
            "1/5/24 1:04 PM"}}},
     .overloads = {format_datetime_overload()},
     .check = check_format<Datetime, format_datetime>,
     .result_name = ResultName::kArgument},
    {.name = "format_timespan",
     .category = "datetime",
     .summary = "A span as text by a format.",
     .params = {{{"span", "A timespan."},
                 {"format",
                  "Letters: d h m s f (fraction) F (without trailing zeros), repeated for leading "
                  "zeros. Other signs stand for themselves."}}},
     .returns = "A string, with a minus when negative; null for an unknown letter.",
     .examples = {{{"print format_timespan(90m, 'hh:mm:ss')", "01:30:00"},
                   {"print format_timespan(1d + 90ms, 'd.hh:mm:ss.fff')", "1.00:00:00.090"}}},
     .overloads = {lift<format_timespan>()},
     .check = check_format<Timespan, format_timespan>,
     .result_name = ResultName::kArgument},
}};

}  // namespace

std::span<const ScalarFunction> time_format_functions() {
  return kTimeFormatFunctions;
}

}  // namespace evq

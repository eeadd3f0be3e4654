#include "apl/functions/datetime_parts.h"

#include <array>
#include <string>

#include "apl/functions/lift.h"
#include "apl/functions/time_runs.h"
#include "store/base/ascii.h"
#include "store/base/checked_math.h"
#include "store/base/number.h"
#include "store/base/time.h"

namespace evq {
namespace {

__extension__ using WideNs = __int128;

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

// How many whole units of the current period have passed.
template <std::int64_t kPeriodNs, std::int64_t kUnitNs>
std::int64_t units_passed(std::int64_t ns) {
  const std::int64_t rest = ns % kPeriodNs;
  return (rest < 0 ? rest + kPeriodNs : rest) / kUnitNs;
}

std::int64_t part_number(Part part, std::int64_t ns) {
  switch (part) {
    case Part::kYear:
      return civil_from_ns(ns).year;
    case Part::kQuarter:
      return (civil_from_ns(ns).month - 1) / 3 + 1;
    case Part::kMonth:
      return civil_from_ns(ns).month;
    case Part::kWeek:
      return iso_week(ns).week;
    case Part::kDay:
      return civil_from_ns(ns).day;
    case Part::kDayOfYear:
      return day_of_year(ns);
    case Part::kHour:
      return units_passed<kDayNs, kHourNs>(ns);
    case Part::kMinute:
      return units_passed<kHourNs, kMinuteNs>(ns);
    case Part::kSecond:
      return units_passed<kMinuteNs, kSecondNs>(ns);
    case Part::kMillisecond:
      return units_passed<kSecondNs, kMillisecondNs>(ns);
    case Part::kMicrosecond:
      return units_passed<kSecondNs, kMicrosecondNs>(ns);
    case Part::kNanosecond:
      return units_passed<kSecondNs, 1>(ns);
  }
  return 0;
}

// A length of which all instants have the same part and the same number of units before them.
std::int64_t unit_of_part_ns(Part part) {
  const std::int64_t width = part_ns(part);
  return width == 0 || width > kDayNs ? kDayNs : width;
}

// The part that a call names for all rows.
std::optional<Part> part_of_call(const KernelCall& call) {
  const Vector& name = call.args[0];
  return call.rows > 0 && name.is_constant() && !name.is_null(0)
             ? part_from_name(name.at<std::string_view>(0))
             : std::nullopt;
}

Vector part_of_each(const KernelCall& call) {
  const std::optional<Part> part = part_of_call(call);
  if (!part.has_value()) {
    return lifting::kernel<datetime_part>(call);
  }
  const lifting::Reader<Datetime> times(call.args[1]);
  lifting::Writer<std::int64_t> out(call.rows, call.args);
  for (std::size_t row = 0; row < call.rows; ++row) {
    if (times.missing(row)) {
      out.put_null(row);
    } else {
      out.put(row, part_number(*part, times.get(row).ns));
    }
  }
  return out.finish();
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

// Units of a fixed length between times and one time: without nulls nor overflow, for none is a
// nanosecond long.
template <std::int64_t kWidth>
Vector units_to(const Vector& a, const Vector& b, std::size_t rows) {
  const Vector& times = a.is_flat() ? a : b;
  const std::int64_t fixed = units_before<kWidth>((a.is_flat() ? b : a).at<std::int64_t>(0));
  const std::int64_t sign = a.is_flat() ? 1 : -1;
  auto values = Values::make(Type::kLong, rows);
  auto* to = values->mutable_data<std::int64_t>();
  const auto* from = times.values().data<std::int64_t>();
  for (std::size_t row = 0; row < rows; ++row) {
    to[row] = (units_before<kWidth>(from[row]) - fixed) * sign;
  }
  return Vector::flat(std::move(values));
}

std::optional<Vector> fixed_units_between(Part part, const KernelCall& call) {
  const Vector& a = call.args[1];
  const Vector& b = call.args[2];
  const bool one_fixed = (a.is_flat() && b.is_constant()) || (a.is_constant() && b.is_flat());
  if (!one_fixed || a.may_have_nulls() || b.may_have_nulls()) {
    return std::nullopt;
  }
  switch (part) {
    case Part::kHour:
      return units_to<kHourNs>(a, b, call.rows);
    case Part::kMinute:
      return units_to<kMinuteNs>(a, b, call.rows);
    case Part::kSecond:
      return units_to<kSecondNs>(a, b, call.rows);
    case Part::kMillisecond:
      return units_to<kMillisecondNs>(a, b, call.rows);
    case Part::kMicrosecond:
      return units_to<kMicrosecondNs>(a, b, call.rows);
    case Part::kYear:
    case Part::kQuarter:
    case Part::kMonth:
    case Part::kWeek:
    case Part::kDay:
    case Part::kDayOfYear:
    case Part::kNanosecond:
      return std::nullopt;
  }
  return std::nullopt;
}

// Reads the name of the part once where it is the same in all rows.
Vector difference_of_each(const KernelCall& call) {
  const std::optional<Part> part = part_of_call(call);
  if (!part.has_value()) {
    return lifting::kernel<datetime_diff>(call);
  }
  if (std::optional<Vector> all = fixed_units_between(*part, call)) {
    return *std::move(all);
  }
  const lifting::Reader<Datetime> a(call.args[1]);
  const lifting::Reader<Datetime> b(call.args[2]);
  lifting::Writer<MaybeLong> out(call.rows, call.args);
  for (std::size_t row = 0; row < call.rows; ++row) {
    if (a.missing(row) || b.missing(row)) {
      out.put_null(row);
    } else {
      out.put(row, units_between(*part, a.get(row), b.get(row)));
    }
  }
  return out.finish();
}

}  // namespace

std::optional<BindFailure> check_date_part(const BindRequest& request) {
  const Value* part = request.arguments.empty() ? nullptr : request.arguments[0].constant;
  if (part == nullptr || part->is_null() || part->type() != Type::kString ||
      part_from_name(part->as_text()).has_value()) {
    return std::nullopt;
  }
  const std::string_view text = part->as_text();
  if (text.ends_with('s') && part_from_name(text.substr(0, text.size() - 1)).has_value()) {
    return BindFailure{0, "there is no date part '" + std::string(text) + "'",
                       "did you mean '" + std::string(text.substr(0, text.size() - 1)) + "'?"};
  }
  return BindFailure{0, "there is no date part '" + std::string(text) + "'",
                     "parts are year, quarter, month, week, week_of_year, day, dayofyear, hour, "
                     "minute, second, millisecond, microsecond and nanosecond"};
}

MaybeLong datetime_part(std::string_view name, Datetime time) {
  const std::optional<Part> part = part_from_name(name);
  return part.has_value() ? MaybeLong(part_number(*part, time.ns)) : std::nullopt;
}

Vector datetime_part_rows(const KernelCall& call) {
  const std::optional<Part> part = part_of_call(call);
  return part.has_value() ? call_by_unit(call, 1, unit_of_part_ns(*part), part_of_each)
                          : part_of_each(call);
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
  // The span may be longer than any timespan and yet lead from one time to another.
  const WideNs sum = WideNs{amount} * width + time.ns;
  const auto ns = static_cast<std::int64_t>(sum);
  return ns == sum ? MaybeTime(Datetime{ns}) : std::nullopt;
}

MaybeLong datetime_diff(std::string_view name, Datetime a, Datetime b) {
  const std::optional<Part> part = part_from_name(name);
  return part.has_value() ? units_between(*part, a, b) : std::nullopt;
}

Vector datetime_diff_rows(const KernelCall& call) {
  const std::optional<Part> part = part_of_call(call);
  if (!part.has_value()) {
    return difference_of_each(call);
  }
  const std::size_t time = call.args[1].is_constant() ? 2 : 1;
  return call_by_unit(call, time, unit_of_part_ns(*part), difference_of_each);
}

}  // namespace evq

#include "store/base/timespan.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "store/base/checked_math.h"
#include "store/base/limits.h"
#include "store/base/number.h"
#include "store/base/time.h"
#include "store/base/time_scan.h"

namespace evq {

namespace {

struct Unit {
  std::string_view name;
  std::int64_t ns;
};

constexpr std::array<Unit, 8> kGoUnits = {{{"ns", 1},
                                           {"us", kMicrosecondNs},
                                           {"\u00b5s", kMicrosecondNs},
                                           {"\u03bcs", kMicrosecondNs},
                                           {"ms", kMillisecondNs},
                                           {"s", kSecondNs},
                                           {"m", kMinuteNs},
                                           {"h", kHourNs}}};

constexpr std::array<Unit, 9> kCombinedUnits = {{{"ns", 1},
                                                 {"us", kMicrosecondNs},
                                                 {"\u00b5s", kMicrosecondNs},
                                                 {"ms", kMillisecondNs},
                                                 {"s", kSecondNs},
                                                 {"m", kMinuteNs},
                                                 {"h", kHourNs},
                                                 {"d", kDayNs},
                                                 {"w", kWeekNs}}};

constexpr std::array<Unit, 36> kAplUnits = {{{"w", kWeekNs},
                                             {"week", kWeekNs},
                                             {"weeks", kWeekNs},
                                             {"d", kDayNs},
                                             {"day", kDayNs},
                                             {"days", kDayNs},
                                             {"h", kHourNs},
                                             {"hr", kHourNs},
                                             {"hrs", kHourNs},
                                             {"hour", kHourNs},
                                             {"hours", kHourNs},
                                             {"m", kMinuteNs},
                                             {"min", kMinuteNs},
                                             {"minute", kMinuteNs},
                                             {"minutes", kMinuteNs},
                                             {"s", kSecondNs},
                                             {"sec", kSecondNs},
                                             {"second", kSecondNs},
                                             {"seconds", kSecondNs},
                                             {"ms", kMillisecondNs},
                                             {"milli", kMillisecondNs},
                                             {"millis", kMillisecondNs},
                                             {"millisecond", kMillisecondNs},
                                             {"milliseconds", kMillisecondNs},
                                             {"us", kMicrosecondNs},
                                             {"micro", kMicrosecondNs},
                                             {"micros", kMicrosecondNs},
                                             {"microsecond", kMicrosecondNs},
                                             {"microseconds", kMicrosecondNs},
                                             {"ns", 1},
                                             {"nano", 1},
                                             {"nanos", 1},
                                             {"nanosecond", 1},
                                             {"nanoseconds", 1},
                                             {"tick", kTickNs},
                                             {"ticks", kTickNs}}};

template <std::size_t kCount>
std::int64_t find_unit(const std::array<Unit, kCount>& units, std::string_view name) {
  for (const Unit& unit : units) {
    if (unit.name == name) {
      return unit.ns;
    }
  }
  return 0;
}

std::int64_t go_unit_ns(std::string_view name) {
  return find_unit(kGoUnits, name);
}
std::int64_t combined_unit_ns(std::string_view name) {
  return find_unit(kCombinedUnits, name);
}

// floor(0.d1d2d3… × unit), exactly: from the last digit to the first, each step adds a whole number
// and divides by ten, and a floor inside a floor changes nothing.
std::int64_t fraction_of(std::string_view digits, std::int64_t unit) {
  std::int64_t value = 0;
  for (std::size_t i = digits.size(); i > 0; --i) {
    value = (value + (digits[i - 1] - '0') * unit) / 10;
  }
  return value;
}

// One "12.5h" at the front of the text, as a negative number so that the lowest span fits.
std::optional<std::int64_t> take_quantity(std::string_view& text,
                                          std::int64_t (*unit_ns)(std::string_view)) {
  constexpr std::string_view kDigits = "0123456789";
  const std::size_t whole_end = std::min(text.find_first_not_of(kDigits), text.size());
  const std::string_view whole = text.substr(0, whole_end);
  text.remove_prefix(whole_end);
  std::string_view fraction;
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    const std::size_t end = std::min(text.find_first_not_of(kDigits), text.size());
    fraction = text.substr(0, end);
    text.remove_prefix(end);
  }
  if (whole.empty() && fraction.empty()) {
    return std::nullopt;
  }
  const std::size_t unit_end = std::min(text.find_first_of("0123456789.+-"), text.size());
  const std::int64_t unit = unit_ns(text.substr(0, unit_end));
  text.remove_prefix(unit_end);
  if (unit == 0) {
    return std::nullopt;
  }
  std::int64_t total = 0;
  for (const char digit : whole) {
    const auto shifted = checked_multiply(total, 10);
    const auto next = shifted ? checked_subtract(*shifted, digit - '0') : std::nullopt;
    if (!next) {
      return std::nullopt;
    }
    total = *next;
  }
  const auto scaled = checked_multiply(total, unit);
  return scaled ? checked_subtract(*scaled, fraction_of(fraction, unit)) : std::nullopt;
}

std::optional<std::int64_t> with_sign(std::int64_t negated, bool negative) {
  return negative ? std::optional(negated) : checked_subtract(0, negated);
}

// A sign and then one quantity, or many.
std::optional<std::int64_t> parse_quantities(std::string_view text,
                                             std::int64_t (*unit_ns)(std::string_view), bool many) {
  if (text.size() > kTimeTextBytesMax) {
    return std::nullopt;
  }
  const bool negative = !text.empty() && text[0] == '-';
  if (negative || (!text.empty() && text[0] == '+')) {
    text.remove_prefix(1);
  }
  if (text.empty()) {
    return std::nullopt;
  }
  std::int64_t total = 0;
  do {
    const auto quantity = take_quantity(text, unit_ns);
    const auto sum = quantity ? checked_add(total, *quantity) : std::nullopt;
    if (!sum) {
      return std::nullopt;
    }
    total = *sum;
  } while (many && !text.empty());
  return text.empty() ? with_sign(total, negative) : std::nullopt;
}

// value / unit with a fraction without trailing zeros, then the unit's name.
void append_scaled(std::string& out, std::uint64_t value, std::uint64_t unit,
                   std::string_view name) {
  append_uint(out, value / unit);
  std::uint64_t rest = value % unit;
  if (rest != 0) {
    out.push_back('.');
    while (rest != 0) {
      unit /= 10;
      out.push_back(static_cast<char>('0' + rest / unit));
      rest %= unit;
    }
  }
  out.append(name);
}

std::uint64_t magnitude_of(std::int64_t ns) {
  return ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
}

}  // namespace

void append_duration(std::string& out, std::int64_t ns) {
  constexpr auto kSecond = static_cast<std::uint64_t>(kSecondNs);
  if (ns == 0) {
    out.append("0s");
    return;
  }
  if (ns < 0) {
    out.push_back('-');
  }
  const std::uint64_t magnitude = magnitude_of(ns);
  if (magnitude < 1000) {
    append_scaled(out, magnitude, 1, "ns");
  } else if (magnitude < 1000000) {
    append_scaled(out, magnitude, 1000, "\u00b5s");
  } else if (magnitude < kSecond) {
    append_scaled(out, magnitude, 1000000, "ms");
  } else {
    const std::uint64_t minutes = magnitude / (60 * kSecond);
    if (minutes >= 60) {
      append_uint(out, minutes / 60);
      out.push_back('h');
    }
    if (minutes > 0) {
      append_uint(out, minutes % 60);
      out.push_back('m');
    }
    append_scaled(out, magnitude % (60 * kSecond), kSecond, "s");
  }
}

std::string duration_text(std::int64_t ns) {
  std::string out;
  append_duration(out, ns);
  return out;
}

std::optional<std::int64_t> parse_go_duration(std::string_view text) {
  if (text == "0" || text == "+0" || text == "-0") {
    return 0;
  }
  return parse_quantities(text, go_unit_ns, true);
}

std::int64_t timespan_unit_ns(std::string_view unit) {
  return find_unit(kAplUnits, unit);
}

std::optional<std::int64_t> parse_timespan_literal(std::string_view text) {
  return parse_quantities(text, timespan_unit_ns, false);
}

std::optional<std::int64_t> parse_combined_span(std::string_view text) {
  return parse_quantities(text, combined_unit_ns, true);
}

std::optional<std::int64_t> parse_kusto_timespan(std::string_view text) {
  TimeScanner scanner(text);
  const bool negative = scanner.take('-');
  const std::size_t digits = scanner.digit_count();
  // 106,751 days are the range's end.
  auto first = scanner.take_number(1, 6);
  if (!first || digits > 6) {
    return std::nullopt;
  }
  std::int64_t days = 0;
  int hours = 0;
  if (scanner.peek() == ':') {
    hours = *first;
  } else {
    days = *first;
    if (scanner.at_end()) {
      const auto span = checked_multiply(-days, kDayNs);
      return span ? with_sign(*span, negative) : std::nullopt;
    }
    const auto hour = scanner.take('.') ? scanner.take_number(1, 2) : std::nullopt;
    if (!hour) {
      return std::nullopt;
    }
    hours = *hour;
  }
  const auto minutes = scanner.take(':') ? scanner.take_number(1, 2) : std::nullopt;
  std::optional<int> seconds = 0;
  std::optional<int> fraction = 0;
  if (minutes && scanner.take(':')) {
    seconds = scanner.take_number(1, 2);
    if (scanner.take('.')) {
      fraction = scanner.take_fraction();
    }
  }
  if (!minutes || !seconds || !fraction || !scanner.at_end() || hours > 23 || *minutes > 59 ||
      *seconds > 59) {
    return std::nullopt;
  }
  const std::int64_t rest =
      ((static_cast<std::int64_t>(hours) * 60 + *minutes) * 60 + *seconds) * kSecondNs + *fraction;
  const auto whole = checked_multiply(-days, kDayNs);
  const auto total = whole ? checked_subtract(*whole, rest) : std::nullopt;
  return total ? with_sign(*total, negative) : std::nullopt;
}

std::optional<std::int64_t> parse_timespan(std::string_view text) {
  if (const auto duration = parse_go_duration(text)) {
    return duration;
  }
  if (const auto literal = parse_timespan_literal(text)) {
    return literal;
  }
  if (const auto combined = parse_combined_span(text)) {
    return combined;
  }
  return text.find(':') != std::string_view::npos ? parse_kusto_timespan(text) : std::nullopt;
}

}  // namespace evq

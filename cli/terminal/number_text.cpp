#include "cli/terminal/number_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "store/base/told_number.h"

namespace evq {

namespace {

// At most three significant digits, without zeros at the end.
std::string short_decimal(double value) {
  const double magnitude = std::abs(value);
  const int decimals = magnitude >= 100 ? 0 : magnitude >= 10 ? 1 : magnitude >= 1 ? 2 : 3;
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') {
      text.pop_back();
    }
  }
  return text == "-0" ? "0" : text;
}

constexpr std::array<std::string_view, 7> kPrefixes = {"", "k", "M", "G", "T", "P", "E"};

struct Scaled {
  double value;
  std::size_t prefix;
};

// A value that would round up to 1000 takes the next prefix.
Scaled scale(double value) {
  std::size_t prefix = 0;
  while (std::abs(value) >= 999.5 && prefix + 1 < kPrefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  return {value, prefix};
}

}  // namespace

std::string quantity_text(double value) {
  if (!std::isfinite(value)) {
    return std::isnan(value) ? "-" : value > 0 ? "inf" : "-inf";
  }
  const double magnitude = std::abs(value);
  if (magnitude >= 1e21 || (magnitude < 0.001 && magnitude > 0)) {
    return fmt::format("{:.3g}", value);
  }
  const Scaled scaled = scale(value);
  return short_decimal(scaled.value).append(kPrefixes[scaled.prefix]);
}

std::string tick_text(double value, double magnitude, double step) {
  if (!(magnitude < 1e21) || !(step >= 1e-6)) {
    return quantity_text(value);
  }
  const Scaled top = scale(magnitude);
  const auto decimals_of = [&](double unit) {
    const double digits = std::ceil(-std::log10(step / unit) - 1e-9);
    return static_cast<int>(std::clamp(digits, 0.0, 9.0));
  };
  double unit = std::pow(1000, static_cast<double>(top.prefix));
  std::string_view prefix = kPrefixes[top.prefix];
  // Steps that are tiny beside the values read better in full: 1000.4, not 1.0004k.
  if (decimals_of(unit) > 2 && magnitude < 1e7) {
    unit = 1;
    prefix = "";
  }
  if (value == 0) {
    return "0";
  }
  return fmt::format("{:.{}f}{}", value / unit, decimals_of(unit), prefix);
}

std::string bytes_text(std::uint64_t bytes) {
  const Scaled scaled = scale(static_cast<double>(bytes));
  return fmt::format("{} {}B", short_decimal(scaled.value), kPrefixes[scaled.prefix]);
}

std::string counted_text(std::uint64_t count, std::string_view noun) {
  return grouped_text(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string elapsed_text(std::int64_t milliseconds) {
  milliseconds = std::max<std::int64_t>(milliseconds, 0);
  if (milliseconds < 1000) {
    return fmt::format("{} ms", milliseconds);
  }
  if (milliseconds < 60000) {
    return fmt::format("{:.1f} s", std::floor(static_cast<double>(milliseconds) / 100) / 10);
  }
  const std::int64_t seconds = milliseconds / 1000;
  if (seconds < 3600) {
    return fmt::format("{}:{:02}", seconds / 60, seconds % 60);
  }
  return fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

}  // namespace evq

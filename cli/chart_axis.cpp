#include "cli/chart_axis.h"

#include <algorithm>
#include <utility>

#include "store/base/checked_math.h"
#include "store/base/time.h"
#include "store/base/time_parse.h"

namespace evq {
namespace {

constexpr std::int64_t kBinsMax = 20'000;

std::string two(int number) {
  return (number < 10 ? "0" : "") + std::to_string(number);
}

// Steps between labels that people count time in; days from the last on.
constexpr std::int64_t kTimeSteps[] = {
    kSecondNs, 2 * kSecondNs, 5 * kSecondNs, 10 * kSecondNs, 15 * kSecondNs, 30 * kSecondNs,
    kMinuteNs, 2 * kMinuteNs, 5 * kMinuteNs, 10 * kMinuteNs, 15 * kMinuteNs, 30 * kMinuteNs,
    kHourNs,   2 * kHourNs,   3 * kHourNs,   6 * kHourNs,    12 * kHourNs,   kDayNs};

std::int64_t time_step(std::int64_t half_span, std::size_t count) {
  const std::int64_t rough = half_span / static_cast<std::int64_t>(count) * 2;
  for (const std::int64_t step : kTimeSteps) {
    if (step >= rough) {
      return step;
    }
  }
  return (rough + kDayNs - 1) / kDayNs * kDayNs;
}

}  // namespace

ChartAxis time_axis(std::int64_t low, std::int64_t high, std::size_t count,
                    const DisplayZone& zone) {
  // Far from the ends of all instants, so that what is widened is still one.
  constexpr std::int64_t kAxisEnd = std::int64_t{1} << 62U;
  low = std::clamp(low, -kAxisEnd, kAxisEnd);
  high = std::clamp(high, low, kAxisEnd);
  const std::int64_t step = time_step(high / 2 - low / 2, std::max<std::size_t>(count, 4));
  const std::int64_t local = zone.local_time(low);
  const std::int64_t first = low - ((local % step) + step) % step;
  std::vector<std::int64_t> instants = {first};
  while (instants.back() < high || instants.size() < 2) {
    instants.push_back(instants.back() + step);
  }
  TimeLabels times = time_labels(instants, zone);
  return {static_cast<double>(first), static_cast<double>(instants.back()), std::move(times.labels),
          std::move(times.groups)};
}

std::vector<std::int64_t> with_empty_bins(std::vector<std::int64_t> places,
                                          std::optional<std::int64_t> bin) {
  if (!bin.has_value() || *bin <= 0 || places.size() < 2) {
    return places;
  }
  const std::optional<std::int64_t> span = checked_subtract(places.back(), places.front());
  if (!span.has_value() || *span / *bin >= kBinsMax) {
    return places;
  }
  std::vector<std::int64_t> all;
  std::size_t next = 0;
  const std::int64_t bins = *span / *bin + (*span % *bin != 0 ? 1 : 0);  // before the last place
  for (std::int64_t i = 0; i < bins; ++i) {
    const std::int64_t at = places.front() + i * *bin;
    // A bin of a calendar month is not a multiple: rows keep their own places.
    for (; next < places.size() && places[next] < at; ++next) {
      all.push_back(places[next]);
    }
    all.push_back(at);
    next += next < places.size() && places[next] == at ? 1U : 0U;
  }
  all.insert(all.end(), places.begin() + static_cast<std::ptrdiff_t>(next), places.end());
  return all;
}

TimeLabels time_labels(const std::vector<std::int64_t>& instants, const DisplayZone& zone) {
  std::vector<Civil> times;
  times.reserve(instants.size());
  bool days_only = true;
  bool seconds = false;
  for (const std::int64_t instant : instants) {
    const Civil& time = times.emplace_back(civil_from_ns(zone.local_time(instant)));
    days_only = days_only && time.hour == 0 && time.minute == 0 && time.second == 0;
    seconds = seconds || time.second != 0;
  }
  const bool several_days = times.size() > 1 && (times.front().day != times.back().day ||
                                                 times.front().month != times.back().month ||
                                                 times.front().year != times.back().year);
  TimeLabels out;
  for (const Civil& time : times) {
    const std::string year = std::to_string(time.year);
    const std::string day = two(time.month) + "-" + two(time.day);
    if (days_only) {
      out.labels.push_back(day);
      out.groups.push_back(year);
    } else {
      out.labels.push_back(two(time.hour) + ":" + two(time.minute) +
                           (seconds && !several_days ? ":" + two(time.second) : ""));
      out.groups.push_back(std::string(year).append("-").append(day));
    }
  }
  return out;
}

std::string time_range(const TimeLabels& times, bool unicode) {
  if (times.labels.empty()) {
    return "";
  }
  const bool days = times.labels.front().find(':') == std::string::npos;
  const std::string between = days ? "-" : " ";
  const bool one_day = !days && times.groups.front() == times.groups.back();
  return times.groups.front() + between + times.labels.front() + (unicode ? " – " : " - ") +
         (one_day ? "" : times.groups.back() + between) + times.labels.back();
}

std::optional<std::int64_t> instant_of(DynamicView value) {
  if (value.tag() == DynamicTag::kDatetime) {
    return value.as_integer();
  }
  return value.is_string() ? parse_relative_time(std::string(value.as_string()), 0) : std::nullopt;
}

std::int64_t NamedPlaces::place_of(const std::string& name) {
  const auto [found, added] = places_.emplace(name, static_cast<std::int64_t>(names_.size()));
  if (added) {
    names_.push_back(name);
  }
  return found->second;
}

std::vector<std::string> NamedPlaces::labels(const std::vector<std::int64_t>& places) const {
  std::vector<std::string> labels;
  labels.reserve(places.size());
  for (const std::int64_t place : places) {
    labels.push_back(names_.empty() ? std::to_string(place)
                                    : names_[static_cast<std::size_t>(place)]);
  }
  return labels;
}

}  // namespace evq

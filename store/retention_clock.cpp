#include "store/retention_clock.h"

#include <string>
#include <string_view>

#include "store/base/checked_math.h"
#include "store/base/control.h"
#include "store/base/number.h"
#include "store/base/result.h"
#include "store/base/time.h"

namespace evq {

namespace {

// What the wall clock said when it was last taken for steady, in nanoseconds; and when a process
// that started found that to be too long ago.
constexpr std::string_view kSteadySetting = "clock.steady";
constexpr std::string_view kDoubtSetting = "clock.doubted";

// More than `age` before `now`; also when it cannot be told.
bool is_older(std::int64_t time, std::int64_t now, std::int64_t age) {
  const auto passed = checked_subtract(now, time);
  return !passed || *passed > age;
}

}  // namespace

std::optional<std::int64_t> RetentionClock::kept_time(std::string_view setting) {
  const Result<std::optional<std::string>> kept = definitions_.setting(setting);
  return kept.ok() && kept->has_value() ? parse_int(**kept) : std::nullopt;
}

void RetentionClock::keep_time(std::string_view setting, std::int64_t now) {
  static_cast<void>(definitions_.put_setting(setting, std::to_string(now)));
}

// A process that doubts the clock from its start may end before it believes it, as a command does.
// So it keeps since when there is a doubt, and a later one believes a clock that nobody has set
// right for as long as a process would have waited.
void RetentionClock::continue_from_earlier(std::int64_t now) {
  const auto steady = kept_time(kSteadySetting);
  if (!steady || !is_older(*steady, now, kClockGapNs)) {
    return;
  }
  const auto doubted = kept_time(kDoubtSetting);
  const bool of_this_gap = doubted && is_older(*steady, *doubted, kClockGapNs) && *doubted <= now;
  if (of_this_gap && is_older(*doubted, now, kClockDistrustNs)) {
    return;
  }
  watch_.continue_from(*steady);
  if (!of_this_gap) {
    keep_time(kDoubtSetting, now);
  }
}

// With what is known of the clock from before this process; and keeps that for the next one.
bool RetentionClock::believes_clock() {
  const std::int64_t now = wall_clock_now_ns();
  const MutexLock lock(mutex_);
  if (!noted_ns_) {
    continue_from_earlier(now);
  }
  if (!watch_.is_steady()) {
    noted_ns_ = noted_ns_.value_or(now);
    return false;
  }
  if (!noted_ns_ || now - *noted_ns_ >= kClockJumpNs || now < *noted_ns_) {
    keep_time(kSteadySetting, now);
    noted_ns_ = now;
  }
  return true;
}

std::optional<std::int64_t> RetentionClock::retained_from(const DatasetDefinition& definition) {
  const bool steady = watch_.is_steady();  // asked each time, so that a jump is seen
  if (!steady || !definition.use_retention || definition.retention_days <= 0 || !believes_clock()) {
    return std::nullopt;
  }
  const auto age = checked_multiply(definition.retention_days, kDayNs);
  return age ? checked_subtract(wall_clock_now_ns(), *age) : std::nullopt;
}

}  // namespace evq

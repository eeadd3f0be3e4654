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

// What the wall clock said when it was last taken for steady, in nanoseconds.
constexpr std::string_view kClockSetting = "clock.steady";

}  // namespace

// With what is known of the clock from before this process; and keeps that for the next one.
bool RetentionClock::believes_clock() {
  const std::int64_t now = wall_clock_now_ns();
  const MutexLock lock(mutex_);
  if (!noted_ns_) {
    const Result<std::optional<std::string>> kept = definitions_.setting(kClockSetting);
    const auto steady = kept.ok() && kept->has_value() ? parse_int(**kept) : std::nullopt;
    if (steady) {
      watch_.continue_from(*steady);
    }
  }
  if (!watch_.is_steady()) {
    noted_ns_ = noted_ns_.value_or(now);
    return false;
  }
  if (!noted_ns_ || now - *noted_ns_ >= kClockJumpNs || now < *noted_ns_) {
    static_cast<void>(definitions_.put_setting(kClockSetting, std::to_string(now)));
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

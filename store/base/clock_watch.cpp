#include "store/base/clock_watch.h"

#include <ctime>

#include "store/base/checked_math.h"
#include "store/base/control.h"
#include "store/base/time.h"

namespace evq {

namespace {

// Goes on while the machine sleeps, unlike the monotonic clock.
std::int64_t elapsed_now_ns() {
  timespec now{};
  static_cast<void>(::clock_gettime(CLOCK_BOOTTIME, &now));
  return std::int64_t{now.tv_sec} * kSecondNs + now.tv_nsec;
}

}  // namespace

ClockWatch::ClockWatch() : ClockWatch(wall_clock_now_ns(), elapsed_now_ns()) {}

ClockWatch::ClockWatch(std::int64_t wall_ns, std::int64_t elapsed_ns)
    : wall_ns_(wall_ns), elapsed_ns_(elapsed_ns) {}

void ClockWatch::continue_from(std::int64_t steady_ns) {
  continue_from(steady_ns, wall_clock_now_ns(), elapsed_now_ns());
}

void ClockWatch::continue_from(std::int64_t steady_ns, std::int64_t wall_ns,
                               std::int64_t elapsed_ns) {
  const auto gap = checked_subtract(wall_ns, steady_ns);
  if (!gap || *gap > kClockGapNs) {
    const MutexLock lock(mutex_);
    jumped_ns_ = elapsed_ns;
  }
}

bool ClockWatch::is_steady() {
  return is_steady(wall_clock_now_ns(), elapsed_now_ns());
}

bool ClockWatch::is_steady(std::int64_t wall_ns, std::int64_t elapsed_ns) {
  const MutexLock lock(mutex_);
  const auto expected = checked_add(wall_ns_, elapsed_ns - elapsed_ns_);
  const auto off = expected ? checked_subtract(wall_ns, *expected) : std::nullopt;
  if (!off || *off > kClockJumpNs || *off < -kClockJumpNs) {
    jumped_ns_ = elapsed_ns;
  }
  wall_ns_ = wall_ns;
  elapsed_ns_ = elapsed_ns;
  return !jumped_ns_ || elapsed_ns - *jumped_ns_ >= kClockDistrustNs;
}

}  // namespace evq

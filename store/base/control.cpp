#include "store/base/control.h"

#include <chrono>
#include <ctime>
#include <string>

#include <poll.h>

#include "store/base/checked_math.h"
#include "store/base/time.h"

namespace evq {

std::int64_t wall_clock_now_ns() {
  timespec now{};
  static_cast<void>(::clock_gettime(CLOCK_REALTIME, &now));  // fails for no clock that there is
  return wall_clock_ns(now.tv_sec, now.tv_nsec);
}

std::int64_t wall_clock_ns(std::int64_t seconds, std::int64_t nanoseconds) {
  if (seconds >= kWallClockLastS) {
    return kWallClockLastS * kSecondNs;
  }
  return seconds < -kWallClockLastS ? -kWallClockLastS * kSecondNs
                                    : seconds * kSecondNs + nanoseconds;
}

std::int64_t monotonic_now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void pause_ms(int milliseconds) {
  static_cast<void>(::poll(nullptr, 0, milliseconds));
}

QueryControl::QueryControl(std::int64_t timeout_ms) : timeout_ms_(timeout_ms) {
  restart();
}

void QueryControl::restart() {
  if (timeout_ms_ <= 0) {
    return;
  }
  const auto span = checked_multiply(timeout_ms_, kMillisecondNs);
  const auto deadline = span ? checked_add(monotonic_now_ns(), *span) : std::nullopt;
  // A time-out past the end of the clock is none.
  deadline_ns_ = deadline.value_or(0);
}

void QueryControl::shorten(std::int64_t timeout_ms) {
  QueryControl shorter(timeout_ms);
  if (shorter.deadline_ns_ != 0 && (deadline_ns_ == 0 || shorter.deadline_ns_ < deadline_ns_)) {
    timeout_ms_ = timeout_ms;
    deadline_ns_ = shorter.deadline_ns_;
  }
}

bool QueryControl::should_stop() const {
  return cancelled() || (deadline_ns_ != 0 && monotonic_now_ns() >= deadline_ns_);
}

Status QueryControl::check() const {
  if (!should_stop()) [[likely]] {
    return Status::success();
  }
  if (cancelled()) {
    return make_error(ErrorCode::kCancelled, "the query was cancelled");
  }
  const std::int64_t seconds = timeout_ms_ / 1000;
  const std::string limit = timeout_ms_ % 1000 == 0 ? std::to_string(seconds) + " s"
                                                    : std::to_string(timeout_ms_) + " ms";
  return make_error(ErrorCode::kTimeout, "the query took longer than its limit of " + limit,
                    "narrow the time range, filter earlier, or raise the time limit");
}

}  // namespace evq

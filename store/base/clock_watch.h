#pragma once
// ClockWatch: whether the wall clock may be trusted with what cannot be undone. Somebody who sets
// it forward by years must not thereby delete what a retention period of months protects, and
// neither must a machine that starts with a clock that is wrong. Any thread.

#include <cstdint>
#include <optional>

#include "store/base/mutex.h"

namespace evq {

// The wall clock has jumped when it is off the elapsed time by more, which no synchronisation does.
inline constexpr std::int64_t kClockJumpNs = std::int64_t{3600} * 1000000000;
// The clock is distrusted for this long after a jump, which is time to set it right.
inline constexpr std::int64_t kClockDistrustNs = 24 * kClockJumpNs;

// A longer gap since the last steady reading counts as a jump: few machines are off for longer.
inline constexpr std::int64_t kClockGapNs = 7 * kClockDistrustNs;

class ClockWatch {
 public:
  // Watches from now on.
  ClockWatch();
  ClockWatch(std::int64_t wall_ns, std::int64_t elapsed_ns);

  // False for kClockDistrustNs after the wall clock was seen to have jumped since the call before.
  bool is_steady();
  // Takes the readings of the wall clock and of a clock that never jumps from the caller.
  bool is_steady(std::int64_t wall_ns, std::int64_t elapsed_ns);
  // Goes on from an earlier process, which last took the wall clock for steady when it said
  // `steady_ns`. More than kClockGapNs since then counts as a jump now.
  void continue_from(std::int64_t steady_ns);
  void continue_from(std::int64_t steady_ns, std::int64_t wall_ns, std::int64_t elapsed_ns);

 private:
  Mutex mutex_;
  std::int64_t wall_ns_ EVQ_GUARDED_BY(mutex_);
  std::int64_t elapsed_ns_ EVQ_GUARDED_BY(mutex_);
  std::optional<std::int64_t> jumped_ns_ EVQ_GUARDED_BY(mutex_);  // on the clock of elapsed time
};

}  // namespace evq

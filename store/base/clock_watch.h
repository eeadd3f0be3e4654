#pragma once
// ClockWatch: whether the wall clock may be trusted with what cannot be undone. Somebody who sets
// it forward by years must not thereby delete what a retention period of months protects, and
// neither must a machine that starts with a clock that is wrong. Any thread.

#include <cstdint>
#include <optional>

#include "store/base/mutex.h"

namespace evq {

// A difference from the time that went by that no synchronisation makes.
inline constexpr std::int64_t kClockJumpNs = std::int64_t{3600} * 1000000000;
// How long it is distrusted afterwards: time to set it right.
inline constexpr std::int64_t kClockDistrustNs = 24 * kClockJumpNs;

// Longer than most machines are switched off; after more it is distrusted as well.
inline constexpr std::int64_t kClockGapNs = 7 * kClockDistrustNs;

class ClockWatch {
 public:
  // Watches from now on.
  ClockWatch();
  ClockWatch(std::int64_t wall_ns, std::int64_t elapsed_ns);

  // False for kClockDistrustNs after the wall clock was seen to have jumped since the call before.
  bool is_steady();
  // The same for given readings of the wall clock and of one that never jumps.
  bool is_steady(std::int64_t wall_ns, std::int64_t elapsed_ns);
  // What the wall clock said when an earlier process last took it for steady: when that is more
  // than kClockGapNs ago, it is as if it had jumped now.
  void continue_from(std::int64_t steady_ns);
  void continue_from(std::int64_t steady_ns, std::int64_t wall_ns, std::int64_t elapsed_ns);

 private:
  Mutex mutex_;
  std::int64_t wall_ns_ EVQ_GUARDED_BY(mutex_);
  std::int64_t elapsed_ns_ EVQ_GUARDED_BY(mutex_);
  std::optional<std::int64_t> jumped_ns_ EVQ_GUARDED_BY(mutex_);  // on the clock of elapsed time
};

}  // namespace evq

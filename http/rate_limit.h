#pragma once
// RateLimiter: how many requests a client has left in the minute that runs. Clients are told apart
// by a key, their token or their address. Minutes are the limiter's own, counted from its making on
// the monotonic clock, so that a jump of the wall clock gives nobody more or less. Any thread.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "store/base/mutex.h"

namespace evq {

struct RateState {
  bool allowed = true;
  std::uint64_t limit = 0;
  std::uint64_t remaining = 0;
  std::int64_t reset_s = 0;  // until the next minute has begun, at least 1
};

class RateLimiter {
 public:
  // `per_minute` 0: no limit, and nothing is counted.
  RateLimiter(std::uint64_t per_minute, std::int64_t now_ns)
      : per_minute_(per_minute), started_ns_(now_ns) {}

  bool enabled() const { return per_minute_ != 0; }
  // Counts one request of `key` at the monotonic `now_ns`, unless it is one too many.
  RateState take(std::string_view key, std::int64_t now_ns);

 private:
  const std::uint64_t per_minute_;
  const std::int64_t started_ns_;
  Mutex mutex_;
  std::int64_t minute_ EVQ_GUARDED_BY(mutex_) = 0;
  std::map<std::string, std::uint64_t, std::less<>> counts_ EVQ_GUARDED_BY(mutex_);
};

}  // namespace evq

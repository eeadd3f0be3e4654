#include "http/rate_limit.h"

#include <algorithm>

#include "http/limits.h"
#include "store/base/time.h"

namespace evq {
RateState RateLimiter::take(std::string_view key, std::int64_t now_ns) {
  const std::int64_t since = std::max<std::int64_t>(0, now_ns - started_ns_);
  RateState state;
  state.limit = per_minute_;
  state.reset_s = (kMinuteNs - since % kMinuteNs + kSecondNs - 1) / kSecondNs;
  const MutexLock lock(mutex_);
  if (since / kMinuteNs != minute_) {
    minute_ = since / kMinuteNs;
    counts_.clear();
  }
  auto count = counts_.find(key);
  if (count == counts_.end()) {
    // Whoever comes when the table is full shares one count with the others who do.
    const bool full = counts_.size() >= kHttpRateLimitedClientsMax;
    count = counts_.emplace(full ? std::string() : std::string(key), 0).first;
  }
  state.allowed = count->second < per_minute_;
  count->second += state.allowed ? 1U : 0U;
  state.remaining = per_minute_ - count->second;
  return state;
}

}  // namespace evq

#pragma once
// IdleWatch: tells when a server that answered queries has nothing to do, so that what it keeps for
// the next one, up to hundreds of megabytes of freed memory, is worth giving back. One thread at a
// time.

#include <cstdint>

#include "store/base/time.h"

namespace evq {

inline constexpr std::int64_t kIdleNs = 2 * kSecondNs;

class IdleWatch {
 public:
  // To be called now and then, with the requests that run and the queries that there were in all.
  // True once after the last of some queries.
  bool is_due(std::int64_t running, std::uint64_t queries, std::int64_t now_ns) {
    if (running > 0 || queries != queries_) {
      queries_ = queries;
      busy_ns_ = now_ns;
      return false;
    }
    if (queries == served_ || now_ns - busy_ns_ < kIdleNs) {
      return false;
    }
    served_ = queries;
    return true;
  }

 private:
  std::uint64_t queries_ = 0;
  std::uint64_t served_ = 0;  // queries_ when it was last due
  std::int64_t busy_ns_ = 0;
};

}  // namespace evq

#include "store/base/uncharged_bytes.h"

#include <algorithm>

#include "store/base/limits.h"
#include "store/base/thread_pool.h"

namespace evq {

std::size_t uncharged_bytes(std::size_t most, const MemoryBudget* budget) {
  constexpr std::size_t kProcessorsMin = 2;
  constexpr std::size_t kShareMin = 2 * kMebibyte;
  constexpr std::size_t kOfLimitMin = 8 * kMebibyte;  // what a small limit is for should fit
  static const std::size_t kProcessors = std::max(ThreadPool::processors(), kProcessorsMin);
  const std::size_t share = std::max(most * kProcessorsMin / kProcessors, kShareMin);
  const bool limited = budget != nullptr && budget->limit() != 0;
  return limited ? std::min(share, std::max(budget->limit() / 16, kOfLimitMin)) : share;
}

}  // namespace evq

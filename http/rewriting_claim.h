#pragma once
// The memory of bodies that are rewritten as events before they are stored. All of a server's share
// one budget, which is enough for one of the longest. One thread at a time; given back at the end.

#include <cstddef>

#include "store/base/limits.h"
#include "store/base/memory_budget.h"
#include "store/base/result.h"

namespace evq {

// Held for each byte of such a body (OTLP as JSON takes the most), and for all of them together.
inline constexpr std::size_t kRewritingShare = 8;
inline constexpr std::size_t kRewritingBytesMax = 12 * kHttpIngestBodyBytesMax;

class RewritingClaim {
 public:
  // `budget` has a limit.
  explicit RewritingClaim(MemoryBudget& budget)
      : bytes_max_(budget.limit()), lease_(&budget, "rewriting") {}

  // Before so many bytes of the body are kept. kTooLarge for what cannot fit ever, kUnavailable
  // while others hold too much.
  Status take_body(std::size_t bytes) { return take(bytes * kRewritingShare); }
  // For so many bytes of events: what the body says once may be in every one of them.
  Status take_events(std::size_t bytes) { return take(2 * bytes); }

 private:
  Status take(std::size_t bytes);

  const std::size_t bytes_max_;
  MemoryLease lease_;
};

}  // namespace evq

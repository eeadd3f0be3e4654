#pragma once
// The memory of bodies that are rewritten as events before they are stored. All of a server's share
// one budget, which is enough for one of the longest. Large bodies get theirs in the order in which
// they came, so that not all of them begin and none can end: each waits for what a body of its size
// takes, which is mostly enough. Of those that need still more, the one that came first waits until
// others are done, and the others give up.

#include <cstddef>
#include <list>

#include "http/limits.h"
#include "store/base/control.h"
#include "store/base/mutex.h"
#include "store/base/result.h"

namespace evq {

// Held for each byte of such a body (OTLP as JSON takes the most), and for all of them together.
inline constexpr std::size_t kRewritingShare = 8;
inline constexpr std::size_t kRewritingBytesMax = 12 * kHttpIngestBodyBytesMax;

// kUnavailable: others hold the memory.
Error too_little_left();

// Any thread.
class RewritingBudget {
 public:
  explicit RewritingBudget(std::size_t limit) : limit_(limit) {}
  std::size_t limit() const { return limit_; }
  // What all claims hold now.
  std::size_t held();

 private:
  friend class RewritingClaim;

  const std::size_t limit_;
  Mutex mutex_;
  CondVar given_back_;
  std::size_t held_ EVQ_GUARDED_BY(mutex_) = 0;
  bool short_ EVQ_GUARDED_BY(mutex_) = false;  // one that began waits for more
  // What each claim holds, in the order in which they came; 0: it has not begun.
  std::list<std::size_t> claims_ EVQ_GUARDED_BY(mutex_);
};

// One thread at a time. Given back at the end.
class RewritingClaim {
 public:
  // Comes after all that are there. Both must outlive it; `control`, which may be null, ends waits.
  explicit RewritingClaim(RewritingBudget& budget, const QueryControl* control = nullptr);
  ~RewritingClaim();
  RewritingClaim(const RewritingClaim&) = delete;
  RewritingClaim& operator=(const RewritingClaim&) = delete;

  // Takes what a body of so many bytes makes likely, without waiting: false while others hold too
  // much, or a large one that came before has not begun. To be asked for once it was false.
  bool begin(std::size_t body_bytes);
  // Before so many bytes of the body are kept. kTooLarge for what cannot fit ever, kUnavailable
  // while others hold too much.
  Status take_body(std::size_t bytes) { return take(bytes * kRewritingShare); }
  // For so many bytes of events: what the body says once may be in every one of them.
  Status take_events(std::size_t bytes) { return take(2 * bytes); }

 private:
  Status take(std::size_t bytes);

  RewritingBudget& budget_;
  const QueryControl* const control_;
  std::list<std::size_t>::iterator place_;  // in the budget's claims
  std::size_t taken_ = 0;
  std::size_t granted_ = 0;  // what its place says
};

}  // namespace evq

#pragma once
// The memory of bodies that are rewritten as events before they are stored. All of a server's share
// one budget, which is enough for one of the longest. Large bodies get theirs in the order in which
// they came, so that not all of them begin and none can end: each waits for what a body of its size
// takes, which is mostly enough. Of those that need still more, the one that came first waits until
// others are done, and the others give up.

#include <cstddef>
#include <list>
#include <string_view>

#include "http/limits.h"
#include "store/base/control.h"
#include "store/base/mutex.h"
#include "store/base/result.h"

namespace evq {

// Bytes held for each byte of such a body (OTLP as JSON takes the most), for each value that JSON
// texts have in it, however short, and the limit of all.
inline constexpr std::size_t kRewritingShare = 8;
inline constexpr std::size_t kRewritingValueBytes = 48;
inline constexpr std::size_t kRewritingBytesMax = 12 * kHttpIngestBodyBytesMax;

// Makes the kUnavailable error of a body that finds the memory held by others.
Error too_little_left();

// The memory that all claims of a server share. Any thread.
class RewritingBudget {
 public:
  explicit RewritingBudget(std::size_t limit) : limit_(limit) {}
  std::size_t limit() const { return limit_; }
  // Bytes that all claims hold now.
  std::size_t held();

 private:
  friend class RewritingClaim;

  const std::size_t limit_;
  Mutex mutex_;
  CondVar given_back_;
  std::size_t held_ EVQ_GUARDED_BY(mutex_) = 0;
  bool short_ EVQ_GUARDED_BY(mutex_) = false;  // one that began waits for more
  // Bytes of each claim, in the order in which they came; 0 before it begins.
  std::list<std::size_t> claims_ EVQ_GUARDED_BY(mutex_);
};

// The memory of one body, given back with the object. One thread at a time.
class RewritingClaim {
 public:
  // Queues behind the claims that exist. Both arguments must outlive it; `control`, which may be
  // null, ends waits and lets nothing more be taken: whoever rewrites a body takes often.
  explicit RewritingClaim(RewritingBudget& budget, const QueryControl* control = nullptr);
  ~RewritingClaim();
  RewritingClaim(const RewritingClaim&) = delete;
  RewritingClaim& operator=(const RewritingClaim&) = delete;

  // Takes the memory that a body of `body_bytes` probably needs, without waiting. False while
  // others hold too much, or a large claim that came before has not begun; call it again then.
  bool begin(std::size_t body_bytes);
  // Takes memory for `bytes` of the body before they are kept. kTooLarge when that can never fit,
  // kUnavailable while others hold too much.
  Status take_body(std::size_t bytes) { return take(bytes * kRewritingShare); }
  // Takes memory for the values of a JSON text before it is read.
  Status take_values(std::string_view json);
  // Takes memory for `bytes` of events made of the body, whose texts may repeat in each.
  Status take_events(std::size_t bytes) { return take(2 * bytes); }
  // Takes memory for `bytes` of what is made in between.
  Status take_between(std::size_t bytes) { return take(bytes); }

 private:
  Status take(std::size_t bytes);

  RewritingBudget& budget_;
  const QueryControl* const control_;
  std::list<std::size_t>::iterator place_;  // in the budget's claims
  std::size_t taken_ = 0;
  std::size_t granted_ = 0;  // what its place says
};

}  // namespace evq

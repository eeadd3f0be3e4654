#include "http/rewriting_claim.h"

#include <algorithm>
#include <string>

#include "http/framing.h"
#include "http/limits.h"

namespace evq {

namespace {

// Bodies that need less than this part of the budget pass those that wait: even as many of them as
// run at once leave enough for one of the longest.
constexpr std::size_t kSmallPart = 8 * kHttpWritesMax;
// Of a body's size, for the events that it makes.
constexpr std::size_t kEventsShare = 2;
// Between two looks at whether to wait on.
constexpr std::int64_t kWaitMs = 50;

}  // namespace

Error too_little_left() {
  return make_error(ErrorCode::kUnavailable, "other large bodies are being read, try again");
}

std::size_t RewritingBudget::held() {
  const MutexLock lock(mutex_);
  return held_;
}

RewritingClaim::RewritingClaim(RewritingBudget& budget, const QueryControl* control)
    : budget_(budget), control_(control) {
  const MutexLock lock(budget_.mutex_);
  place_ = budget_.claims_.insert(budget_.claims_.end(), 0);
}

RewritingClaim::~RewritingClaim() {
  {
    const MutexLock lock(budget_.mutex_);
    budget_.held_ -= *place_;
    budget_.claims_.erase(place_);
  }
  budget_.given_back_.notify_all();
}

bool RewritingClaim::begin(std::size_t body_bytes) {
  const std::size_t likely =
      (kRewritingShare + kEventsShare) * std::max<std::size_t>(body_bytes, 1);
  const std::size_t wanted = std::min(likely, budget_.limit_);
  const MutexLock lock(budget_.mutex_);
  const bool in_turn = wanted <= budget_.limit_ / kSmallPart ||
                       std::find(budget_.claims_.begin(), place_, std::size_t{0}) == place_;
  if (!in_turn || budget_.short_ || wanted > budget_.limit_ - budget_.held_) {
    return false;
  }
  budget_.held_ += wanted;
  *place_ = granted_ = wanted;
  return true;
}

// Commas part them, but for the first one of each list and object. Those within texts count too.
Status RewritingClaim::take_values(std::string_view json) {
  const auto values = std::count_if(json.begin(), json.end(),
                                    [](char c) { return c == ',' || c == '[' || c == '{'; });
  const std::size_t bytes = static_cast<std::size_t>(values) * kRewritingValueBytes;
  const std::size_t share = json.size() * kRewritingShare / 2;  // what ordinary texts leave of it
  return bytes > share ? take(bytes - share) : Status();
}

// Only the first of those that began waits, holding what it has, and none begins meanwhile: the
// others end, whether they have enough or not.
Status RewritingClaim::take(std::size_t bytes) {
  EVQ_TRY(control_ == nullptr ? Status() : control_->check());
  const std::size_t wanted = taken_ + bytes;
  if (wanted > budget_.limit_) {
    return make_error(
        ErrorCode::kTooLarge,
        "the body makes more than " + size_text(budget_.limit_) + " of events: send less at once");
  }
  if (wanted <= granted_) {
    taken_ = wanted;
    return Status::success();
  }
  const std::size_t more = wanted - granted_;
  const MutexLock lock(budget_.mutex_);
  const auto has_begun = [](std::size_t held) { return held != 0; };
  Status status;
  while (status.ok() && more > budget_.limit_ - budget_.held_) {
    const bool first = std::find_if(budget_.claims_.begin(), place_, has_begun) == place_;
    if (!first) {
      return too_little_left();
    }
    budget_.short_ = true;
    static_cast<void>(budget_.given_back_.wait_for_ms(budget_.mutex_, kWaitMs));
    budget_.short_ = false;
    status = control_ == nullptr ? Status() : control_->check();
  }
  if (status.ok()) {
    budget_.held_ += more;
    *place_ = granted_ = taken_ = wanted;
  }
  return status;
}

}  // namespace evq

#include "store/base/turn.h"

#include "store/base/limits.h"
#include "store/base/wait_scope.h"

namespace evq {

Turn::Holder::~Holder() {
  if (turn_ != nullptr) {
    turn_->pass();
  }
}

Result<Turn::Holder> Turn::take(const std::string& awaited) {
  const MutexLock lock(mutex_);
  while (taken_) {
    if (!free_.wait_for_ms(mutex_, kControlPollMsMax)) {
      EVQ_TRY(WaitScope::check(awaited));
    }
  }
  taken_ = true;
  return Holder(this);
}

void Turn::pass() {
  const MutexLock lock(mutex_);
  taken_ = false;
  free_.notify_one();
}

}  // namespace evq

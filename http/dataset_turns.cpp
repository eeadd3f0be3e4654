#include "http/dataset_turns.h"

#include "store/base/limits.h"
#include "store/base/wait_scope.h"

namespace evq {

DatasetTurns::Holder::~Holder() {
  if (turns_ == nullptr) {
    return;
  }
  const MutexLock lock(turns_->mutex_);
  turns_->taken_.erase(name_);
  turns_->passed_.notify_all();
}

Result<DatasetTurns::Holder> DatasetTurns::take(std::string_view dataset) {
  std::string name(dataset);
  const MutexLock lock(mutex_);
  while (taken_.contains(name)) {
    if (!passed_.wait_for_ms(mutex_, kControlPollMsMax)) {
      EVQ_TRY(WaitScope::check(name));
    }
  }
  taken_.insert(name);
  return Holder(this, std::move(name));
}

std::optional<DatasetTurns::Holder> DatasetTurns::try_take(std::string_view dataset) {
  std::string name(dataset);
  const MutexLock lock(mutex_);
  if (!taken_.insert(name).second) {
    return std::nullopt;
  }
  return Holder(this, std::move(name));
}

}  // namespace evq

#include "http/upkeep.h"

#include <new>
#include <optional>
#include <utility>

#include "store/base/time.h"
#include "store/base/wait_scope.h"

namespace evq {

Upkeep::Upkeep(Api& api, std::int64_t interval_ms) : api_(api), interval_ms_(interval_ms) {}

Status Upkeep::start() {
  if (!thread_.offer([this] { run(); })) {
    return make_error(ErrorCode::kUnavailable, "the system has no thread for the upkeep",
                      "its limit of processes or memory is reached");
  }
  return Status::success();
}

Upkeep::~Upkeep() {
  control_.cancel();
  const WaitScope hurried(control_);
  static_cast<void>(api_.auth.keep_uses().ok());
  const MutexLock lock(mutex_);
  stopping_ = true;
  wake_.notify_all();
}

void Upkeep::hurry(std::string_view dataset) {
  const MutexLock lock(mutex_);
  if (hurried_.emplace(dataset).second) {
    wake_.notify_all();
  }
}

// The datasets that cannot wait; none when the round of all is due.
std::set<std::string, std::less<>> Upkeep::wait_for_round() {
  const MutexLock lock(mutex_);
  while (!stopping_ && hurried_.empty() && monotonic_now_ns() < next_round_ns_) {
    const std::int64_t left_ms = (next_round_ns_ - monotonic_now_ns()) / kMillisecondNs;
    static_cast<void>(wake_.wait_for_ms(mutex_, left_ms + 1));
  }
  return std::exchange(hurried_, {});
}

void Upkeep::run() {
  const WaitScope scope(control_);
  while (!control_.should_stop()) {
    next_round_ns_ = monotonic_now_ns() + interval_ms_ * kMillisecondNs;
    try {
      serve_hurried();
      if (!control_.should_stop()) {
        go_round();
      }
    } catch (const std::bad_alloc&) {  // the next round tries again
    }
  }
}

// Unless a request is at it, which does as much. One that fails is tried again in the next round;
// its requests report what is wrong.
void Upkeep::maintain(const std::string& dataset) {
  const std::optional<DatasetTurns::Holder> turn = api_.upkeep_turns.try_take(dataset);
  if (turn.has_value()) {
    static_cast<void>(api_.store().maintain(dataset, Maintenance::kDue, control_).ok());
  }
}

// Until the next round of all.
void Upkeep::serve_hurried() {
  while (!control_.should_stop() && monotonic_now_ns() < next_round_ns_) {
    for (const std::string& dataset : wait_for_round()) {
      maintain(dataset);
    }
  }
}

void Upkeep::go_round() {
  Result<std::vector<DatasetDefinition>> datasets = api_.definitions().datasets();
  if (!datasets.ok()) {
    return;
  }
  for (const DatasetDefinition& dataset : *datasets) {
    if (control_.should_stop()) {
      return;
    }
    maintain(dataset.name);
  }
  api_.store().close_unused();
  static_cast<void>(api_.auth.keep_uses().ok());
  api_.metrics.maintenance_rounds.fetch_add(1);
}

}  // namespace evq

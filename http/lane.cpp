#include "http/lane.h"

#include <thread>
#include <utility>

#include "store/base/control.h"
#include "store/base/short_turns.h"
#include "store/base/time.h"

namespace evq {

bool WorkerLane::submit(std::function<void()> task, std::function<void()> expired) {
  {
    const MutexLock lock(mutex_);
    if (running_ >= limits_.running_max && queue_.size() >= limits_.queued_max) {
      return false;
    }
    queue_.push_back({std::move(task), std::move(expired), monotonic_now_ns()});
    if (running_ >= limits_.running_max) {
      return true;
    }
    ++running_;
  }
  const std::thread::id here = std::this_thread::get_id();
  threads_.submit([this, here] {
    if (std::this_thread::get_id() == here) {  // it has not got a thread for us
      give_up_seat();
    } else {
      run_next();
    }
  });
  return true;
}

// Who waits is told, unless another worker is left to come for it.
void WorkerLane::give_up_seat() {
  for (;;) {
    Waiting next;
    {
      const MutexLock lock(mutex_);
      if (running_ > 1 || queue_.empty()) {
        --running_;
        return;
      }
      next = std::move(queue_.front());
      queue_.pop_front();
    }
    next.expired();
  }
}

bool WorkerLane::is_late(const Waiting& waiting) const {
  return monotonic_now_ns() - waiting.since_ns > limits_.wait_ms_max * kMillisecondNs;
}

void WorkerLane::expire_late() {
  for (;;) {
    Waiting next;
    {
      const MutexLock lock(mutex_);
      if (queue_.empty() || !is_late(queue_.front())) {  // the others came later
        return;
      }
      next = std::move(queue_.front());
      queue_.pop_front();
    }
    next.expired();
  }
}

// Keeps its thread for as long as somebody waits.
void WorkerLane::run_next() {
  take_short_turns();
  for (;;) {
    Waiting next;
    {
      const MutexLock lock(mutex_);
      if (queue_.empty()) {
        --running_;
        return;
      }
      next = std::move(queue_.front());
      queue_.pop_front();
    }
    (is_late(next) ? next.expired : next.task)();
  }
}

}  // namespace evq

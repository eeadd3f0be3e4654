#pragma once
// WorkerLane: threads for one kind of request, with a bounded queue. What waits longer than allowed
// is told so instead of being run, so that a busy server answers "busy" quickly and its queue holds
// only work somebody still waits for. Its owners call expire_late() now and then, since the workers
// may all be at long work. Any thread may call.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>

#include "store/base/mutex.h"
#include "store/base/thread_pool.h"

namespace evq {

struct WorkerLaneLimits {
  std::size_t running_max = 1;
  std::size_t queued_max = 0;
  std::int64_t wait_ms_max = 0;
};

class WorkerLane {
 public:
  explicit WorkerLane(const WorkerLaneLimits& limits)
      : limits_(limits), threads_(limits.running_max) {}

  // Runs `task` on a worker, or `expired` there or in expire_late() when its turn comes too late,
  // or here when no worker can be had. False, and neither is called, when the queue is full.
  // Neither may throw.
  bool submit(std::function<void()> task, std::function<void()> expired);
  // Tells those that wait for longer than allowed.
  void expire_late();

 private:
  struct Waiting {
    std::function<void()> task;
    std::function<void()> expired;
    std::int64_t since_ns = 0;
  };
  void run_next();
  void give_up_seat();
  bool is_late(const Waiting& waiting) const;

  const WorkerLaneLimits limits_;
  Mutex mutex_;
  std::deque<Waiting> queue_ EVQ_GUARDED_BY(mutex_);
  std::size_t running_ EVQ_GUARDED_BY(mutex_) = 0;
  ThreadPool threads_;
};

}  // namespace evq

#pragma once
// HeapWatch: sees to it that a process does not hold much more than its queries may reserve,
// because of what they freed: now and then it returns free memory. For the outermost MemoryBudget;
// any thread.

#include <atomic>
#include <cstddef>

#include "store/base/heap.h"
#include "store/base/limits.h"
#include "store/base/process.h"

namespace evq {

// How the process's memory is read and given back; tests have a heap of their own.
struct WatchedHeap {
  std::size_t (*resident_bytes)() = &evq::resident_bytes;
  void (*return_free_memory)() = &evq::return_free_memory;
};

class HeapWatch {
 public:
  // Nothing is watched before there is a limit: the bytes that may be reserved together.
  HeapWatch() = default;
  explicit HeapWatch(std::size_t limit_bytes, WatchedHeap heap = {});

  // After `bytes` more were reserved, so that `used` are. Looks at the process once in
  // kHeapWatchStepBytes; returns free memory when it holds more than the limit and what it held
  // beside it before.
  void note(std::size_t bytes, std::size_t used) {
    if (limit_ != 0 &&
        noted_.fetch_add(bytes, std::memory_order_relaxed) + bytes >= kHeapWatchStepBytes &&
        noted_.exchange(0, std::memory_order_relaxed) >= kHeapWatchStepBytes) {
      look(used);
    }
  }

 private:
  void look(std::size_t used);

  const WatchedHeap heap_{};
  const std::size_t limit_ = 0;
  std::atomic<std::size_t> resident_max_{0};
  std::atomic<std::size_t> noted_{0};
};

}  // namespace evq

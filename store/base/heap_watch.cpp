#include "store/base/heap_watch.h"

#include <algorithm>

#include "store/base/limits.h"

namespace evq {

HeapWatch::HeapWatch(std::size_t limit_bytes, WatchedHeap heap)
    : heap_(heap), limit_(limit_bytes), resident_max_(limit_bytes + kHeapBesidesLimitBytes) {}

// What is still there when all that was free is gone, and not reserved, is no query's: decoded
// columns that are kept, code, pages of files. It counts beside the limit from then on, or memory
// would be returned again and again though nothing is gained.
void HeapWatch::look(std::size_t used) {
  if (heap_.resident_bytes() <= resident_max_.load(std::memory_order_relaxed)) {
    return;
  }
  heap_.return_free_memory();
  const std::size_t resident = heap_.resident_bytes();
  const std::size_t others = resident - std::min(used, resident);
  resident_max_.store(
      limit_ + std::max(kHeapBesidesLimitBytes, others + kHeapBesidesLimitBytes / 2),
      std::memory_order_relaxed);
}

}  // namespace evq

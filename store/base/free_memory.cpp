#include "store/base/free_memory.h"

#include <algorithm>
#include <thread>

#include <malloc.h>

#include "store/base/limits.h"

namespace evq {

void keep_freed_pages(unsigned arenas_per_processor) {
  // Not several a thread, as is usual: each keeps what its queries freed.
  const unsigned processors = std::max(1U, std::thread::hardware_concurrency());
  mallopt(M_ARENA_MAX, static_cast<int>(arenas_per_processor * processors));
  mallopt(M_MMAP_THRESHOLD, static_cast<int>(4 * kMebibyte));
  mallopt(M_TRIM_THRESHOLD, static_cast<int>(64 * kMebibyte));
}

void return_free_memory() {
  malloc_trim(0);
}

}  // namespace evq

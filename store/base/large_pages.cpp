#include "store/base/large_pages.h"

#include <memory>

#include <sys/mman.h>

namespace evq {

void use_large_pages(void* memory, std::size_t bytes) {
  // What shares its first and last page with others is left alone.
  if (std::align(kLargePageBytes, kLargePageBytes, memory, bytes) != nullptr) {
    madvise(memory, bytes / kLargePageBytes * kLargePageBytes, MADV_HUGEPAGE);
  }
}

}  // namespace evq

#pragma once
// Scratch memory: what a function holds only while it computes one value, as the numbers of a
// series or the elements of an array. ScratchVector is a std::vector whose memory is charged to the
// thread's AllocationMeter, where there is one, and given back with the vector; what a query is
// refused fails as allocations do, with std::bad_alloc. Such a vector must not outlive the call
// that made it.

#include <cstddef>
#include <memory>
#include <vector>

#include "store/base/allocation_meter.h"

namespace evq {

// Smaller allocations are not counted: a call has few of them at a time.
inline constexpr std::size_t kScratchBytesMin = std::size_t{64} << 10U;

template <class T>
class ScratchAllocator {
 public:
  using value_type = T;

  ScratchAllocator() = default;
  template <class U>
  // NOLINTNEXTLINE(google-explicit-constructor): containers convert their allocators
  ScratchAllocator(const ScratchAllocator<U>& /*other*/) {}

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes >= kScratchBytesMin) {
      AllocationMeter::charge(bytes);
    }
    return std::allocator<T>().allocate(count);
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    std::allocator<T>().deallocate(memory, count);
    if (count * sizeof(T) >= kScratchBytesMin) {
      AllocationMeter::give_back(count * sizeof(T));
    }
  }

  friend bool operator==(const ScratchAllocator& /*a*/, const ScratchAllocator& /*b*/) {
    return true;
  }
};

template <class T>
using ScratchVector = std::vector<T, ScratchAllocator<T>>;

}  // namespace evq

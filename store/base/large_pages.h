#pragma once
// LargePages: an allocator for vectors that may grow to megabytes and are read here and there, such
// as hash tables and the states of many groups. From kLargeVectorBytesMin on, memory is asked for
// in large pages: the kernel then clears and maps 2 MiB at a time instead of 4 KiB, which may
// otherwise cost as much as filling the table does, and look-ups seldom wait for an address.
// Smaller vectors are allocated as usual. Any thread; fails as allocations do.

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace evq {

inline constexpr std::size_t kLargePageBytes = std::size_t{2} << 20U;
// The smallest vector in large pages: smaller ones would waste too much memory through alignment
// and in their last page.
inline constexpr std::size_t kLargeVectorBytesMin = 4 * kLargePageBytes;

// Asks for large pages in [memory, memory + bytes); nothing happens where there are none.
void use_large_pages(void* memory, std::size_t bytes);

template <class T>
struct LargePages {
  using value_type = T;

  LargePages() = default;
  template <class Other>
  // NOLINTNEXTLINE(google-explicit-constructor): containers convert their allocators
  LargePages(const LargePages<Other>& /*other*/) {}

  T* allocate(std::size_t count) {
    if (count < kCountMin) {
      return std::allocator<T>().allocate(count);
    }
    void* memory = ::operator new (count * sizeof(T), std::align_val_t{kLargePageBytes});
    use_large_pages(memory, count * sizeof(T));
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    if (count < kCountMin) {
      std::allocator<T>().deallocate(memory, count);
    } else {
      ::operator delete (memory, std::align_val_t{kLargePageBytes});
    }
  }
  template <class Other>
  bool operator==(const LargePages<Other>& /*other*/) const {
    return true;
  }

 private:
  static constexpr std::size_t kCountMin = (kLargeVectorBytesMin + sizeof(T) - 1) / sizeof(T);
};

template <class T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace evq

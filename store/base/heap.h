#pragma once
// The program's heap: jemalloc, in large pages, where it is linked in (the sanitizers bring
// allocators of their own, and the test programs have the C library's). Columns of a block are
// hundreds of kilobytes; a process that answers one query spends more on the faults of their 4 KiB
// pages than on decoding them, and the kernel maps 2 MiB for the price of a few.
// Source: https://jemalloc.net/jemalloc.3.html (thp, extent_hooks, dirty_decay_ms).

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace evq {

// What a process does with its heap.
enum class HeapUse : std::uint8_t {
  kQueries,  // what a query frees is kept for a minute, to be had again without a fault
  kLoading,  // kept for a second: pieces of the input differ in what they need
};

// Once, before threads are started. Nothing happens where the heap is another.
void set_up_heap(HeapUse use);

// Gives back what is free now. It takes milliseconds; any thread. For who is about to need much,
// in other pieces than before, and for who has nothing to do.
void return_free_memory();

// The same when the process holds more than so many bytes, free or not: pages of what is read from
// files count.
void return_free_memory_beyond(std::size_t resident_max);

// Sees to it that a process does not hold much more than its parts account for, because of what
// they freed: now and then returns free memory beyond a bound.
class HeapWatch {
 public:
  // 0: nothing is watched.
  explicit HeapWatch(std::size_t resident_max) : resident_max_(resident_max) {}
  // After `bytes` more were asked for. Any thread.
  void note(std::size_t bytes) {
    if (resident_max_ != 0 &&
        noted_.fetch_add(bytes, std::memory_order_relaxed) + bytes >= kNotedMin &&
        noted_.exchange(0, std::memory_order_relaxed) >= kNotedMin) {
      return_free_memory_beyond(resident_max_);
    }
  }

 private:
  static constexpr std::size_t kNotedMin = std::size_t{8} << 20U;

  const std::size_t resident_max_;
  std::atomic<std::size_t> noted_{0};
};

}  // namespace evq

#include "tests/support/fault_heap.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

#include <malloc.h>

namespace {

constexpr std::uint64_t kNever = ~std::uint64_t{0};
constexpr int kDeletedByte = 0xDD;

struct Heap {
  std::atomic<bool> watched{false};
  std::atomic<bool> for_good{false};
  std::atomic<bool> failed{false};
  std::atomic<std::uint64_t> made{0};
  std::atomic<std::uint64_t> fails_at{kNever};

  bool fails() {
    if (!watched.load(std::memory_order_relaxed)) {
      return false;
    }
    const std::uint64_t number = made.fetch_add(1);
    const bool now = number == fails_at.load() || (for_good.load() && number > fails_at.load());
    if (now) {
      failed.store(true);
    }
    return now;
  }
};

Heap& the_heap() {
  static constinit Heap heap;
  return heap;
}

void* aligned(std::size_t alignment, std::size_t size) {
  void* memory = nullptr;
  return posix_memalign(&memory, alignment, size) == 0 ? memory : nullptr;
}

void* allocate(std::size_t size, std::size_t alignment) {
  void* memory = nullptr;
  if (!the_heap().fails()) {
    memory = alignment <= alignof(std::max_align_t) ? std::malloc(size == 0 ? 1 : size)
                                                    : aligned(alignment, size);
  }
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

void release(void* memory) {
  if (memory != nullptr) {
    std::memset(memory, kDeletedByte, malloc_usable_size(memory));
  }
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) {
  return allocate(size, 1);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return the_heap().fails() ? nullptr : std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory, const std::nothrow_t& /*tag*/) noexcept {
  release(memory);
}
void operator delete(void* memory) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
  release(memory);
}
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  release(memory);
}
// Where Asio has its memory from.
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return the_heap().fails() ? nullptr : aligned(alignment, size);
}

namespace evq {

void FaultHeap::count() {
  fail_at(kNever, false);
}

void FaultHeap::fail_at(std::uint64_t allocation, bool for_good) {
  the_heap().made = 0;
  the_heap().failed = false;
  the_heap().fails_at = allocation;
  the_heap().for_good = for_good;
  the_heap().watched = true;
}

void FaultHeap::pause() {
  the_heap().watched = false;
}

void FaultHeap::go_on() {
  the_heap().watched = true;
}

void FaultHeap::heal() {
  the_heap().watched = false;
  the_heap().fails_at = kNever;
}

std::uint64_t FaultHeap::allocations() {
  return the_heap().made.load();
}

bool FaultHeap::failed() {
  return the_heap().failed.load();
}

}  // namespace evq

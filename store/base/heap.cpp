#include "store/base/heap.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <jemalloc/jemalloc.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/base/large_pages.h"
#include "store/base/process.h"
#include "store/base/thread_pool.h"

#pragma weak mallctl  // null in a program without jemalloc

// Read by jemalloc when it starts; see its manual for each word. One arena has what is larger than
// the threshold, and keeps nothing unless it is told to; and in the others, too, neighbours that
// are free and together larger go back at once, whatever the decay time (extent_record in its
// extent.c). It is larger than the tables of most queries, and bounds what is kept for the next
// one. Pages are given back when their time is over, without the kernel's lazy way, of which a
// process still counts as holding them.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf =
    "dss:disabled,oversize_threshold:33554432,dirty_decay_ms:60000,muzzy_decay_ms:0";
}

namespace evq {
namespace {

constexpr std::size_t kOversizeBytes = std::size_t{32} << 20U;  // as malloc_conf says
constexpr ssize_t kQueriesDecayMs = 60'000;
constexpr ssize_t kLoadingDecayMs = 1000;

void* map(void* address, std::size_t size) {
  void* const memory =
      mmap(address, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

// At `address`, where it is not null, or anywhere; null where that cannot be had.
void* map_aligned(void* address, std::size_t size, std::size_t alignment) {
  void* const memory = map(address, size);
  const auto place = reinterpret_cast<std::uintptr_t>(memory);
  if (memory == nullptr || (address == nullptr ? place % alignment == 0 : memory == address)) {
    return memory;
  }
  munmap(memory, size);
  if (address != nullptr || size + alignment < size) {
    return nullptr;
  }
  auto* const wide = static_cast<std::byte*>(map(nullptr, size + alignment));
  if (wide == nullptr) {
    return nullptr;
  }
  const std::size_t over = reinterpret_cast<std::uintptr_t>(wide) % alignment;
  const std::size_t before = over == 0 ? 0 : alignment - over;
  if (before > 0) {
    munmap(wide, before);
  }
  if (before < alignment) {
    munmap(wide + before + size, alignment - before);
  }
  return wide + before;
}

// The hooks of an arena whose memory is here, whatever the thread. jemalloc's own for these two ask
// for what it keeps of the thread; one whose first call frees something has none yet, and to make
// it takes memory of the arena, whose lock is held.
void* map_large_pages(extent_hooks_t* /*hooks*/, void* address, std::size_t size,
                      std::size_t alignment, bool* zero, bool* commit, unsigned /*arena*/) {
  // From the start of a large page, or the kernel has none to map there.
  const std::size_t aligned =
      size < kLargePageBytes ? alignment : std::max(alignment, kLargePageBytes);
  void* const memory = map_aligned(address, size, aligned);
  if (memory != nullptr) {
    use_large_pages(memory, size);
    *zero = true;
    *commit = true;
  }
  return memory;
}

// Mappings that touch may be used, and returned, as one.
bool merge_neighbours(extent_hooks_t* /*hooks*/, void* /*first*/, std::size_t /*first_size*/,
                      void* /*second*/, std::size_t /*second_size*/, bool /*committed*/,
                      unsigned /*arena*/) {
  constexpr bool kFailed = false;
  return kFailed;
}

// jemalloc keeps a pointer to it.
extent_hooks_t large_page_hooks;

template <class T>
bool read_setting(const std::string& name, T* value) {
  std::size_t size = sizeof *value;
  return mallctl(name.c_str(), value, &size, nullptr, 0) == 0;
}

template <class T>
bool write_setting(const std::string& name, T value) {
  return mallctl(name.c_str(), nullptr, nullptr, &value, sizeof value) == 0;
}

// The arena of what is large is there once it was needed, right behind the others. Clearing the
// tables of a query anew takes as long as a fifth of what it does with them.
void make_oversize_arena() {
  auto* const large = static_cast<volatile char*>(std::malloc(kOversizeBytes));
  if (large != nullptr) {
    *large = 0;  // or the compiler leaves it out
  }
  std::free(const_cast<char*>(large));
}

// Arenas that threads are given; 0 before set_up_heap. jemalloc has more, of which one may be used
// by a thread that was given none. Its own choice by processor (percpu_arena) writes to standard
// error where a process may not run on all of them.
std::atomic<unsigned> shared_arenas{0};

bool set_up_arena(unsigned number, ssize_t decay_ms) {
  const std::string arena = "arena." + std::to_string(number);
  return write_setting(arena + ".extent_hooks", &large_page_hooks) &&
         write_setting(arena + ".dirty_decay_ms", decay_ms);
}

}  // namespace

void set_up_heap(HeapUse use) {
  if (mallctl == nullptr) {
    return;
  }
  unsigned arenas = 0;
  extent_hooks_t* default_hooks = nullptr;
  if (!read_setting("opt.narenas", &arenas) ||
      !read_setting("arena.0.extent_hooks", &default_hooks)) {
    return;
  }
  large_page_hooks = *default_hooks;
  large_page_hooks.alloc = map_large_pages;
  large_page_hooks.merge = merge_neighbours;
  make_oversize_arena();
  const ssize_t decay_ms = use == HeapUse::kLoading ? kLoadingDecayMs : kQueriesDecayMs;
  const auto wanted =
      static_cast<unsigned>(std::min<std::size_t>(ThreadPool::processors(), arenas));
  bool done = set_up_arena(arenas, decay_ms);  // of what is large
  for (unsigned i = 0; i < wanted && done; ++i) {
    done = set_up_arena(i, decay_ms);
  }
  if (done) {  // a heap of another configuration is slower, and that is all
    shared_arenas.store(wanted);
    join_heap();
  }
}

void join_heap() {
  static std::atomic<unsigned> joined{0};
  const unsigned arenas = shared_arenas.load();
  if (arenas != 0) {
    static_cast<void>(write_setting("thread.arena", joined.fetch_add(1) % arenas));
  }
}

void return_free_memory() {
  if (mallctl == nullptr) {
    malloc_trim(0);
    return;
  }
  static const std::string all_arenas = "arena." + std::to_string(MALLCTL_ARENAS_ALL) + ".purge";
  mallctl("thread.tcache.flush", nullptr, nullptr, nullptr, 0);
  mallctl(all_arenas.c_str(), nullptr, nullptr, nullptr, 0);
}

void return_free_memory_beyond(std::size_t resident_max) {
  if (resident_bytes() > resident_max) {
    return_free_memory();
  }
}

}  // namespace evq

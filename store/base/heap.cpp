#include "store/base/heap.h"

#include <string>

#include <jemalloc/jemalloc.h>
#include <malloc.h>

#include "store/base/large_pages.h"

#pragma weak mallctl  // null in a program without jemalloc

// Read by jemalloc when it starts; see its manual for each word. Arenas are one a processor, so
// that threads that take and free much at once do not wait for each other, and no more than that:
// each keeps what was freed in it. Pages are given back at once when their time is over, without
// the kernel's lazy way, of which a process still counts as holding them.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf =
    "thp:always,metadata_thp:auto,percpu_arena:percpu,dirty_decay_ms:60000,muzzy_decay_ms:0";
}

namespace evq {
namespace {

constexpr ssize_t kLoadingDecayMs = 1000;

// The hooks that jemalloc comes with, and the same with `alloc` replaced. It keeps pointers to
// both.
extent_hooks_t* default_hooks = nullptr;
extent_hooks_t aligned_hooks;

// Where an arena grows by memory of its own: from the start of a large page, or the kernel has none
// to map there.
void* alloc_aligned(extent_hooks_t* /*hooks*/, void* address, std::size_t size,
                    std::size_t alignment, bool* zero, bool* commit, unsigned arena) {
  const bool is_large = size >= kLargePageBytes && alignment < kLargePageBytes;
  return default_hooks->alloc(default_hooks, address, size, is_large ? kLargePageBytes : alignment,
                              zero, commit, arena);
}

template <class T>
bool read_setting(const std::string& name, T* value) {
  std::size_t size = sizeof *value;
  return mallctl(name.c_str(), value, &size, nullptr, 0) == 0;
}

template <class T>
bool write_setting(const std::string& name, T value) {
  return mallctl(name.c_str(), nullptr, nullptr, &value, sizeof value) == 0;
}

}  // namespace

void set_up_heap(HeapUse use) {
  if (mallctl == nullptr) {
    return;
  }
  unsigned arenas = 0;
  if (!read_setting("opt.narenas", &arenas) ||
      !read_setting("arena.0.extent_hooks", &default_hooks)) {
    return;
  }
  aligned_hooks = *default_hooks;
  aligned_hooks.alloc = alloc_aligned;
  for (unsigned i = 0; i < arenas; ++i) {
    const std::string arena = "arena." + std::to_string(i);
    bool done = write_setting(arena + ".extent_hooks", &aligned_hooks);
    if (use == HeapUse::kLoading) {
      done = done && write_setting(arena + ".dirty_decay_ms", kLoadingDecayMs);
    }
    if (!done) {
      return;  // a heap of another configuration is slower, and that is all
    }
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

}  // namespace evq

#include "store/base/heap.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include <jemalloc/jemalloc.h>
#include <malloc.h>
#include <unistd.h>

#include "store/base/large_pages.h"

#pragma weak mallctl  // null in a program without jemalloc

// Read by jemalloc when it starts; see its manual for each word. Arenas are one a processor, so
// that threads that take and free much at once do not wait for each other, and no more than that:
// each keeps what was freed in it, however large: clearing the tables of a query anew takes as long
// as a fifth of what it does with them. Pages are given back at once when their time is over,
// without the kernel's lazy way, of which a process still counts as holding them.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf =
    "percpu_arena:percpu,oversize_threshold:0,dirty_decay_ms:60000,muzzy_decay_ms:0";
}

namespace evq {
namespace {

constexpr ssize_t kLoadingDecayMs = 1000;

// The hooks that jemalloc comes with, and the same with `alloc` replaced. It keeps pointers to
// both.
extent_hooks_t* default_hooks = nullptr;
extent_hooks_t large_page_hooks;

// Where an arena grows: in large pages, from the start of one, or the kernel has none to map there.
void* alloc_in_large_pages(extent_hooks_t* /*hooks*/, void* address, std::size_t size,
                           std::size_t alignment, bool* zero, bool* commit, unsigned arena) {
  void* memory = default_hooks->alloc(
      default_hooks, address, size,
      size < kLargePageBytes ? alignment : std::max(alignment, kLargePageBytes), zero, commit,
      arena);
  if (memory != nullptr) {
    use_large_pages(memory, size);
  }
  return memory;
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

// 0 where the system does not tell. Source: proc(5), /proc/pid/statm.
std::size_t resident_bytes() {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/self/statm", "re"),
                                                             std::fclose);
  std::size_t all = 0;
  std::size_t resident = 0;
  if (file == nullptr || std::fscanf(file.get(), "%zu %zu", &all, &resident) != 2) {
    return 0;
  }
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
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
  large_page_hooks = *default_hooks;
  large_page_hooks.alloc = alloc_in_large_pages;
  for (unsigned i = 0; i < arenas; ++i) {
    const std::string arena = "arena." + std::to_string(i);
    bool done = write_setting(arena + ".extent_hooks", &large_page_hooks);
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

void return_free_memory_beyond(std::size_t resident_max) {
  if (resident_bytes() > resident_max) {
    return_free_memory();
  }
}

}  // namespace evq

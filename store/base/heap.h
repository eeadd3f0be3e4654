#pragma once
// The program's heap: jemalloc, in large pages, where it is linked in (the sanitizers bring
// allocators of their own, and the test programs have the C library's). Columns of a block are
// hundreds of kilobytes; a process that answers one query spends more on the faults of their 4 KiB
// pages than on decoding them, and the kernel maps 2 MiB for the price of a few.
// Source: https://jemalloc.net/jemalloc.3.html (thp, extent_hooks, dirty_decay_ms).

#include <cstdint>

namespace evq {

// What a process does with its heap.
enum class HeapUse : std::uint8_t {
  kQueries,  // what a query frees is kept, to be had again without a fault, for a minute
  kLoading,  // kept for a second: pieces of the input differ in what they need
};

// Once, before threads are started. Without it freed pages are kept as for queries, and large pages
// are had where they happen to fit.
void set_up_heap(HeapUse use);

// Gives back what is free now. It takes milliseconds; any thread. For who is about to need much,
// in other pieces than before, and for who has nothing to do.
void return_free_memory();

}  // namespace evq

#pragma once
// The program's heap: jemalloc, in large pages, where it is linked in (the sanitizers bring
// allocators of their own, and the test programs have the C library's). Columns of a block are
// hundreds of kilobytes; a process that answers one query spends more on the faults of their 4 KiB
// pages than on decoding them, and the kernel maps 2 MiB for the price of a few.
// Source: https://jemalloc.net/jemalloc.3.html (thp, extent_hooks, dirty_decay_ms).

#include <cstddef>
#include <cstdint>

namespace evq {

// The kind of work a process does, which decides how long its heap keeps free memory.
enum class HeapUse : std::uint8_t {
  kQueries,  // what a query frees is kept for a minute, to be had again without a fault
  kLoading,  // kept for a second: pieces of the input differ in what they need
};

// Configures jemalloc: call it once, before threads start. Does nothing with another allocator.
void set_up_heap(HeapUse use);

// Gives the calling thread one of the arenas, in turn; each thread calls it when it starts, before
// it allocates. There are as many arenas as processors, so that threads seldom wait for each other,
// and no more, since each arena keeps what was freed in it.
void join_heap();

// Returns free memory to the system, which takes milliseconds. Call it when idle, or before needing
// much memory in pieces of other sizes than before. Any thread.
void return_free_memory();

// Calls return_free_memory() when the process's resident memory, which includes pages of files, is
// more than `resident_max` bytes.
void return_free_memory_beyond(std::size_t resident_max);

}  // namespace evq

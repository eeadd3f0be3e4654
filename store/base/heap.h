#pragma once
// The program's heap: jemalloc, in large pages, where it is linked in (the sanitizers bring
// allocators of their own, and the test programs have the C library's). Columns of a block are
// hundreds of kilobytes; a process that answers one query spends more on the faults of their 4 KiB
// pages than on decoding them, and the kernel maps 2 MiB for the price of a few.
// Source: https://jemalloc.net/jemalloc.3.html (thp, extent_hooks, dirty_decay_ms).

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

// By each thread that starts, before it asks for memory: gives it one of the arenas, in turn. There
// are as many as processors, so that threads seldom wait for each other, and no more, since each
// arena keeps what was freed in it.
void join_heap();

// Gives back what is free now. It takes milliseconds; any thread. For who is about to need much,
// in other pieces than before, and for who has nothing to do.
void return_free_memory();

// The same when the process holds more than so many bytes, free or not: pages of what is read from
// files count.
void return_free_memory_beyond(std::size_t resident_max);

// What the process holds, free or not, in bytes; 0 where the system does not tell.
std::size_t resident_bytes();

}  // namespace evq

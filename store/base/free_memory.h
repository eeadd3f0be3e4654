#pragma once
// Freed memory: kept for what comes next, or on its way back to the system. An allocator keeps what
// a thread has freed for that thread; others take new memory meanwhile, so that one thread's
// columns taken over by another would count twice.

namespace evq {

// For a process that answers queries or loads events: columns and blocks come and go, so the pages
// of what was freed are kept, to a bound, rather than asked for anew; clearing new ones may cost as
// much as the query does. More arenas of the allocator keep more, but threads that take and free
// much at once wait less for each other. Before threads are started.
void keep_freed_pages(unsigned arenas_per_processor = 1);

// Gives back what is free now. It takes milliseconds; any thread.
void return_free_memory();

}  // namespace evq

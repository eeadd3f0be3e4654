#pragma once
// Freed memory on its way back to the system. An allocator keeps what a thread has freed for that
// thread; others take new memory meanwhile, so that one thread's columns taken over by another
// would count twice.

namespace evq {

// Gives back what is free now. It takes milliseconds; any thread.
void return_free_memory();

}  // namespace evq

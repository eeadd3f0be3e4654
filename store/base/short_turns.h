#pragma once
// Short turns on the processor, for threads that answer somebody: most of their time they wait for
// bytes, a lock or a disk, and on busy processors what woke them is worth little while a thread
// that computes has its turn, which takes milliseconds.

namespace evq {

// The calling thread asks the scheduler for short turns, once: from then on it may take the place
// of one whose turn is longer when it wakes up. Its share of the processors stays the same. Where
// the kernel knows no such thing (before Linux 6.12), or somebody has chosen another policy for the
// process, nothing changes.
void take_short_turns();

}  // namespace evq

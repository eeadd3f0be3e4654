#pragma once
// What this process asks of the system for itself: descriptors, how much memory there is, and that
// its own stays its own. For the start of a program; any thread. What the system does not grant is
// left as it is.

#include <cstddef>

namespace evq {

// Lets the process have as many descriptors as it may: every connection is one.
void raise_descriptor_limit();

// Takes the numbers of standard input, output and error where they are closed, so that no file that
// is opened later gets them: reading or writing there goes on to fail.
void occupy_standard_descriptors();

// The bytes of memory that this process may count on: the machine's, or its control group's.
std::size_t memory_bytes();

// No memory of this process is written to disk when it dies, nor shown to other programs of its
// user: for processes that hold secrets.
void keep_memory_private();

}  // namespace evq

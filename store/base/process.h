#pragma once
// What this process may do to the machine around it. For the start of a program; any thread.

namespace evq {

// Lets the process have as many descriptors as it may: every connection is one.
void raise_descriptor_limit();

// No memory of this process is written to disk when it dies, nor shown to other programs of its
// user: for processes that hold secrets.
void keep_memory_private();

}  // namespace evq

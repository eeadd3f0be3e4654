#pragma once
// What this process asks of the system for itself: descriptors, how much memory there is, and that
// its own stays its own. For the start of a program; any thread. What the system does not grant is
// left as it is.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace evq {

// Lets the process have as many descriptors as it may: every connection is one, and every dataset
// that a query reads is several.
void raise_descriptor_limit();
// How many it may have.
std::size_t descriptor_limit();
// How many it has, 0 where the system does not tell: some 200 ns each.
std::size_t count_descriptors();
// Whether nearly all of them are taken: an eighth and less is left, which connections, locks and
// answers need.
bool short_of_descriptors();

// Takes the numbers of standard input, output and error where they are closed, so that no file that
// is opened later gets them: reading or writing there goes on to fail.
void occupy_standard_descriptors();

// The bytes of memory that this process may count on: the machine's, or what its control group and
// those around it leave of them. `root` stands before the system's paths; tests have one of their
// own.
std::size_t memory_bytes(const std::string& root = {});

// No memory of this process is written to disk when it dies, nor shown to other programs of its
// user: for processes that hold secrets.
void keep_memory_private();

// Tells one run of the system from another: of all processes the same until it starts anew, and
// hardly ever again after that. 0 where the system does not say.
std::uint64_t boot_number();

// Tells the service manager that started this process how it is: "READY=1", "STOPPING=1"; the
// protocol is that of sd_notify(3), a datagram to the socket that NOTIFY_SOCKET names. Nothing
// happens where nobody asked for it.
void tell_service_manager(std::string_view state);

}  // namespace evq

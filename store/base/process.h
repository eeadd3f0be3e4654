#pragma once
// Requests of this process to the system for itself: more descriptors, how much memory there is,
// and privacy of its memory. For the start of a program; any thread. What the system does not grant
// is left as it is.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace evq {

// Raises the soft limit of open descriptors to the hard limit: every connection takes one, and
// every dataset that a query reads several.
void raise_descriptor_limit();
// The soft limit: how many descriptors this process may have open.
std::size_t descriptor_limit();
// The number of open descriptors, 0 where the system does not tell. Takes some 200 ns for each.
std::size_t count_descriptors();

// Occupies the descriptors of standard input, output and error where they are closed, so that no
// file opened later gets them: reading or writing there goes on to fail.
void occupy_standard_descriptors();

// The bytes of memory that this process may count on: the machine's, or what its control group and
// those around it leave of them. `root` stands before the system's paths; tests have one of their
// own.
std::size_t memory_bytes(const std::string& root = {});

// The resident memory of this process in bytes, pages of files included; 0 where the system does
// not tell.
std::size_t resident_bytes();

// Disables core dumps of this process and access to its memory by other programs of its user: for
// processes that hold secrets.
void keep_memory_private();

// Identifies the current boot of the system: the same number for all processes until the next boot,
// and hardly ever again after it. 0 where the system does not say.
std::uint64_t boot_number();

// Tells the service manager that started this process how it is: "READY=1", "STOPPING=1"; the
// protocol is that of sd_notify(3), a datagram to the socket that NOTIFY_SOCKET names. Nothing
// happens where nobody asked for it.
void tell_service_manager(std::string_view state);

}  // namespace evq

#pragma once
// Helpers for calls of the operating system: retrying one that a signal interrupts, and errors that
// name the action, the path and the reason. Any thread.

#include <cerrno>
#include <string>

#include "store/base/error.h"

namespace evq {

// Calls again while a signal interrupts the system call.
template <class Call>
auto retried(Call call) {
  auto answer = call();
  while (answer < 0 && errno == EINTR) {
    answer = call();
  }
  return answer;
}

// "cannot read /a/b: Permission denied". `reason` as in errno; the code is kNotFound, kConflict,
// kDiskFull, kReadOnly, kUnavailable for want of descriptors, or kIo.
Error system_error(const char* action, const std::string& path, int reason);
// The kUnavailable error for a lack of descriptors, with a hint: others may close some soon.
Error no_descriptors(std::string message);
bool is_no_descriptors(int reason);
bool is_no_descriptors(const Error& error);

}  // namespace evq

#pragma once
// What every call of the operating system needs: to be made again when a signal interrupts it, and
// an error that names the action, the path and the reason. Any thread.

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
// For want of descriptors, which others give back: kUnavailable, with what to do.
Error no_descriptors(std::string message);
bool is_no_descriptors(int reason);
bool is_no_descriptors(const Error& error);

}  // namespace evq

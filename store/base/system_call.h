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
// kDiskFull, kReadOnly or kIo.
Error system_error(const char* action, const std::string& path, int reason);

}  // namespace evq

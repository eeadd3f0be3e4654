#include "store/base/process.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <initializer_list>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace evq {

void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));
  }
}

void occupy_standard_descriptors() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(number, F_GETFD) == -1 && errno == EBADF) {
      // The lowest free number is this one; it is open in the direction that nobody uses.
      static_cast<void>(::open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY));
    }
  }
}

std::size_t memory_bytes() {
  std::size_t bytes = static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
                      static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  // Of control groups in their second version and their first; a container sees its own there.
  for (const char* const path :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::size_t limit = 0;
    if (std::ifstream(path) >> limit) {  // "max" is none
      bytes = std::min(bytes, limit);
    }
  }
  return bytes;
}

void keep_memory_private() {
  constexpr rlimit kNone{};
  static_cast<void>(::setrlimit(RLIMIT_CORE, &kNone));
  // The limit does not bind programs that the kernel pipes dumps to; this does.
  static_cast<void>(::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0));
}

}  // namespace evq

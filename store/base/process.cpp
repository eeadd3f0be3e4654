#include "store/base/process.h"

#include <sys/prctl.h>
#include <sys/resource.h>

namespace evq {

void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));
  }
}

void keep_memory_private() {
  constexpr rlimit kNone{};
  static_cast<void>(::setrlimit(RLIMIT_CORE, &kNone));
  // The limit does not bind programs that the kernel pipes dumps to; this does.
  static_cast<void>(::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0));
}

}  // namespace evq

#include "store/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace evq {

void check_failed(const char* expression, const char* file, int line) {
  // Nothing here allocates: the program may be out of memory or in the middle of an allocation.
  static_cast<void>(
      std::fprintf(stderr, "evq: internal error: %s failed at %s:%d\n", expression, file, line));
  static_cast<void>(std::fflush(stderr));
  std::abort();
}

}  // namespace evq

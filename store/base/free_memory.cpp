#include "store/base/free_memory.h"

#include <malloc.h>

namespace evq {

void return_free_memory() {
  malloc_trim(0);
}

}  // namespace evq

#include "store/base/simd_level.h"

namespace evq {

SimdLevel best_simd_level() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512bw") != 0) {
    return SimdLevel::kAvx512;
  }
  if (__builtin_cpu_supports("avx2") != 0) {
    return SimdLevel::kAvx2;
  }
#endif
  return SimdLevel::kPortable;
}

}  // namespace evq

#pragma once
// SimdLevel: which vector instructions of the processor a kernel may use. What has kernels for some
// of them finds the same with each. Pure; any thread.

#include <cstdint>

namespace evq {

enum class SimdLevel : std::uint8_t { kPortable, kAvx2, kAvx512 };  // AVX-512 with BW

// The best level of this processor. It has those below as well.
SimdLevel best_simd_level();

}  // namespace evq

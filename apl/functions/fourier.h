#pragma once
// The discrete Fourier transform of any length: radix 2 where the length is a power of two,
// term by term where it is small, Bluestein's chirp otherwise, so n log n always. Unscaled in both
// directions.

#include <complex>
#include <cstdint>

#include "store/base/scratch.h"

namespace evq {

using ComplexSeries = ScratchVector<std::complex<double>>;

enum class FourierDirection : std::uint8_t { kForward, kInverse };

// Computes X[k] = sum of x[j] e^(-2 pi i j k / n); of the inverse, e^(+…).
ComplexSeries fourier_transform(ComplexSeries input, FourierDirection direction);

}  // namespace evq

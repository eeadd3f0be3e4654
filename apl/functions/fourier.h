#pragma once
// The discrete Fourier transform of any length: radix 2 where the length is a power of two,
// term by term where it is small, Bluestein's chirp otherwise, so n log n always. Unscaled in both
// directions.

#include <complex>
#include <vector>

namespace evq {

using ComplexSeries = std::vector<std::complex<double>>;

// Computes X[k] = sum of x[j] e^(-2 pi i j k / n); with `inverse`, e^(+…).
ComplexSeries fourier_transform(ComplexSeries input, bool inverse);

}  // namespace evq

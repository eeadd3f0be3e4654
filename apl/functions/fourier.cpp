#include "apl/functions/fourier.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include "store/base/allocation_meter.h"

namespace evq {
namespace {

// Lengths up to here are summed term by term unless they are powers of two: no slower than the
// chirp, and nearer to the exact value.
constexpr std::size_t kDirectMax = 64;

using Wide = long double;

// Sines and cosines are taken within an eighth of a turn, so that roots which mirror each other
// agree in every bit and those on the axes are exact.
std::complex<Wide> unit_root(std::uint64_t numerator, std::uint64_t denominator,
                             FourierDirection direction) {
  const std::uint64_t quarters = numerator % denominator * 4;
  const std::uint64_t rest = quarters % denominator;  // of a quarter turn, in denominators
  const bool steep = 2 * rest > denominator;
  const Wide angle = std::numbers::pi_v<Wide> / 2 *
                     static_cast<Wide>(steep ? denominator - rest : rest) /
                     static_cast<Wide>(denominator);
  Wide x = steep ? std::sin(angle) : std::cos(angle);
  Wide y = steep ? std::cos(angle) : std::sin(angle);
  for (std::uint64_t quarter = quarters / denominator; quarter > 0; --quarter) {
    x = std::exchange(y, x) * -1;
  }
  return {x, direction == FourierDirection::kInverse ? y : -y};
}

ComplexSeries transform_direct(const ComplexSeries& input, FourierDirection direction) {
  const std::size_t n = input.size();
  std::vector<std::complex<Wide>> roots(n);
  for (std::size_t k = 0; k < n; ++k) {
    roots[k] = unit_root(k, n, direction);
  }
  ComplexSeries out(n);
  for (std::size_t k = 0; k < n; ++k) {
    std::complex<Wide> sum;
    for (std::size_t j = 0; j < n; ++j) {
      sum += std::complex<Wide>(input[j]) * roots[j * k % n];
    }
    out[k] = std::complex<double>(sum);
  }
  return out;
}

// Cooley and Tukey, in place; the length is a power of two.
void transform_radix2(ComplexSeries* series, FourierDirection direction) {
  ComplexSeries& x = *series;
  const std::size_t n = x.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) {
      j ^= bit;
    }
    j ^= bit;
    if (i < j) {
      std::swap(x[i], x[j]);
    }
  }
  PollCounter poll;
  ComplexSeries roots(n / 2);
  for (std::size_t k = 0; k < roots.size(); ++k) {
    poll.add();
    roots[k] = std::complex<double>(unit_root(k, n, direction));
  }
  for (std::size_t width = 2; width <= n; width *= 2) {
    const std::size_t stride = n / width;
    for (std::size_t begin = 0; begin < n; begin += width) {
      poll.add(width);
      for (std::size_t k = 0; k < width / 2; ++k) {
        const std::complex<double> even = x[begin + k];
        const std::complex<double> odd = x[begin + k + width / 2] * roots[k * stride];
        x[begin + k] = even + odd;
        x[begin + k + width / 2] = even - odd;
      }
    }
  }
}

// Bluestein: jk = (j² + k² - (k - j)²) / 2 turns the transform into a convolution, which a
// transform of twice the length, rounded up to a power of two, computes.
ComplexSeries transform_chirp(const ComplexSeries& input, FourierDirection direction) {
  const std::size_t n = input.size();
  const std::size_t size = std::bit_ceil(2 * n - 1);
  PollCounter poll;
  ComplexSeries chirp(n);
  for (std::size_t k = 0; k < n; ++k) {
    poll.add();
    chirp[k] = std::complex<double>(unit_root(std::uint64_t{k} * k, 2 * n, direction));
  }
  ComplexSeries a(size);
  ComplexSeries b(size);
  for (std::size_t k = 0; k < n; ++k) {
    a[k] = input[k] * chirp[k];
    b[k] = std::conj(chirp[k]);
    if (k != 0) {
      b[size - k] = b[k];
    }
  }
  transform_radix2(&a, FourierDirection::kForward);
  transform_radix2(&b, FourierDirection::kForward);
  for (std::size_t k = 0; k < size; ++k) {
    a[k] *= b[k];
  }
  transform_radix2(&a, FourierDirection::kInverse);
  ComplexSeries out(n);
  for (std::size_t k = 0; k < n; ++k) {
    out[k] = a[k] / static_cast<double>(size) * chirp[k];
  }
  return out;
}

}  // namespace

ComplexSeries fourier_transform(ComplexSeries input, FourierDirection direction) {
  if (input.size() < 2) {
    return input;
  }
  if (!std::has_single_bit(input.size())) {
    return input.size() <= kDirectMax ? transform_direct(input, direction)
                                      : transform_chirp(input, direction);
  }
  transform_radix2(&input, direction);
  return input;
}

}  // namespace evq

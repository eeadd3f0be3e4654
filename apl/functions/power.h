#pragma once
// Powers of doubles as pow() and series_pow() give them. A square, the most frequent of them by
// far, is a product, which is exact to the last bit; that of std::pow() is not always.

#include <cmath>

namespace evq {

inline double power(double base, double exponent) {
  return exponent == 2 ? base * base : std::pow(base, exponent);
}

}  // namespace evq

#pragma once
// Sums that hardly depend on the order of their parts. Integers are summed in 128 bits, which no
// input can overflow, so exactly. Reals are summed as an unevaluated pair of doubles: of n parts
// the error is below n * 2^-105 times the sum of their magnitudes. The answer is rounded to 53
// bits, so it is the same however the rows were split among workers, unless parts cancel that are
// about 2^52 / n times as large as it.

#include <cmath>
#include <cstdint>
#include <optional>

namespace evq {

__extension__ typedef __int128 Int128;

inline std::optional<std::int64_t> narrow(Int128 sum) {
  return sum >= INT64_MIN && sum <= INT64_MAX ? std::optional(static_cast<std::int64_t>(sum))
                                              : std::nullopt;
}

// A product's rounded value and what rounding took from it (Dekker's TwoProduct): together exact.
struct ExactProduct {
  double high;
  double low;
};

inline ExactProduct exact_product(double a, double b) {
  constexpr double kSplitter = 134217729;  // 2^27 + 1 halves a significand of 53 bits
  const double product = a * b;
  const double a_turn = kSplitter * a;
  const double b_turn = kSplitter * b;
  const double a_high = a_turn - (a_turn - a);
  const double b_high = b_turn - (b_turn - b);
  const double a_low = a - a_high;
  const double b_low = b - b_high;
  const double low =
      a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
  return {product, low};
}

struct RealSum {
  double high = 0;
  double low = 0;

  void add(double value) {
    const double sum = high + value;
    const double part = sum - high;
    low += (high - (sum - part)) + (value - part);
    high = sum;
  }
  void add(ExactProduct product) {
    add(product.high);
    low += product.low;
  }
  void add_times(double value, double count) { add(exact_product(value, count)); }
  void add(const RealSum& other) {
    add(other.high);
    low += other.low;
  }
  // Infinities and NaN make the low part meaningless; so do values next to the largest double.
  double value() const {
    const double sum = high + low;
    return std::isfinite(sum) ? sum : high;
  }
};

// products - a * b / count, where the terms may agree in nearly all their digits: what the sums of
// x, y and x * y make of the sum of (x - mean x) * (y - mean y).
inline double co_moment(const RealSum& products, const RealSum& a, const RealSum& b, double count) {
  if (!std::isfinite(products.high)) {
    return std::isfinite(a.high) && std::isfinite(b.high) ? products.high : std::nan("");
  }
  ExactProduct square = exact_product(a.high, b.high);
  square.low += a.high * b.low + a.low * b.high;
  const double quotient = square.high / count;
  const ExactProduct back = exact_product(quotient, count);
  const double rest = ((square.high - back.high) - back.low + square.low) / count;
  RealSum difference = products;
  difference.add(-quotient);
  difference.add(-rest);
  return difference.value();
}

// All of `data`, in four chains that do not wait for each other.
inline RealSum sum_of(const double* data, std::size_t count) {
  RealSum lanes[4];
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) {
      lanes[lane].add(data[i + lane]);
    }
  }
  for (; i < count; ++i) {
    lanes[0].add(data[i]);
  }
  for (std::size_t lane = 1; lane < 4; ++lane) {
    lanes[0].add(lanes[lane]);
  }
  return lanes[0];
}

// At most 2^31 values: the halves are summed apart in 64 bits.
inline Int128 sum_of(const std::int64_t* data, std::size_t count) {
  std::int64_t high = 0;
  std::uint64_t low = 0;
  for (std::size_t i = 0; i < count; ++i) {
    high += data[i] >> 32;
    low += static_cast<std::uint64_t>(data[i]) & 0xFFFFFFFFU;
  }
  return static_cast<Int128>(high) * (Int128{1} << 32) + static_cast<Int128>(low);
}

}  // namespace evq

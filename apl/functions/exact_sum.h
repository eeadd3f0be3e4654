#pragma once
// Sums that do not depend on the order of their parts. Integers are summed in 128 bits, which no
// input can overflow. Reals are summed as an unevaluated pair of doubles (about 106 bits), so that
// rounding stays below the last bit of the answer however the rows were split among workers.

#include <cmath>
#include <cstdint>
#include <optional>

namespace evq {

__extension__ typedef __int128 Int128;

inline std::optional<std::int64_t> narrow(Int128 sum) {
  return sum >= INT64_MIN && sum <= INT64_MAX ? std::optional(static_cast<std::int64_t>(sum))
                                              : std::nullopt;
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
  // The product with a count is kept exactly, as a high and a low part.
  void add_times(double value, double count) {
    const double product = value * count;
    add(product);
    low += std::fma(value, count, -product);
  }
  void add(const RealSum& other) {
    add(other.high);
    low += other.low;
  }
  // Infinities and NaN make the low part meaningless.
  double value() const { return std::isfinite(high) ? high + low : high; }
};

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

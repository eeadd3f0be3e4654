#pragma once
// Exact sums: no order in which values come and no way in which they are shared out among sums that
// are added up shows in a total. Integers are summed in 128 bits, which no input can overflow.
// Reals are summed as an unevaluated pair of doubles, products of reals as four, as long as those
// hold all digits, which they do for values within some fifty powers of two; what they cannot hold
// goes to a WideSum, which has a place for every digit a double may have. A total is rounded once,
// when it is asked for.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace evq {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;

inline std::optional<std::int64_t> narrow(Int128 sum) {
  return sum >= INT64_MIN && sum <= INT64_MAX ? std::optional(static_cast<std::int64_t>(sum))
                                              : std::nullopt;
}

// A double, and what rounding took from it: together an exact value.
struct DoublePair {
  double high = 0;
  double low = 0;
};

// Adds by Knuth's TwoSum. Exact unless the sum overflows.
inline DoublePair exact_sum(double a, double b) {
  const double sum = a + b;
  const double part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

// Multiplies by Dekker's TwoProduct. Exact unless something overflows or the rest is too small for
// a double, where it still depends on the factors alone.
inline DoublePair exact_product(double a, double b) {
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
  return {product, std::isfinite(low) ? low : 0};
}

// A sum of finite doubles in fixed point, after Kulisch: its last bit is the least of all doubles,
// its first is beyond what 2^64 of the largest ones come to.
class WideSum {
 public:
  // Adds a finite value `count` times.
  void add(double value, std::uint64_t count = 1);
  void add(const WideSum& other);
  // Returns the sum rounded to the nearest double, ties to even; infinite beyond the largest.
  double value() const;

 private:
  static constexpr std::size_t kLimbs = 71;

  void add_bits(std::uint64_t significand, std::uint64_t factor, std::size_t shift, bool negative);
  void carry();

  std::array<std::int64_t, kLimbs> limbs_{};  // 32 bits each, and what has not been carried on
  std::uint32_t uncarried_ = 0;
};

// A partial sum for loops without branches. It is of no use once is_exact() is false.
template <std::size_t kParts>
struct SumLane {
  std::array<double, kParts> parts{};  // each what the one before it had no room for
  double lost = 0;                     // not 0: digits are missing; NaN: something was not finite

  void add(double value, std::size_t first = 0) {
    for (std::size_t i = first; i < kParts; ++i) {
      const DoublePair sum = exact_sum(parts[i], value);
      parts[i] = sum.high;
      value = sum.low;
    }
    lost += std::abs(value);
  }
  void add(DoublePair value) {
    add(value.high);
    add(value.low, 1);
  }
  bool is_exact() const { return lost == 0; }
};

template <std::size_t kParts>
class ExactSum {
 public:
  using Lane = SumLane<kParts>;

  void add(double value) {
    Lane sum{parts_, 0};
    sum.add(value);
    take(sum, {value, 0}, 1);
  }
  void add(DoublePair value) {
    Lane sum{parts_, 0};
    sum.add(value);
    take(sum, value, 1);
  }
  // Adds the value `count` times, as exactly as that many calls of add() would.
  void add_times(DoublePair value, std::uint64_t count) {
    if (count == 1) {
      add(value);
    } else {
      add_scaled(value, count);
    }
  }
  void add_times(double value, std::uint64_t count) {
    if (count == 1) {
      add(value);
    } else {
      add_scaled({value, 0}, count);
    }
  }
  // Adds a lane, which must be exact.
  void add(const Lane& lane) {
    for (const double part : lane.parts) {
      add(part);
    }
  }
  void add(const ExactSum& other);

  // Returns the total; infinity or NaN when a value was not finite or the sum is too large.
  double value() const { return digits().high; }
  // Returns the total's first 106 bits: two doubles, the first of which is value().
  DoublePair digits() const;

  // Memory held outside the object itself.
  std::size_t size_bytes() const { return wide_ == nullptr ? 0 : sizeof(WideSum); }

 private:
  // Makes `sum` the parts when it is exact; otherwise adds `value` where it fits.
  void take(const Lane& sum, DoublePair value, std::uint64_t count) {
    if (sum.is_exact()) [[likely]] {
      parts_ = sum.parts;
    } else {
      add_wide(value, count);
    }
  }
  void add_scaled(DoublePair value, std::uint64_t count);
  void add_wide(DoublePair value, std::uint64_t count);

  std::array<double, kParts> parts_{};  // the first is not finite once a value was not
  std::unique_ptr<WideSum> wide_;       // holds what the parts cannot; usually null
};

// Sums of doubles, and of products of doubles, which have twice as many digits and twice the range.
using RealSum = ExactSum<2>;
using ProductSum = ExactSum<4>;

// Returns value / divisor with what rounding took from it: together as exact as two doubles are.
DoublePair quotient_of(DoublePair value, double divisor);

// Returns the sum of (x - mean x) * (y - mean y) from the sums of x (a), of y (b) and of x * y:
// products - a * b / count, whose terms may agree in all their digits. Zero when all values are
// equal, as a single one is; infinite when the products are; NaN when a or b is not finite.
double co_moment(const ProductSum& products, const RealSum& a, const RealSum& b, double count);

// Returns the sum of `count` doubles.
RealSum sum_of(const double* data, std::size_t count);

// Returns the sum of at most 2^31 integers: the halves are summed apart in 64 bits.
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

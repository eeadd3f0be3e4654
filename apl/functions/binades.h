#pragma once
// Binades and WholeSum: exact sums of doubles that lie close together. A double is a whole number
// of 53 bits times a power of two, so those of a dozen neighbouring binades (all doubles of one
// exponent) are whole numbers of 64 bits in units of one power of two, which are added up, and
// their products too, in a few instructions a value.

#include <bit>
#include <cstddef>
#include <cstdint>

#include "apl/functions/exact_sum.h"
#include "store/column/vector.h"

namespace evq {

class Binades {
 public:
  static constexpr std::uint32_t kCount = 12;
  // Bounds of the biased exponents that can be held: products then stay far from the ends of the
  // range of doubles.
  static constexpr std::uint32_t kExponentLeast = 1023 - 400;
  static constexpr std::uint32_t kExponentMost = 1023 + 400;

  // The binades from 1 up to 4096.
  Binades() = default;
  // Returns the kCount neighbouring binades that hold most of the first `rows` reals, zeros aside.
  static Binades of_most(const Vector& reals, std::size_t rows);

  bool holds(double value) const { return exponent_of(value) - least_ < kCount || value == 0; }
  // Returns the absolute value, which holds() is true of, in units of 2 to the power of unit().
  std::uint64_t magnitude(double value) const {
    constexpr std::uint64_t kImplied = std::uint64_t{1} << kStoredBits;
    const std::uint64_t stored = std::bit_cast<std::uint64_t>(value) & (kImplied - 1);
    return value == 0 ? 0 : (stored | kImplied) << (exponent_of(value) - least_);
  }
  int unit() const { return static_cast<int>(least_) - kExponentBias; }

  bool operator==(const Binades&) const = default;

 private:
  static constexpr unsigned kStoredBits = 52;
  // The exponent's bias when the significand of 53 bits is read as a whole number.
  static constexpr int kExponentBias = 1023 + static_cast<int>(kStoredBits);
  static constexpr std::uint32_t kExponentMask = 0x7FF;

  explicit Binades(std::uint32_t least) : least_(least) {}
  static std::uint32_t exponent_of(double value) {
    return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(value) >> kStoredBits) &
           kExponentMask;
  }

  std::uint32_t least_ = 1023;  // biased exponent
};

// A sum in 192 bits, room for 2^63 products of magnitudes.
class WholeSum {
 public:
  void add(Uint128 magnitude, bool negative) {
    if (negative) {
      high_ -= low_ < magnitude ? 1 : 0;
      low_ -= magnitude;
    } else {
      low_ += magnitude;
      high_ += low_ < magnitude ? 1 : 0;
    }
  }
  // Adds the magnitude `times` times; a sum has room for 2^63 of them.
  void add(Uint128 magnitude, bool negative, std::uint64_t times) {
    constexpr unsigned kHalf = 64;
    const Uint128 upper = (magnitude >> kHalf) * times;
    add(static_cast<Uint128>(static_cast<std::uint64_t>(magnitude)) * times, negative);
    add(upper << kHalf, negative);
    const auto carried = static_cast<std::int64_t>(upper >> kHalf);
    high_ += negative ? -carried : carried;
  }
  void add(const WholeSum& other) {
    add(other.low_, false);
    high_ += other.high_;
  }
  // Adds this sum, in units of 2 to the power of `unit`, to `sum`.
  void add_to(ProductSum* sum, int unit) const;

 private:
  Uint128 low_ = 0;
  std::int64_t high_ = 0;
};

// Adds `whole` units of 2 to the power of `unit` to `sum`.
void add_whole(RealSum* sum, Int128 whole, int unit);

}  // namespace evq

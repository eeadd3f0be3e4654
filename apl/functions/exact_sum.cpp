#include "apl/functions/exact_sum.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <functional>
#include <limits>

namespace evq {
namespace {

constexpr std::size_t kLimbBits = 32;
constexpr std::int64_t kLimbMask = 0xFFFFFFFF;
constexpr int kSignificandBits = std::numeric_limits<double>::digits;
// The least double is 2 to the power of -kLastBit.
constexpr int kLastBit = 1074;
// Each addition puts less than 2^32 into a limb of 63 bits.
constexpr std::uint32_t kUncarriedMax = std::uint32_t{1} << 30U;

// Products of a value in between with a count of rows are exact as DoublePairs.
constexpr double kScaledLeast = 0x1p-900;
constexpr double kScaledMost = 0x1p+900;

// A product above the first may overflow when it is multiplied by a count of rows, or as one of two
// sums; the second, twice, makes room for any count and loses no digit of a product so large.
constexpr double kLargeProduct = 0x1p+900;
constexpr double kProductScale = 0x1p-64;

bool scales_exactly(double value) {
  const double size = std::abs(value);
  return value == 0 || (size >= kScaledLeast && size <= kScaledMost);
}

// The 53 bits of a magnitude from its highest on, rounded to nearest, ties to even.
template <class Limbs>
double rounded(const Limbs& limbs, std::size_t top) {
  const auto bit = [&](std::size_t at) {
    return (static_cast<std::uint64_t>(limbs[at / kLimbBits]) >> (at % kLimbBits)) & 1U;
  };
  const std::size_t first =
      top * kLimbBits +
      static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(limbs[top])) - 1);
  const std::size_t last = first < kSignificandBits ? 0 : first - kSignificandBits + 1;
  std::uint64_t significand = 0;
  for (std::size_t at = first + 1; at > last; --at) {
    significand = 2 * significand + bit(at - 1);
  }
  if (last > 0 && bit(last - 1) == 1) {
    bool above_half = false;
    for (std::size_t at = 0; at + 1 < last && !above_half; ++at) {
      above_half = bit(at) == 1;
    }
    significand += above_half ? 1 : significand & 1U;
  }
  return std::ldexp(static_cast<double>(significand), static_cast<int>(last) - kLastBit);
}

// A sum as doubles whose digits do not overlap, after Shewchuk (1997), from the least on.
template <std::size_t kPartsMax>
class Expansion {
 public:
  // At most kPartsMax values.
  void add(double value) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const DoublePair sum = exact_sum(parts_[i], value);
      parts_[kept] = sum.low;
      kept += sum.low != 0 ? std::size_t{1} : 0;
      value = sum.high;
    }
    parts_[kept] = value;
    count_ = kept + (value != 0 ? 1 : 0);
  }

  // Takes off the total, rounded to nearest, ties to even.
  double take_rounded() {
    if (count_ == 0) {
      return 0;
    }
    double total = parts_[--count_];
    double rest = 0;
    while (count_ > 0 && rest == 0) {
      const DoublePair sum = exact_sum(total, parts_[--count_]);
      total = sum.high;
      rest = sum.low;
    }
    if (rest != 0 && count_ > 0 && (parts_[count_ - 1] < 0) == (rest < 0)) {
      // Where the rest is half of the last digit, it went to the even neighbour without regard to
      // what comes behind.
      const DoublePair beyond = exact_sum(total, 2 * rest);
      if (beyond.low == 0) {
        total = beyond.high;
        rest = -rest;
      }
    }
    if (rest != 0) {
      parts_[count_++] = rest;
    }
    return total;
  }

 private:
  std::array<double, kPartsMax> parts_{};
  std::size_t count_ = 0;
};

}  // namespace

void WideSum::add(double value, std::uint64_t count) {
  if (value == 0) {
    return;
  }
  int exponent = 0;
  const double fraction = std::frexp(std::abs(value), &exponent);
  auto significand = static_cast<std::uint64_t>(std::ldexp(fraction, kSignificandBits));
  int shift = exponent - kSignificandBits + kLastBit;
  if (shift < 0) {  // a subnormal number, whose last bits are zeros
    significand >>= static_cast<unsigned>(-shift);
    shift = 0;
  }
  const auto at = static_cast<std::size_t>(shift);
  add_bits(significand, count & static_cast<std::uint64_t>(kLimbMask), at, value < 0);
  if (count >> kLimbBits != 0) {
    add_bits(significand, count >> kLimbBits, at + kLimbBits, value < 0);
  }
}

void WideSum::add_bits(std::uint64_t significand, std::uint64_t factor, std::size_t shift,
                       bool negative) {
  Uint128 bits = (static_cast<Uint128>(significand) * factor) << (shift % kLimbBits);
  for (std::size_t limb = shift / kLimbBits; bits != 0; ++limb, bits >>= kLimbBits) {
    const std::int64_t piece = static_cast<std::int64_t>(bits) & kLimbMask;
    limbs_[limb] += negative ? -piece : piece;
  }
  if (++uncarried_ == kUncarriedMax) {
    carry();
  }
}

void WideSum::carry() {
  std::int64_t carried = 0;
  for (std::size_t i = 0; i + 1 < kLimbs; ++i) {
    const std::int64_t limb = limbs_[i] + carried;
    carried = limb >> kLimbBits;
    limbs_[i] = limb & kLimbMask;
  }
  limbs_[kLimbs - 1] += carried;
  uncarried_ = 0;
}

void WideSum::add(const WideSum& other) {
  WideSum carried = other;
  carried.carry();
  carry();
  for (std::size_t i = 0; i < kLimbs; ++i) {
    limbs_[i] += carried.limbs_[i];
  }
  uncarried_ = 1;
}

double WideSum::value() const {
  WideSum magnitude = *this;
  magnitude.carry();
  const bool negative = magnitude.limbs_[kLimbs - 1] < 0;
  if (negative) {
    std::ranges::transform(magnitude.limbs_, magnitude.limbs_.begin(), std::negate<>());
    magnitude.carry();
  }
  std::size_t top = kLimbs;
  while (top > 0 && magnitude.limbs_[top - 1] == 0) {
    --top;
  }
  if (top == 0) {
    return 0;
  }
  const double size = rounded(magnitude.limbs_, top - 1);
  return negative ? -size : size;
}

template <std::size_t kParts>
void ExactSum<kParts>::add_scaled(DoublePair value, std::uint64_t count) {
  Lane sum{parts_, 0};
  if (scales_exactly(value.high) && scales_exactly(value.low)) {
    sum.add(exact_product(value.high, static_cast<double>(count)));
    sum.add(exact_product(value.low, static_cast<double>(count)));
  } else {
    sum.lost = 1;
  }
  take(sum, value, count);
}

template <std::size_t kParts>
void ExactSum<kParts>::add_wide(DoublePair value, std::uint64_t count) {
  if (!std::isfinite(parts_[0]) || !std::isfinite(value.high)) {
    parts_[0] += value.high;
    return;
  }
  if (wide_ == nullptr) {
    wide_ = std::make_unique<WideSum>();
  }
  wide_->add(value.high, count);
  wide_->add(value.low, count);
}

template <std::size_t kParts>
void ExactSum<kParts>::add(const ExactSum& other) {
  add(other.parts_[0]);
  for (std::size_t i = 1; i < kParts && std::isfinite(other.parts_[0]); ++i) {
    add(other.parts_[i]);
  }
  if (other.wide_ != nullptr) {
    if (wide_ == nullptr) {
      wide_ = std::make_unique<WideSum>();
    }
    wide_->add(*other.wide_);
  }
}

template <std::size_t kParts>
DoublePair ExactSum<kParts>::digits() const {
  if (!std::isfinite(parts_[0])) {
    return {parts_[0], 0};
  }
  if (wide_ == nullptr) {
    Expansion<kParts> expansion;
    for (const double part : parts_) {
      expansion.add(part);
    }
    const double first = expansion.take_rounded();
    if (std::isfinite(first)) {  // nothing overflowed on the way
      return {first, expansion.take_rounded()};
    }
  }
  WideSum all;
  if (wide_ != nullptr) {
    all = *wide_;
  }
  for (const double part : parts_) {
    all.add(part);
  }
  const double first = all.value();
  if (!std::isfinite(first)) {
    return {first, 0};
  }
  all.add(-first);
  return {first, all.value()};
}

template class ExactSum<2>;
template class ExactSum<4>;

DoublePair quotient_of(DoublePair value, double divisor) {
  const double quotient = value.high / divisor;
  const DoublePair back = exact_product(quotient, divisor);
  const double rest = ((value.high - back.high) - back.low + value.low) / divisor;
  return {quotient, std::isfinite(rest) ? rest : 0};
}

namespace {

// co_moment() with two doubles a term: exact enough where the terms do not agree in most digits.
double rough_co_moment(DoublePair product, DoublePair x, DoublePair y, double count) {
  DoublePair square = exact_product(x.high, y.high);
  square.low += x.high * y.low + x.low * y.high;
  const DoublePair mean = quotient_of(square, count);
  ProductSum difference;
  difference.add(product);
  difference.add(-mean.high);
  difference.add(-mean.low);
  return difference.value();
}

// A total's first 212 bits, which nearly always are all.
template <class Sum>
std::array<double, 4> leading_digits(const Sum& sum) {
  Sum rest;
  rest.add(sum);
  const DoublePair first = rest.digits();
  rest.add(-first.high);
  rest.add(-first.low);
  const DoublePair second = rest.digits();
  return {first.high, first.low, second.high, second.low};
}

// count * products - a * b with all digits of both, over the count.
double exact_co_moment(const ProductSum& products, const RealSum& a, const RealSum& b,
                       double count) {
  const std::array<double, 4> totals = leading_digits(products);
  const std::array<double, 4> totals_a = leading_digits(a);
  const std::array<double, 4> totals_b = leading_digits(b);
  const double largest = std::max(std::abs(totals[0]), std::abs(totals_a[0] * totals_b[0]));
  const double scale = largest > kLargeProduct ? kProductScale : 1;
  ProductSum difference;
  for (const double total : totals) {
    difference.add(exact_product(total * scale * scale, count));
  }
  for (const double of_a : totals_a) {
    for (const double of_b : totals_b) {
      difference.add(exact_product(-of_a * scale, of_b * scale));
    }
  }
  const DoublePair moment = quotient_of(difference.digits(), count);
  return (moment.high + moment.low) / scale / scale;
}

}  // namespace

double co_moment(const ProductSum& products, const RealSum& a, const RealSum& b, double count) {
  // Of 106 bits of the terms this leaves more than a double has.
  constexpr double kRoughLeast = 0x1p-40;
  const DoublePair x = a.digits();
  const DoublePair y = b.digits();
  if (!std::isfinite(x.high) || !std::isfinite(y.high)) {
    return std::nan("");
  }
  if (count == 1) {
    return 0;
  }
  const DoublePair product = products.digits();
  if (!std::isfinite(product.high)) {
    return product.high;
  }
  const double rough = rough_co_moment(product, x, y, count);
  return std::isfinite(rough) && std::abs(rough) > std::abs(product.high) * kRoughLeast
             ? rough
             : exact_co_moment(products, a, b, count);
}

// In four chains that do not wait for each other.
RealSum sum_of(const double* data, std::size_t count) {
  constexpr std::size_t kLanes = 4;
  std::array<RealSum::Lane, kLanes> lanes;
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      lanes[lane].add(data[i + lane]);
    }
  }
  RealSum sum;
  if (!std::ranges::all_of(lanes, &RealSum::Lane::is_exact)) {
    i = 0;
  } else {
    for (const RealSum::Lane& lane : lanes) {
      sum.add(lane);
    }
  }
  for (; i < count; ++i) {
    sum.add(data[i]);
  }
  return sum;
}

}  // namespace evq

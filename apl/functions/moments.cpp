// Moments of many values: by exponent where the values lie close together. A double is a whole
// number of 53 bits times a power of two, so values of one exponent, and their squares, are summed
// as whole numbers of 128 bits, which takes a few instructions a value; the sums of the exponents
// then go into the group's exact sums.

#include "apl/functions/moments.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "apl/functions/aggregate_rows.h"
#include "store/base/limits.h"

namespace evq {
namespace {

__extension__ typedef unsigned __int128 Uint128;

constexpr int kSignificandBits = 52;  // stored; one more is implied
constexpr std::uint64_t kSignificandMask = (std::uint64_t{1} << kSignificandBits) - 1;
constexpr std::uint32_t kExponentMask = 0x7FF;
// What a value's whole number is multiplied by is 2 to the power of its exponent less this.
constexpr int kExponentBias = 1075;
// Squares of values in between are far from the ends of what a double can be.
constexpr std::uint32_t kExponentLeast = 1023 - 400;
constexpr std::uint32_t kExponentMost = 1023 + 400;
// Emptying a bin costs as much as adding some values.
constexpr std::size_t kRowsPerBinMin = 4;

std::uint32_t exponent_of(double value) {
  return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(value) >> kSignificandBits) &
         kExponentMask;
}

// The least and the greatest exponent of the values that are not zero.
struct Exponents {
  std::uint32_t least = kExponentMask;
  std::uint32_t greatest = 0;
};

Exponents exponents_of(const Vector& reals, std::size_t rows) {
  Exponents range;
  visit_rows<double>(reals, nullptr, rows, [&](std::size_t, double value) {
    const std::uint32_t exponent = exponent_of(value);
    range.least = std::min(range.least, value != 0 ? exponent : kExponentMask);
    range.greatest = std::max(range.greatest, value != 0 ? exponent : 0);
  });
  return range;
}

// The sums of a group's values of one exponent, in units of that.
struct Bin {
  Int128 sum = 0;
  Uint128 squares = 0;
};
// The square of a value takes this many bits; a chunk of them must not overflow a bin.
constexpr int kSquareBits = 2 * (kSignificandBits + 1);
static_assert((Uint128{kChunkRowsMax} << kSquareBits) >> kSquareBits == kChunkRowsMax);

// Adds magnitude * 2^exponent, in pieces that are doubles without rounding.
template <class Sum>
void add_whole(Sum* sum, Uint128 magnitude, bool negative, int exponent) {
  constexpr int kDoubleBias = 1023;
  for (; magnitude != 0; magnitude >>= kSignificandBits, exponent += kSignificandBits) {
    const auto unit = std::bit_cast<double>(static_cast<std::uint64_t>(kDoubleBias + exponent)
                                            << kSignificandBits);
    const double piece =
        static_cast<double>(static_cast<std::uint64_t>(magnitude) & kSignificandMask) * unit;
    sum->add(negative ? -piece : piece);
  }
}

// The groups of a chunk, side by side, each with a bin for every exponent.
class MomentBins {
 public:
  MomentBins(Exponents range, std::size_t groups)
      : least_(range.least),
        width_(range.greatest - range.least + 1),
        bins_(groups * width_),
        counts_(groups, 0) {}

  void add(std::size_t group, double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const bool zero = value == 0;
    const std::uint64_t implied = kSignificandMask + 1;
    const std::uint64_t whole = zero ? 0 : (bits & kSignificandMask) | implied;
    Bin& bin = bins_[group * width_ + (zero ? 0 : exponent_of(value) - least_)];
    const auto with_sign = static_cast<std::int64_t>(whole);
    bin.sum += value < 0 ? -with_sign : with_sign;
    bin.squares += static_cast<Uint128>(whole) * whole;
    ++counts_[group];
  }

  void add_to(std::size_t group, Moments* moments) const {
    moments->count += counts_[group];
    for (std::size_t i = 0; i < width_; ++i) {
      const Bin& bin = bins_[group * width_ + i];
      const int exponent = static_cast<int>(least_ + i) - kExponentBias;
      const bool negative = bin.sum < 0;
      const auto magnitude = static_cast<Uint128>(negative ? -bin.sum : bin.sum);
      add_whole(&moments->sum, magnitude, negative, exponent);
      add_whole(&moments->squares, bin.squares, false, 2 * exponent);
    }
  }

 private:
  std::uint32_t least_;
  std::size_t width_;
  std::vector<Bin> bins_;  // by group, then by exponent
  std::vector<std::uint32_t> counts_;
};

// False, and nothing added, when exponents or groups are too many.
bool add_in_bins(const Vector& reals, const std::uint32_t* groups, std::size_t rows,
                 std::span<Moments> moments) {
  Exponents range = exponents_of(reals, rows);
  if (range.least > range.greatest) {
    range = {kExponentLeast, kExponentLeast};  // zeros only
  }
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  if (groups != nullptr) {
    const auto [least, greatest] = std::minmax_element(groups, groups + rows);
    first = *least;
    last = *greatest;
  }
  const std::size_t count = last - first + std::size_t{1};
  const std::size_t bins = count * (range.greatest - range.least + std::size_t{1});
  if (range.least < kExponentLeast || range.greatest > kExponentMost ||
      bins * kRowsPerBinMin > rows) {
    return false;
  }
  MomentBins sums(range, count);
  visit_rows<double>(reals, groups, rows, [&sums, first](std::size_t group, double value) {
    sums.add(group - first, value);
  });
  for (std::size_t group = 0; group < count; ++group) {
    sums.add_to(group, &moments[first + group]);
  }
  return true;
}

}  // namespace

void add_moments(const Vector& reals, const std::uint32_t* groups, std::size_t rows,
                 std::span<Moments> moments) {
  const bool counts = counts_by_slot(reals, groups, rows);
  if (!counts && add_in_bins(reals, groups, rows, moments)) {
    return;
  }
  const double* data = reals.values().data<double>();
  visit_counted(reals, groups, rows, [&](std::size_t group, std::size_t slot, std::size_t count) {
    moments[group].add_times(data[slot], count);
  });
}

}  // namespace evq

#include "apl/functions/binades.h"

#include <array>
#include <numeric>

#include "apl/functions/aggregate_rows.h"

namespace evq {
namespace {

// Adds magnitude * 2^exponent in pieces that are doubles without rounding.
template <class Sum>
void add_pieces(Sum* sum, Uint128 magnitude, bool negative, int exponent) {
  constexpr unsigned kPieceBits = 52;
  constexpr std::uint64_t kPieceMask = (std::uint64_t{1} << kPieceBits) - 1;
  constexpr int kDoubleBias = 1023;
  for (; magnitude != 0; magnitude >>= kPieceBits, exponent += static_cast<int>(kPieceBits)) {
    const auto unit =
        std::bit_cast<double>(static_cast<std::uint64_t>(kDoubleBias + exponent) << kPieceBits);
    const double piece =
        static_cast<double>(static_cast<std::uint64_t>(magnitude) & kPieceMask) * unit;
    sum->add(negative ? -piece : piece);
  }
}

}  // namespace

Binades Binades::of_most(const Vector& reals, std::size_t rows) {
  std::array<std::uint32_t, kExponentMask + 1> values{};  // by exponent
  visit_rows<double>(reals, nullptr, rows,
                     [&](std::size_t, double value) { ++values[exponent_of(value)]; });
  Binades most;
  std::size_t most_values = 0;
  for (std::uint32_t least = kExponentLeast; least + kCount <= kExponentMost + 1; ++least) {
    const auto first = values.begin() + least;
    const std::size_t held = std::accumulate(first, first + kCount, std::size_t{0});
    if (held > most_values) {
      most_values = held;
      most = Binades(least);
    }
  }
  return most;
}

void WholeSum::add_to(ProductSum* sum, int unit) const {
  constexpr int kLowBits = 128;
  const bool negative = high_ < 0;
  const Uint128 low = negative ? -low_ : low_;
  const std::int64_t high = negative ? ~high_ + (low == 0 ? 1 : 0) : high_;
  add_pieces(sum, low, negative, unit);
  add_pieces(sum, static_cast<Uint128>(high), negative, unit + kLowBits);
}

void add_whole(RealSum* sum, Int128 whole, int unit) {
  const bool negative = whole < 0;
  add_pieces(sum, static_cast<Uint128>(negative ? -whole : whole), negative, unit);
}

}  // namespace evq

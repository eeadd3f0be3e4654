#pragma once
// Numbers as unsigned integers of the same order: what radix sorts take, and what is compared where
// the type of the numbers is not known.

#include <bit>
#include <cstdint>

namespace evq {

inline constexpr std::uint64_t kOrderedSignBit = std::uint64_t{1} << 63U;

inline std::uint64_t ordered_bits(std::int64_t value) {
  return static_cast<std::uint64_t>(value) ^ kOrderedSignBit;
}
// `value` must not be NaN. -0.0 gives the bits of 0.0.
inline std::uint64_t ordered_bits(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  return (bits & kOrderedSignBit) != 0 ? ~bits : bits | kOrderedSignBit;
}

inline std::int64_t long_of_ordered_bits(std::uint64_t bits) {
  return static_cast<std::int64_t>(bits ^ kOrderedSignBit);
}
inline double real_of_ordered_bits(std::uint64_t bits) {
  return std::bit_cast<double>((bits & kOrderedSignBit) != 0 ? bits ^ kOrderedSignBit : ~bits);
}

}  // namespace evq

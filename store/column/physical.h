#pragma once
// Dispatch over the physical types of slots, and whole validity bitmaps: what the kernels over
// vectors have in common. Pure functions.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "store/column/type.h"

namespace evq {

// Calls `body` with a value of the physical type of `type`, for its type alone; not for kNull.
template <class Body>
void with_physical(Type type, Body body) {
  switch (physical_of(type)) {
    case Physical::kNone:
      return;
    case Physical::kByte:
      return body(std::uint8_t{});
    case Physical::kInt64:
      return body(std::int64_t{});
    case Physical::kDouble:
      return body(double{});
    case Physical::kView:
      return body(std::string_view{});
  }
}

// The number of 64-bit words in a bitmap of `bits` bits.
constexpr std::size_t bitmap_words(std::size_t bits) {
  return (bits + 63) / 64;
}

using Bits = std::vector<std::uint64_t>;

inline std::size_t count_bits(const Bits& bits) {
  std::size_t count = 0;
  for (const std::uint64_t word : bits) {
    count += static_cast<std::size_t>(std::popcount(word));
  }
  return count;
}

inline bool bit_at(const std::uint64_t* bits, std::size_t i) {
  return ((bits[i >> 6] >> (i & 63)) & 1) != 0;
}

// The bits of `count` rows taken from `from`; empty when all of them are set.
template <class SlotOf>
Bits gather_bits(const std::uint64_t* from, std::size_t count, SlotOf slot_of) {
  Bits bits(bitmap_words(count), 0);
  bool all_valid = true;
  for (std::size_t word = 0; word < bits.size(); ++word) {
    const std::size_t begin = word * 64;
    const std::size_t width = std::min<std::size_t>(64, count - begin);
    std::uint64_t value = 0;
    for (std::size_t k = 0; k < width; ++k) {
      value |= std::uint64_t{bit_at(from, slot_of(begin + k))} << k;
    }
    bits[word] = value;
    all_valid = all_valid && value == (~std::uint64_t{0} >> (64 - width));
  }
  if (all_valid) {
    bits.clear();
  }
  return bits;
}

}  // namespace evq

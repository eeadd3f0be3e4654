#include "store/column/validity.h"

#include <algorithm>
#include <cstring>

namespace evq {
namespace {

constexpr std::size_t kWordBits = 64;
constexpr std::size_t kLanes = sizeof(std::uint64_t);
constexpr std::uint64_t kOnes = 0x0101010101010101;

// Of eight bits a byte each, the lowest one's in the lowest byte: 0xff where it is set.
std::uint64_t spread(std::uint64_t bits) {
  constexpr std::uint64_t kOneBitEach = 0x8040201008040201;
  constexpr std::uint64_t kBelowTop = 0x7f7f7f7f7f7f7f7f;
  const std::uint64_t tops = ((bits * kOnes) & kOneBitEach) + kBelowTop;
  return ((tops >> 7U) & kOnes) * 0xff;
}

}  // namespace

// Nulls mostly come all together or not at all.
void set_null_bytes(const std::uint64_t* validity, std::size_t size, std::uint8_t byte,
                    std::uint8_t* bytes) {
  std::size_t i = 0;
  for (; i + kWordBits <= size; i += kWordBits) {
    const std::uint64_t word = validity[i / kWordBits];
    if (word == 0) {
      std::fill_n(bytes + i, kWordBits, byte);
      continue;
    }
    for (std::size_t lane = 0; ~word != 0 && lane < kWordBits; lane += kLanes) {
      const std::uint64_t valid = spread((word >> lane) & 0xff);
      std::uint64_t eight = 0;
      std::memcpy(&eight, bytes + i + lane, kLanes);
      eight = (eight & valid) | (kOnes * byte & ~valid);
      std::memcpy(bytes + i + lane, &eight, kLanes);
    }
  }
  for (; i < size; ++i) {
    bytes[i] = ((validity[i / kWordBits] >> (i % kWordBits)) & 1) != 0 ? bytes[i] : byte;
  }
}

}  // namespace evq

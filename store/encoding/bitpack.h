#pragma once
// Bit packing: `count` unsigned numbers of `width` bits each, one after the other, lowest bit
// first, the last byte filled with zeros. Widths above kPackedWidthMax are stored as 64, so that
// one unaligned 8-byte load always holds a whole number. The kernels are specialised for each width
// and have no branches in their loops. Pure functions.

#include <cstddef>
#include <cstdint>

#include "store/base/bytes.h"

namespace evq {

inline constexpr unsigned kPackedWidthMax = 56;

// Bits needed for `value`, rounded up to 64 beyond kPackedWidthMax.
unsigned packed_width(std::uint64_t value);
constexpr bool is_packed_width(unsigned width) {
  return width <= kPackedWidthMax || width == 64;
}
constexpr std::size_t packed_bytes(std::size_t count, unsigned width) {
  return (count * width + 7) / 8;
}

// Values must fit `width` bits.
void pack_bits(const std::uint64_t* values, std::size_t count, unsigned width, ByteWriter& out);
void pack_bits(const std::uint16_t* values, std::size_t count, unsigned width, ByteWriter& out);

// `in` holds packed_bytes(count, width) bytes; nothing behind them is read. Numbers wider than the
// target lose their high bits.
void unpack_bits(const char* in, std::size_t count, unsigned width, std::uint64_t* out);
void unpack_bits(const char* in, std::size_t count, unsigned width, std::uint16_t* out);
// Number `index` of `count`.
std::uint64_t unpack_one(const char* in, std::size_t count, unsigned width, std::size_t index);

}  // namespace evq

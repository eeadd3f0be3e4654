#pragma once
// IntegerRange: how integers of a column are turned into small unsigned numbers before packing:
// number = (value - least) / divisor, where the divisor is the greatest one common to all
// differences (times in whole microseconds become microseconds).

#include <cstddef>
#include <cstdint>

#include "store/base/bytes.h"

namespace evq {

struct IntegerRange {
  std::int64_t least = 0;
  std::uint64_t divisor = 1;
  std::uint64_t greatest_number = 0;

  std::uint64_t number(std::int64_t value) const {
    return (static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(least)) / divisor;
  }
};

// `size` is above 0.
IntegerRange measure_range(const std::int64_t* values, std::size_t size);
// numbers[i] = range.number(values[i]).
void to_numbers(const IntegerRange& range, const std::int64_t* values, std::size_t size,
                std::uint64_t* numbers);
// The way back: values[i] = numbers[i] * divisor + least, modulo 2^64; the arrays may be the same
// memory.
void to_values(const IntegerRange& range, const std::uint64_t* numbers, std::size_t size,
               std::int64_t* values);

// On disk: zigzag least, varint divisor. Reading checks nothing but that the bytes are there.
void write_range(const IntegerRange& range, ByteWriter& out);
IntegerRange read_range(ByteReader& in);

}  // namespace evq

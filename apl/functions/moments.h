#pragma once
// Moments: what stdev and variance keep of a group, the exact sums of its values and of their
// squares. One thread's.

#include <cstdint>
#include <span>

#include "apl/functions/exact_sum.h"
#include "store/column/vector.h"

namespace evq {

struct Moments {
  std::uint64_t count = 0;
  RealSum sum;
  ProductSum squares;

  void add_times(double value, std::uint64_t times) {
    count += times;
    sum.add_times(value, times);
    squares.add_times(exact_product(value, value), times);
  }
  void merge(const Moments& other) {
    count += other.count;
    sum.add(other.sum);
    squares.add(other.squares);
  }
  std::size_t size_bytes() const { return sum.size_bytes() + squares.size_bytes(); }
};

// Adds the reals among `rows` rows to their groups of `moments`; row i belongs to groups[i], or all
// to the first when `groups` is null. At most kChunkRowsMax rows, at least one.
void add_moments(const Vector& reals, const std::uint32_t* groups, std::size_t rows,
                 std::span<Moments> moments);

}  // namespace evq

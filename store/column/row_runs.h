#pragma once
// Row runs: an order of the rows of several vectors as the runs it consists of, so that a column is
// put in that order by copying runs, once, instead of joining it first and picking row by row then.
// Rows of loads in the order of their times are such runs. Pure functions.

#include <cstdint>
#include <span>
#include <vector>

#include "store/column/vector.h"

namespace evq {

// Rows [begin, begin + count) of one of several parts.
struct RowRun {
  std::uint32_t part = 0;
  std::uint32_t begin = 0;
  std::uint32_t count = 0;
};

// All rows of the parts, one part after the other.
std::vector<RowRun> whole_runs(std::span<const Vector> parts);
// `order` as runs; its numbers count the rows of parts of these sizes, one part after the other.
// Nothing when the runs would be so short that row by row is faster, or there is only one part.
std::vector<RowRun> long_runs(std::span<const std::uint32_t> order,
                              std::span<const std::size_t> part_sizes);

// The rows of `runs`, one run after the other, in flat shape. Parts that are not empty have one
// type.
Vector concatenate(std::span<const Vector> parts, std::span<const RowRun> runs);

}  // namespace evq

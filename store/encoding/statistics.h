#pragma once
// Column statistics from dense values: one pass, cheap enough for every column of every block.
// Pure functions over values the caller owns; nothing fails.

#include <cstddef>

#include "store/encoding/segment.h"

namespace evq {

// Sets the bounds (and has_nan) of `statistics` from `values`, strings cut to `bound_bytes_max`.
void measure_bounds(const DenseValues& values, std::size_t bound_bytes_max,
                    ColumnStatistics* statistics);
// The bytes of one value or the values: text sizes, or machine words.
std::uint64_t raw_bytes_of(const DenseValues& values);

// The least text above every text that starts with `text`, at most as long; nothing when there is
// none (all bytes 0xFF).
bool raise_prefix(std::string* text);

}  // namespace evq

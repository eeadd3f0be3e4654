#pragma once
// Which of the rows that are wanted of a segment have values, and where those lie among its dense
// values. In time of the values where those are few, of the wanted rows otherwise, besides a pass
// over the null section. Pure; any thread.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "store/encoding/encoding.h"
#include "store/encoding/null_section.h"

namespace evq {

// Whether `values` of `rows` are so few that work should be in proportion to them.
bool is_sparse(std::size_t values, std::size_t rows);

struct WantedValues {
  RowSet dense;                      // of the dense values; refers to `list`, or is a range
  std::vector<std::uint32_t> list;   // moving it does not move what `dense` refers to
  std::vector<std::uint64_t> valid;  // one bit a wanted row, 1 = it has a value
};

// Finds the wanted rows with values. `nulls` has nulls and values; `wanted` is within its rows.
WantedValues find_wanted_values(const NullSection& nulls, const RowSet& wanted);

}  // namespace evq

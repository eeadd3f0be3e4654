#pragma once
// Rows of a chunk that come several times each, as joins and mv-expand make of them. Pure; any
// thread.

#include <cstdint>
#include <span>
#include <vector>

#include "store/column/vector.h"

namespace evq {

// Gathers `rows`, which ascend and may repeat, of columns of one chunk. Where they repeat much, the
// values of flat columns become entries of dictionaries: what comes after works entry by entry
// then, and their texts count once.
std::vector<Vector> repeat_rows(std::span<const Vector> columns,
                                std::span<const std::uint32_t> rows);

}  // namespace evq

#pragma once
// pick_rows: one column of rows that are picked from several, as iff(), case() and coalesce() do.
// Pure; any thread.

#include <cstdint>
#include <span>
#include <vector>

#include "store/column/vector.h"

namespace evq {

// The number of a branch.
using Pick = std::uint32_t;

// Row i of the result is row i of branches[picks[i]]. All branches have one type and as many rows
// as there are picks. Where no branch is flat and their entries are few, the result is a
// dictionary.
Vector pick_rows(std::span<const Vector* const> branches, const std::vector<Pick>& picks);

}  // namespace evq

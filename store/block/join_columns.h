#pragma once
// join_columns: one column of several batches or blocks as one column, on its way to an encoder.
// Pure function.

#include <cstddef>
#include <span>

#include "store/column/row_runs.h"
#include "store/column/vector.h"

namespace evq {

// All rows of `parts`, which have one type, one after the other; or those of `runs`, when there are
// any. Where all parts are dictionaries or constants of strings, with at most `entries_max`
// distinct values between them, the result is a dictionary (a constant where all rows are equal):
// so nobody hashes the values row by row to find out again that they repeat. A column of few values
// (is_sparse) is a dictionary of these, which may repeat, where its parts are dictionaries or
// constants: of thousands of such columns a flat one would take most of the time. Otherwise flat.
Vector join_columns(std::span<const Vector> parts, std::size_t entries_max,
                    std::span<const RowRun> runs = {});

}  // namespace evq

#pragma once
// join_columns: one column of several batches or blocks as one column, on its way to an encoder.
// Pure function.

#include <cstddef>
#include <span>

#include "store/column/row_runs.h"
#include "store/column/vector.h"

namespace evq {

// Joins all rows of `parts`, which have one type, or the rows of `runs`, when there are any. When
// all parts are dictionaries or constants of strings, with at most `entries_max` distinct values
// between them, the result is a dictionary (a constant when all rows are equal), so that nobody has
// to hash the values row by row again. A column of few values (is_sparse) becomes a dictionary of
// these, which may repeat, when its parts are dictionaries or constants: flat vectors would take
// most of the time for thousands of such columns. Otherwise the result is flat.
Vector join_columns(std::span<const Vector> parts, std::size_t entries_max,
                    std::span<const RowRun> runs = {});

}  // namespace evq

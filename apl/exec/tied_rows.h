#pragma once
// Settles ties of aggregates that choose a row for each group: where the compared values are equal,
// the rows' fields are read, and the row with the largest ones is taken, the first field first.

#include <span>

#include "apl/exec/executor.h"
#include "apl/functions/row_choice.h"
#include "apl/plan/row_cells.h"

namespace evq {

// Settles all ties in `parts`, which hold different groups of one aggregate.
Status choose_tied_rows(Executor& executor, const plan::RowCells& cells,
                        std::span<RowChoice* const> parts);

}  // namespace evq

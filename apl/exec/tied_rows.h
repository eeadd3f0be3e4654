#pragma once
// Rows that an aggregate could not choose among by their values: their fields are read, and for
// each group the row with the largest ones is taken, the first field first.

#include <span>

#include "apl/exec/executor.h"
#include "apl/functions/row_choice.h"
#include "apl/plan/row_cells.h"

namespace evq {

// `parts` hold different groups of one aggregate; afterwards none of them has ties.
Status choose_tied_rows(Executor& executor, const plan::RowCells& cells,
                        std::span<RowChoice* const> parts);

}  // namespace evq

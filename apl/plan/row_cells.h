#pragma once
// RowCells: what tells the rows apart among which an aggregate chooses, when it knows only their
// places in a table (apl/functions/row_choice.h). Part of a plan: immutable, shared by its copies.

#include <vector>

#include "apl/plan/plan.h"

namespace evq::plan {

struct RowCells {
  Fetch fetch;                 // reads its columns for rows whose places are column 0
  std::vector<ExprPtr> cells;  // over the fetched columns; the largest win, the first cell first
};

}  // namespace evq::plan

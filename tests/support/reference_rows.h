#pragma once
// The slow twin's nodes that need no expressions: rows in, rows out, by the plainest means. They
// keep nothing and trust the plan; what a query refuses was refused before.

#include <functional>
#include <vector>

#include "apl/plan/plan.h"
#include "tests/support/reference.h"

namespace evq {

std::vector<ReferenceRow> reference_sequence(const plan::Sequence& sequence);
// mv-expand of one row, whose parts go to `push` one by one until that fails.
Status reference_unnest(const plan::Unnest& unnest, const ReferenceRow& row,
                        const std::function<Status(ReferenceRow)>& push);
// The rows with a column for each call.
std::vector<ReferenceRow> reference_window(const plan::Window& window,
                                           std::vector<ReferenceRow> rows);
// make-series over the rows of its Aggregate; kLimit for one of too many steps, which the rows
// tell.
Result<std::vector<ReferenceRow>> reference_series(const plan::Series& series,
                                                   const std::vector<ReferenceRow>& rows);

}  // namespace evq

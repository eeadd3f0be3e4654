#pragma once
// Where a page begins: the filter that a cursor stands for, put upon a table as it is scanned, and
// plans without it. Part of binding; it has no failures of its own.

#include <map>
#include <memory>

#include "apl/plan/binder.h"

namespace evq::plan {

// Filters `input`, the rows of a table, to those beyond the cursor's row: by time, and by location
// among rows of its time. `bounds` are where the table has that row.
Result<Relation> after_cursor(Binder& binder, const CursorBound& cursor,
                              const LocationBounds& bounds, Relation input);

// Returns the plan of the whole answer for that of a page; `plan` itself where both are the same.
// `known` keeps what was made before, so that shared nodes stay shared.
using WholePlans = std::map<std::shared_ptr<const Node>, std::shared_ptr<const Node>>;
std::shared_ptr<const Node> whole_plan(const std::shared_ptr<const Node>& plan, WholePlans* known);

}  // namespace evq::plan

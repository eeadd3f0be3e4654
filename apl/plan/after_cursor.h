#pragma once
// Where a page begins: the filter that a cursor stands for, put upon a table as it is scanned, and
// plans without it. Part of binding; it has no failures of its own.

#include <map>
#include <memory>

#include "apl/plan/binder.h"

namespace evq::plan {

// The rows of `input`, a table's, that lie beyond the cursor's row: by time, and by location among
// rows of its time. `bounds` are where the table has that row.
Result<Relation> after_cursor(Binder& binder, const CursorBound& cursor,
                              const LocationBounds& bounds, Relation input);

// `plan` as it would be if the request were for the whole answer; `plan` itself where that is the
// same. `known` holds what has been asked for before, so that what is shared stays so.
using WholePlans = std::map<std::shared_ptr<const Node>, std::shared_ptr<const Node>>;
std::shared_ptr<const Node> whole_plan(const std::shared_ptr<const Node>& plan, WholePlans* known);

}  // namespace evq::plan

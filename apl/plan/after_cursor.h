#pragma once
// Where a page begins: the filter that a cursor stands for, put upon a table as it is scanned. Part
// of binding; it has no failures of its own.

#include "apl/plan/binder.h"

namespace evq::plan {

// The rows of `input`, a table's, that lie beyond the cursor's row: by time, and by location among
// rows of its time. `bounds` are where the table has that row.
Result<Relation> after_cursor(Binder& binder, const CursorBound& cursor,
                              const LocationBounds& bounds, Relation input);

}  // namespace evq::plan

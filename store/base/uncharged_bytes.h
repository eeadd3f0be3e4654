#pragma once
// What a thread of a query may hold before the query's memory is charged for it, so that common
// work costs no reservation. All threads of a machine together should hold little uncharged, and a
// small limit should mean what it says.

#include <cstddef>

#include "store/base/memory_budget.h"

namespace evq {

// Of the `most` bytes a thread that are meant for two processors: a share where there are more of
// them, and not much more than a sixteenth of the budget's limit. Any thread; `budget` may be null.
std::size_t uncharged_bytes(std::size_t most, const MemoryBudget* budget);

}  // namespace evq

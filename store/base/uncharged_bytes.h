#pragma once
// The bytes that a thread of a query may hold before they are charged to the query's budget, so
// that common work costs no reservation. All threads of a machine together should hold little
// uncharged, and a small limit should mean what it says.

#include <cstddef>

#include "store/base/memory_budget.h"

namespace evq {

// The bytes that one thread may hold uncharged: `most` with two processors, a share of that with
// more, and at most about a sixteenth of the budget's limit. Any thread; `budget` may be null.
std::size_t uncharged_bytes(std::size_t most, const MemoryBudget* budget);

}  // namespace evq

#pragma once
// The slow twin: interprets an unoptimised plan row by row with Values, one row at a time through
// each function. No chunks, no dictionaries, no pruning, no pushdown, no threads. It exists to
// disagree with the engine when the engine is wrong and MUST NEVER SHIP: it is linked into test
// programs only.

#include <string>
#include <vector>

#include "apl/plan/bind.h"
#include "store/store.h"

namespace evq {

using ReferenceRow = std::vector<Value>;

struct ReferenceResult {
  Schema schema;
  std::vector<ReferenceRow> rows;
};

// Answers `apl` over `store`. kUnsupported when the plan has a node the twin does not know, and
// when its rows would take more time or memory than going row by row is worth.
Result<ReferenceResult> reference_answer(Store& store, const std::string& apl, std::int64_t now_ns);

}  // namespace evq

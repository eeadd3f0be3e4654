#pragma once
// Expands the arrays and bags of one chunk into rows of their own. Shared by mv-expand, which does
// it to a stream, and mv-apply, which does it to one row at a time.

#include <vector>

#include "apl/plan/plan.h"
#include "store/column/chunk.h"

namespace evq {

// Output chunks keep the sequence of `chunk`, hold at most kChunkRowsMax rows, and are cut between
// input rows wherever one row's elements fit. Empty when nothing came out.
std::vector<Chunk> unnest_chunk(const plan::Unnest& unnest, const Chunk& chunk);

}  // namespace evq

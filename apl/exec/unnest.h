#pragma once
// Expands the arrays and bags of one chunk into rows of their own. Shared by mv-expand, which does
// it to a stream, and mv-apply, which does it to one row at a time.

#include <cstdint>
#include <functional>

#include "apl/exec/operator.h"
#include "apl/plan/plan.h"
#include "store/column/chunk.h"

namespace evq {

// Expands `chunk` and gives each output chunk to `push` as soon as it is full, so that one row's
// long array never stands in memory twice; stops when `push` wants no more. `first_place` is the
// place of the chunk's first row in the stream, for a column of rows' places. Output chunks keep
// the sequence of `chunk`, hold at most kChunkRowsMax rows and hardly more than kCallTextBytesMax
// of pairs made of bags, and are cut between input rows wherever one row's elements fit.
Result<Flow> unnest_chunk(const plan::Unnest& unnest, const Chunk& chunk, std::uint64_t first_place,
                          const std::function<Result<Flow>(Chunk)>& push);

}  // namespace evq

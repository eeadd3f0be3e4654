#pragma once
// For operators that look at all of their input at once: the chunks of a stream as one long run of
// flat columns, and back. The long one is not for sinks, which take kChunkRowsMax rows at most.

#include <span>
#include <vector>

#include "store/column/chunk.h"
#include "store/column/schema.h"

namespace evq {

// Columns of `schema`'s types even without a row.
Chunk join_chunks(std::span<const Chunk> chunks, const Schema& schema);
std::vector<Chunk> cut_chunks(const Chunk& rows);

}  // namespace evq

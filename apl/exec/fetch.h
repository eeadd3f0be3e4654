#pragma once
// Reads fields of rows that are known by their places, outside of a Fetch node's stream. What is
// read is the caller's to charge; one thread, which lets all workers read.

#include "apl/exec/executor.h"

namespace evq {

// The columns of `fetch` for the rows of `places`, at most kChunkRowsMax, in their order; nulls
// where a place is null. All workers read. kLimit when they do not fit the query's memory.
Result<Chunk> fetch_rows(Executor& executor, const plan::Fetch& fetch, const Chunk& places);

}  // namespace evq

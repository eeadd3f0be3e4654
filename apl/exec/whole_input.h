#pragma once
// For operators that look at all of their input at once: the chunks of a stream as one long run of
// flat columns, and back. The long one is not for sinks, which take kChunkRowsMax rows at most.

#include <span>
#include <string_view>
#include <vector>

#include "apl/exec/executor.h"
#include "store/column/chunk.h"
#include "store/column/schema.h"

namespace evq {

// Columns of `schema`'s types even without a row.
Chunk join_chunks(std::span<const Chunk> chunks, const Schema& schema);
std::vector<Chunk> cut_chunks(const Chunk& rows);

struct WholeInput {
  Chunk rows;
  MemoryLease lease;  // holds the bytes of `rows`; for the operator to grow with its output
};
// The output of `node` as one run. kLimit, naming the operator (a literal), when it does not fit
// the query's memory.
Result<WholeInput> collect_whole(Executor& executor, const plan::Node& node,
                                 std::string_view operator_name);

}  // namespace evq

#pragma once
// For operators that look at all of their input at once: the chunks of a stream as one long run of
// flat columns, and back. The long one is not for sinks, which take kChunkRowsMax rows at most.

#include <span>
#include <string_view>

#include "apl/exec/executor.h"
#include "store/column/chunk.h"
#include "store/column/schema.h"

namespace evq {

struct WholeInput {
  Chunk rows;
  MemoryLease lease;  // holds the bytes of `rows`; for the operator to grow with its output
};
// Runs `node` and joins its output to one chunk, with columns of the schema's types even without a
// row. kLimit, naming the operator (a literal), when it does not fit the query's memory or has more
// rows than can be numbered (numbered_rows.h).
Result<WholeInput> collect_whole(Executor& executor, const plan::Node& node,
                                 std::string_view operator_name);
// Joins chunks that are collected already, as collect_whole() does.
Result<WholeInput> join_collected(Executor& executor, Collected collected, const Schema& schema,
                                  std::string_view operator_name);
std::size_t count_rows(std::span<const Chunk> chunks);
// Bytes of rows that were joined from parts of `parts_bytes` in all, whose texts they share: those
// of a dictionary count once.
std::size_t joined_bytes(const Chunk& rows, std::size_t parts_bytes);
// Pushes `rows` to `consumer` in chunks of kChunkRowsMax rows at most.
Status push_whole(Executor& executor, const Chunk& rows, std::string_view operator_name,
                  Consumer& consumer);

}  // namespace evq

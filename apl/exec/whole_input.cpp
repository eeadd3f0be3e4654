#include "apl/exec/whole_input.h"

#include <algorithm>
#include <utility>

#include "store/base/limits.h"
#include "store/column/vector_builder.h"

namespace evq {

Chunk join_chunks(std::span<const Chunk> chunks, const Schema& schema) {
  std::vector<Vector> columns;
  std::size_t rows = 0;
  for (const Chunk& chunk : chunks) {
    rows += chunk.rows();
  }
  for (std::size_t i = 0; i < schema.size(); ++i) {
    std::vector<Vector> parts;
    for (const Chunk& chunk : chunks) {
      parts.push_back(chunk.column(i));
    }
    columns.push_back(parts.empty() ? VectorBuilder(schema[i].type).finish() : concatenate(parts));
  }
  return Chunk(std::move(columns), rows);
}

Result<WholeInput> collect_whole(Executor& executor, const plan::Node& node,
                                 std::string_view operator_name) {
  EVQ_TRY_ASSIGN(Collected collected, executor.collect(node, operator_name));
  // For a moment the rows exist twice.
  const std::size_t bytes = collected.lease.bytes();
  EVQ_TRY(collected.lease.grow(bytes));
  WholeInput whole{join_chunks(collected.chunks, node.schema), std::move(collected.lease)};
  collected.chunks.clear();
  EVQ_TRY(whole.lease.resize(whole.rows.size_bytes()));
  return whole;
}

std::vector<Chunk> cut_chunks(const Chunk& rows) {
  std::vector<Chunk> chunks;
  for (std::size_t begin = 0; begin < rows.rows(); begin += kChunkRowsMax) {
    chunks.push_back(rows.slice(begin, std::min(kChunkRowsMax, rows.rows() - begin)));
    chunks.back().set_sequence(chunks.size() - 1);
  }
  return chunks;
}

}  // namespace evq

#include "apl/exec/whole_input.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "apl/exec/numbered_rows.h"
#include "store/base/allocation_meter.h"
#include "store/base/limits.h"
#include "store/column/vector_builder.h"

namespace evq {
namespace {

Chunk no_rows(const Schema& schema) {
  std::vector<Vector> columns;
  for (std::size_t i = 0; i < schema.size(); ++i) {
    columns.push_back(VectorBuilder(schema[i].type).finish());
  }
  return {std::move(columns), 0};
}

}  // namespace

std::size_t count_rows(std::span<const Chunk> chunks) {
  return std::accumulate(chunks.begin(), chunks.end(), std::size_t{0},
                         [](std::size_t rows, const Chunk& chunk) { return rows + chunk.rows(); });
}

std::size_t joined_bytes(const Chunk& rows, std::size_t parts_bytes) {
  std::size_t bytes = parts_bytes;
  for (const Vector& column : rows.columns()) {
    bytes += column.values().size_bytes();
  }
  return std::min(bytes, rows.size_bytes());
}

Result<WholeInput> join_collected(Executor& executor, Collected collected, const Schema& schema,
                                  std::string_view operator_name) {
  WholeInput whole{{}, MemoryLease(executor.options().budget, operator_name)};
  const std::size_t bytes = collected.lease.bytes();
  if (!can_number(count_rows(collected.chunks))) {
    return too_many_rows(operator_name);
  }
  {
    // For a moment the rows exist twice.
    AllocationMeter meter = executor.meter(operator_name);
    EVQ_TRY(meter.guard([&] {
      whole.rows = collected.chunks.empty() ? no_rows(schema) : concatenate(collected.chunks);
    }));
    collected.chunks.clear();
  }
  // Never given back meanwhile: another query might take it.
  whole.lease.take(&collected.lease);
  EVQ_TRY(whole.lease.resize(joined_bytes(whole.rows, bytes)));
  return whole;
}

Result<WholeInput> collect_whole(Executor& executor, const plan::Node& node,
                                 std::string_view operator_name) {
  EVQ_TRY_ASSIGN(Collected collected, executor.collect(node, operator_name));
  return join_collected(executor, std::move(collected), node.schema, operator_name);
}

Status push_whole(Executor& executor, const Chunk& rows, std::string_view operator_name,
                  Consumer& consumer) {
  const std::size_t at_once = executor.options().rows_at_once.value_or(kChunkRowsMax);
  const auto make = [&](std::size_t i) {
    const std::size_t begin = i * at_once;
    return rows.slice(begin, std::min(at_once, rows.rows() - begin));
  };
  const std::size_t chunks = (rows.rows() + at_once - 1) / at_once;
  return executor.push_chunks(chunks, make, operator_name, consumer);
}

}  // namespace evq

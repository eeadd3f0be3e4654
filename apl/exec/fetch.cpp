// Late materialisation: after a TopN has chosen its rows by the columns it sorts by, the other
// columns are read for those rows only, block by block.

#include <algorithm>
#include <atomic>
#include <map>
#include <utility>

#include "apl/exec/executor.h"
#include "apl/exec/row_operators.h"
#include "store/block/block_reader.h"
#include "store/column/vector_builder.h"

namespace evq {
namespace {

constexpr std::int64_t kRowMask = (1 << kLocationRowBits) - 1;

// Row of the chunk, row of the block; ascending by the latter.
using BlockPositions = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

std::map<std::size_t, BlockPositions> rows_by_block(const Vector& locations) {
  std::map<std::size_t, BlockPositions> blocks;
  for (std::size_t i = 0; i < locations.size(); ++i) {
    const auto location = locations.at<std::int64_t>(i);
    blocks[static_cast<std::size_t>(location >> kLocationRowBits)].emplace_back(
        static_cast<std::uint32_t>(location & kRowMask), static_cast<std::uint32_t>(i));
  }
  for (auto& [block, rows] : blocks) {
    std::ranges::sort(rows);
  }
  return blocks;
}

// One column of the fetched rows of one block, in the order of `rows`.
Result<Vector> read_rows(StoredBlock& block, const plan::ScanColumn& wanted,
                         std::span<const std::uint32_t> rows) {
  EVQ_TRY_ASSIGN(const Vector values, block.column_rows(wanted.field, rows));
  return values.type() == wanted.type ? values : values.widen(wanted.type);
}

// The rows to fetch of one block, and what was read.
struct FetchedBlock {
  std::size_t block = 0;
  std::vector<std::uint32_t> rows;
  std::vector<Vector> columns;
};

Status fetch_block(Executor& executor, const plan::Fetch& fetch, const Snapshot& snapshot,
                   FetchedBlock* wanted) {
  EVQ_TRY(executor.check());
  EVQ_TRY_ASSIGN(StoredBlock block, snapshot.open(snapshot.blocks()[wanted->block]));
  for (const plan::ScanColumn& column : fetch.columns) {
    EVQ_TRY_ASSIGN(Vector values, read_rows(block, column, wanted->rows));
    wanted->columns.push_back(std::move(values));
  }
  return Status::success();
}

// Every worker takes block after block.
Status fetch_blocks(Executor& executor, const plan::Fetch& fetch, const Snapshot& snapshot,
                    std::vector<FetchedBlock>* blocks) {
  const std::size_t workers = std::min(executor.options().workers, blocks->size());
  std::vector<Status> outcomes(workers);
  std::atomic<std::size_t> next = 0;
  const auto work = [&](std::size_t worker) {
    for (std::size_t i = next++; i < blocks->size() && outcomes[worker].ok(); i = next++) {
      outcomes[worker] = fetch_block(executor, fetch, snapshot, &(*blocks)[i]);
    }
  };
  executor.run_workers(workers, work);
  for (Status& outcome : outcomes) {
    EVQ_TRY(std::move(outcome));
  }
  return Status::success();
}

Status fetch_chunk(Executor& executor, const plan::Fetch& fetch, Chunk* chunk) {
  EVQ_TRY_ASSIGN(const Snapshot* snapshot, executor.tables().snapshot(fetch.table));
  std::vector<FetchedBlock> blocks;
  std::vector<std::uint32_t> position(chunk->rows());  // where a chunk row is in the parts
  std::uint32_t done = 0;
  for (const auto& [index, rows] : rows_by_block(chunk->column(fetch.row_column))) {
    FetchedBlock& wanted = blocks.emplace_back();
    wanted.block = index;
    for (const auto& [block_row, chunk_row] : rows) {
      wanted.rows.push_back(block_row);
      position[chunk_row] = done++;
    }
  }
  EVQ_TRY(fetch_blocks(executor, fetch, *snapshot, &blocks));
  for (std::size_t i = 0; i < fetch.columns.size(); ++i) {
    std::vector<Vector> parts;
    parts.reserve(blocks.size());
    for (FetchedBlock& block : blocks) {
      parts.push_back(std::move(block.columns[i]));
    }
    chunk->columns().push_back(concatenate(parts).gather(position));
  }
  return Status::success();
}

}  // namespace

Status run_fetch(Executor& executor, const plan::Node& node, Consumer& consumer) {
  const auto& fetch = std::get<plan::Fetch>(node.op);
  MapConsumer fetched(
      [&](Chunk chunk) -> Result<Chunk> {
        if (!chunk.empty()) {
          EVQ_TRY(fetch_chunk(executor, fetch, &chunk));
        }
        return chunk;
      },
      {}, consumer);
  return executor.run(*node.inputs[0], fetched);
}

}  // namespace evq

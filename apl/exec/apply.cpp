// partition and mv-apply: the subplan runs once for each group of rows, or for the expanded rows
// of each row, in order of first appearance.

#include <algorithm>
#include <span>
#include <utility>

#include "apl/exec/executor.h"
#include "apl/exec/row_groups.h"
#include "apl/exec/unnest.h"
#include "apl/exec/whole_input.h"
#include "store/base/allocation_meter.h"
#include "store/base/limits.h"

namespace evq {
namespace {

using Groups = std::vector<std::vector<std::uint32_t>>;

// The rows of each group, in order of first occurrence.
Groups group_rows(const Chunk& input, const std::vector<std::size_t>& keys, std::uint64_t seed) {
  RowGroups numbers(input, keys, seed);
  Groups groups;
  for (std::size_t row = 0; row < input.rows(); ++row) {
    const std::size_t group = numbers.group_of(row);
    groups.resize(numbers.size());
    groups[group].push_back(static_cast<std::uint32_t>(row));
  }
  return groups;
}

std::vector<Chunk> gather_chunks(const Chunk& input, std::span<const std::uint32_t> rows) {
  std::vector<Chunk> chunks;
  for (std::size_t begin = 0; begin < rows.size(); begin += kChunkRowsMax) {
    chunks.push_back(input);
    chunks.back().select(rows.subspan(begin, std::min(kChunkRowsMax, rows.size() - begin)));
    chunks.back().set_sequence(chunks.size() - 1);
  }
  return chunks;
}

class ApplyRun {
 public:
  ApplyRun(Executor& executor, const plan::Apply& apply)
      : executor_(executor),
        apply_(apply),
        lease_(executor.options().budget, name(apply)),
        expanded_(executor.options().budget, name(apply)) {}

  static std::string_view name(const plan::Apply& apply) {
    return apply.per_row ? "mv-apply" : "partition";
  }

  // Runs the subplan over `rows`; its output gets the passed columns of `input`'s row in front.
  Status run(const std::vector<Chunk>& rows, const Chunk& input, std::size_t row) {
    EVQ_TRY(executor_.check());
    executor_.set_placeholder(apply_.id, &rows);
    auto made = executor_.collect(*apply_.subplan, name(apply_));
    executor_.set_placeholder(apply_.id, nullptr);
    if (!made.ok()) {
      return std::move(made).take_error();
    }
    for (Chunk& chunk : made.value().chunks) {
      const std::vector<std::uint32_t> repeated(chunk.rows(), static_cast<std::uint32_t>(row));
      std::vector<Vector> columns;
      for (const std::size_t column : apply_.passed) {
        columns.push_back(input.column(column).gather(repeated));
      }
      for (Vector& column : chunk.columns()) {
        columns.push_back(std::move(column));
      }
      output_.emplace_back(std::move(columns), chunk.rows());
      EVQ_TRY(lease_.grow(output_.back().size_bytes()));
    }
    return Status::success();
  }

  // The rows that one row's arrays make, which the subplan then reads; charged until the next row.
  Result<std::vector<Chunk>> expand(const Chunk& row) {
    std::vector<Chunk> rows;
    EVQ_TRY(expanded_.resize(0));
    EVQ_TRY_ASSIGN(const Flow flow,
                   unnest_chunk(*apply_.unnest, row, [&](Chunk part) -> Result<Flow> {
                     EVQ_TRY(expanded_.grow(part.size_bytes()));
                     rows.push_back(std::move(part));
                     return Flow::kMore;
                   }));
    EVQ_CHECK(flow == Flow::kMore);
    return rows;
  }

  std::vector<Chunk> take() { return std::move(output_); }

 private:
  Executor& executor_;
  const plan::Apply& apply_;
  MemoryLease lease_;
  MemoryLease expanded_;
  std::vector<Chunk> output_;
};

}  // namespace

Status run_apply(Executor& executor, const plan::Node& node, Consumer& consumer) {
  const auto& apply = std::get<plan::Apply>(node.op);
  ApplyRun run(executor, apply);
  if (apply.per_row) {
    EVQ_TRY_ASSIGN(const Collected input, executor.collect(*node.inputs[0], "mv-apply"));
    for (const Chunk& chunk : input.chunks) {
      for (std::size_t row = 0; row < chunk.rows(); ++row) {
        EVQ_TRY_ASSIGN(const std::vector<Chunk> rows, run.expand(chunk.slice(row, 1)));
        EVQ_TRY(run.run(rows, chunk, row));
      }
    }
    return push_all(run.take(), consumer);
  }
  EVQ_TRY_ASSIGN(WholeInput whole, collect_whole(executor, *node.inputs[0], "partition"));
  const Chunk& input = whole.rows;
  EVQ_TRY(whole.lease.grow(input.rows() * sizeof(std::uint32_t)));
  const Groups groups = group_rows(input, apply.keys, executor.context().random_seed);
  EVQ_TRY(whole.lease.grow(groups.size() * RowGroups::kGroupBytes));
  for (const std::vector<std::uint32_t>& group : groups) {
    AllocationMeter meter(executor.options().budget, executor.options().control, "partition");
    std::vector<Chunk> rows;
    EVQ_TRY(meter.guard([&] { rows = gather_chunks(input, group); }));
    EVQ_TRY(run.run(rows, input, group[0]));
  }
  return push_all(run.take(), consumer);
}

}  // namespace evq

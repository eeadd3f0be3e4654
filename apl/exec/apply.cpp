// partition and mv-apply: the subplan runs once for each group of rows, in the order of their keys,
// or for the expanded rows of each row.

#include <algorithm>
#include <span>
#include <utility>

#include "apl/exec/executor.h"
#include "apl/exec/row_groups.h"
#include "apl/exec/unnest.h"
#include "apl/exec/whole_input.h"
#include "apl/functions/aggregate_rows.h"
#include "store/base/allocation_meter.h"
#include "store/base/limits.h"
#include "store/column/ordering.h"
#include "store/column/vector_builder.h"

namespace evq {
namespace {

// Columns of the output kept as single runs made them: each takes some KiB, however short it is.
constexpr std::size_t kHeldColumnsMax = 4096;
constexpr std::size_t kCopiedRunBytesMax = 1024;

using Groups = std::vector<std::vector<std::uint32_t>>;

// The rows of each group, as they come. Groups come as a sort by the keys would put them.
Groups group_rows(const Chunk& input, const std::vector<std::size_t>& keys, std::uint64_t seed) {
  RowGroups numbers(input, keys, seed);
  Groups groups;
  for (std::size_t row = 0; row < input.rows(); ++row) {
    const std::size_t group = numbers.group_of(row);
    groups.resize(numbers.size());
    groups[group].push_back(static_cast<std::uint32_t>(row));
  }
  PollCounter poll;
  std::ranges::sort(groups, [&](const auto& a, const auto& b) {
    poll.add();
    for (const std::size_t key : keys) {
      const Vector& column = input.column(key);
      if (const int order = compare_rows(column, a[0], column, b[0], {}); order != 0) {
        return order < 0;
      }
    }
    return a[0] < b[0];
  });
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

// All rows of `parts`. What repeats in them goes on as entries of a dictionary.
Vector join_parts(std::span<const Vector> parts) {
  if (std::ranges::any_of(parts, &Vector::is_flat)) {
    return concatenate(parts);
  }
  std::vector<RowPlace> places;
  for (std::uint32_t part = 0; part < parts.size(); ++part) {
    for (std::uint32_t row = 0; row < parts[part].size(); ++row) {
      places.push_back({part, row});
    }
  }
  return interleave(parts, places);
}

// The same, but short texts are copied: each run's would keep an arena of its own.
Vector join_column(Type type, std::span<const Vector> parts) {
  std::size_t bytes = 0;
  for (const Vector& part : parts) {
    bytes += part.size() * sizeof(std::string_view) + row_text_bytes(part, part.size());
  }
  if ((type != Type::kString && type != Type::kDynamic) ||
      bytes > parts.size() * kCopiedRunBytesMax) {
    return join_parts(parts);
  }
  VectorBuilder joined(type);
  for (const Vector& part : parts) {
    for (std::size_t row = 0; row < part.size(); ++row) {
      joined.append_row(part, row);
    }
  }
  return joined.finish();
}

class ApplyRun {
 public:
  // `schema` is that of the output.
  ApplyRun(Executor& executor, const plan::Apply& apply, const Schema& schema)
      : executor_(executor),
        apply_(apply),
        schema_(schema),
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
      const std::uint32_t only[] = {static_cast<std::uint32_t>(row)};
      std::vector<Vector> columns;
      for (const std::size_t column : apply_.passed) {
        columns.push_back(Vector::constant(
            input.column(column).gather(only).flatten().shared_values(), chunk.rows()));
      }
      for (Vector& column : chunk.columns()) {
        columns.push_back(std::move(column));
      }
      EVQ_TRY(hold(Chunk(std::move(columns), chunk.rows())));
    }
    return Status::success();
  }

  // The rows that one row's arrays make, which the subplan then reads; charged until the next row.
  Result<std::vector<Chunk>> expand(const Chunk& row) {
    std::vector<Chunk> rows;
    EVQ_TRY(expanded_.resize(0));
    EVQ_TRY_ASSIGN(const Flow flow,
                   unnest_chunk(*apply_.unnest, row, 0, [&](Chunk part) -> Result<Flow> {
                     EVQ_TRY(expanded_.grow(part.size_bytes()));
                     rows.push_back(std::move(part));
                     return Flow::kMore;
                   }));
    EVQ_CHECK(flow == Flow::kMore);
    return rows;
  }

  Result<std::vector<Chunk>> take() {
    EVQ_TRY(join_held());
    return std::move(output_);
  }

 private:
  // Most runs make few rows: they are kept as they come only until there are enough to join.
  Status hold(Chunk chunk) {
    if (held_rows_ + chunk.rows() > kChunkRowsMax ||
        held_.size() * schema_.size() >= kHeldColumnsMax) {
      EVQ_TRY(join_held());
    }
    EVQ_TRY(lease_.grow(chunk.size_bytes()));
    held_bytes_ += chunk.size_bytes();
    held_rows_ += chunk.rows();
    held_.push_back(std::move(chunk));
    return Status::success();
  }

  Status join_held() {
    if (held_.size() == 1) {
      held_[0].detach();
      output_.push_back(std::move(held_[0]));
    } else if (held_.size() > 1) {
      AllocationMeter meter = executor_.meter(name(apply_));
      EVQ_TRY(meter.guard([&] {
        output_.push_back(joined_rows());
        output_.back().detach();
      }));
      EVQ_TRY(
          lease_.resize(lease_.bytes() - held_bytes_ + joined_bytes(output_.back(), held_bytes_)));
    }
    held_.clear();
    held_bytes_ = 0;
    held_rows_ = 0;
    return Status::success();
  }

  Chunk joined_rows() const {
    std::vector<Vector> columns;
    for (std::size_t i = 0; i < schema_.size(); ++i) {
      std::vector<Vector> parts;
      parts.reserve(held_.size());
      for (const Chunk& chunk : held_) {
        parts.push_back(chunk.column(i));
      }
      columns.push_back(join_column(schema_[i].type, parts));
    }
    return Chunk(std::move(columns), held_rows_);
  }

  Executor& executor_;
  const plan::Apply& apply_;
  const Schema& schema_;
  MemoryLease lease_;
  MemoryLease expanded_;
  std::vector<Chunk> output_;
  std::vector<Chunk> held_;  // to become the next chunk of the output
  std::size_t held_bytes_ = 0;
  std::size_t held_rows_ = 0;
};

// Over the rows that the arrays of one row make.
Status apply_to_rows(Executor& executor, const plan::Node& node, ApplyRun* run) {
  EVQ_TRY_ASSIGN(const Collected input, executor.collect(*node.inputs[0], "mv-apply"));
  for (const Chunk& chunk : input.chunks) {
    for (std::size_t row = 0; row < chunk.rows(); ++row) {
      EVQ_TRY_ASSIGN(const std::vector<Chunk> rows, run->expand(chunk.slice(row, 1)));
      EVQ_TRY(run->run(rows, chunk, row));
    }
  }
  return Status::success();
}

// Over the rows of each group.
Status apply_to_groups(Executor& executor, const plan::Node& node, ApplyRun* run) {
  const auto& apply = std::get<plan::Apply>(node.op);
  EVQ_TRY_ASSIGN(WholeInput whole, collect_whole(executor, *node.inputs[0], "partition"));
  const Chunk& input = whole.rows;
  EVQ_TRY(whole.lease.grow(input.rows() * sizeof(std::uint32_t)));
  Groups groups;
  AllocationMeter listed = executor.meter("partition");
  EVQ_TRY(listed.guard(
      [&] { groups = group_rows(input, apply.keys, executor.context().random_seed); }));
  for (const std::vector<std::uint32_t>& group : groups) {
    AllocationMeter meter = executor.meter("partition");
    std::vector<Chunk> rows;
    EVQ_TRY(meter.guard([&] { rows = gather_chunks(input, group); }));
    EVQ_TRY(run->run(rows, input, group[0]));
  }
  return Status::success();
}

}  // namespace

Status run_apply(Executor& executor, const plan::Node& node, Consumer& consumer) {
  const auto& apply = std::get<plan::Apply>(node.op);
  ApplyRun run(executor, apply, node.schema);
  EVQ_TRY(apply.per_row ? apply_to_rows(executor, node, &run)
                        : apply_to_groups(executor, node, &run));
  EVQ_TRY_ASSIGN(std::vector<Chunk> output, run.take());
  return push_all(std::move(output), consumer);
}

}  // namespace evq

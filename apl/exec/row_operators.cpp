#include "apl/exec/row_operators.h"

#include <utility>

#include "apl/exec/eval.h"
#include "apl/exec/forwarding_sink.h"
#include "apl/exec/sequence_rows.h"
#include "store/base/allocation_meter.h"
#include "store/base/checksum.h"

namespace evq {
namespace {

class MapSink final : public ForwardingSink {
 public:
  MapSink(ChunkMap map, const MapMemory& memory, std::unique_ptr<Sink> next)
      : ForwardingSink(std::move(next)), map_(std::move(map)), memory_(memory) {}

  // The chunk stays charged while the operators after this one have it.
  Result<Flow> push(Chunk chunk) override {
    AllocationMeter meter(memory_.budget, memory_.control, memory_.operator_name);
    Result<Chunk> mapped = Chunk();
    EVQ_TRY(meter.guard([&] { mapped = map_(std::move(chunk)); }));
    if (!mapped.ok()) {
      return std::move(mapped).take_error();
    }
    if (mapped->empty()) {
      return Flow::kMore;
    }
    return next().push(std::move(mapped).value());
  }

 private:
  const ChunkMap map_;
  const MapMemory& memory_;
};

}  // namespace

Result<std::unique_ptr<Sink>> MapConsumer::make_sink() {
  EVQ_TRY_ASSIGN(std::unique_ptr<Sink> next, next_.make_sink());
  return std::unique_ptr<Sink>(std::make_unique<MapSink>(map_, memory_, std::move(next)));
}

Status MapConsumer::complete(std::vector<std::unique_ptr<Sink>> sinks) {
  return next_.complete(forwarded_sinks(std::move(sinks)));
}

ChunkMap filter_map(const plan::Filter& filter, const EvalContext& context) {
  return [&filter, &context](Chunk chunk) -> Result<Chunk> {
    const Vector truth = evaluate(*filter.predicate, context, chunk.columns(), chunk.rows());
    if (all_true(truth)) {
      return chunk;
    }
    RowList rows;
    select_true(truth, &rows);
    if (rows.size() != chunk.rows()) {
      chunk.select(rows);
    }
    return chunk;
  };
}

ChunkMap project_map(const plan::Project& project, const EvalContext& context) {
  return [&project, &context](Chunk chunk) -> Result<Chunk> {
    std::vector<Vector> columns;
    columns.reserve(project.exprs.size());
    for (const plan::ExprPtr& expr : project.exprs) {
      columns.push_back(evaluate(*expr, context, chunk.columns(), chunk.rows()));
    }
    Chunk projected(std::move(columns), chunk.rows());
    projected.set_sequence(chunk.sequence());
    return projected;
  };
}

// The rows whose byte is not 0.
RowList set_rows(const std::vector<std::uint8_t>& flags) {
  RowList rows;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (flags[i] != 0) {
      rows.push_back(static_cast<std::uint32_t>(i));
    }
  }
  return rows;
}

ChunkMap extract_map(const plan::Extract& extract, const EvalContext& context) {
  return [&extract, &context](Chunk chunk) -> Result<Chunk> {
    const Vector source = evaluate(*extract.source, context, chunk.columns(), chunk.rows());
    std::vector<std::uint8_t> matched(chunk.rows(), 0);
    for (Vector& column : extract.extractor->extract(context, source, &matched)) {
      chunk.columns().push_back(std::move(column));
    }
    if (extract.drop_unmatched) {
      chunk.select(set_rows(matched));
    }
    return chunk;
  };
}

ChunkMap sample_map(double probability, const EvalContext& context) {
  return [probability, &context, numbers = SequenceRows()](Chunk chunk) mutable -> Result<Chunk> {
    const std::uint64_t seed =
        split_mix(context.random_seed ^ split_mix(chunk.sequence())) + numbers.first_row(chunk);
    RowList rows;
    for (std::size_t i = 0; i < chunk.rows(); ++i) {
      if (static_cast<double>(split_mix(seed + i) >> 11U) * 0x1.0p-53 < probability) {
        rows.push_back(static_cast<std::uint32_t>(i));
      }
    }
    chunk.select(rows);
    return chunk;
  };
}

Chunk flatten_chunk(Chunk chunk) {
  for (Vector& column : chunk.columns()) {
    if (column.is_dictionary()) {
      column = column.flatten();
    }
  }
  return chunk;
}

}  // namespace evq

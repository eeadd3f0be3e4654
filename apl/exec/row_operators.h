#pragma once
// Row-wise operators: filter, project, extract, sample. Each is a function from chunk to chunk, of
// which MapConsumer puts a copy for each worker between two operators.

#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "apl/exec/operator.h"
#include "apl/plan/plan.h"
#include "store/base/control.h"
#include "store/base/memory_budget.h"

namespace evq {

using ChunkMap = std::function<Result<Chunk>(Chunk)>;

// The budget that a map's new columns are charged to, and the operator to name in errors.
struct MapMemory {
  MemoryBudget* budget = nullptr;
  const QueryControl* control = nullptr;
  std::string_view operator_name = "an expression";
};

// Applies `map` to every chunk on its way to `next`; empty results are not passed on.
class MapConsumer final : public Consumer {
 public:
  MapConsumer(ChunkMap map, const MapMemory& memory, Consumer& next)
      : map_(std::move(map)), memory_(memory), next_(next) {}
  Result<std::unique_ptr<Sink>> make_sink() override;
  Status complete(std::vector<std::unique_ptr<Sink>> sinks) override;

 private:
  ChunkMap map_;
  const MapMemory memory_;
  Consumer& next_;
};

ChunkMap filter_map(const plan::Filter& filter, const EvalContext& context);
ChunkMap project_map(const plan::Project& project, const EvalContext& context);
ChunkMap extract_map(const plan::Extract& extract, const EvalContext& context);
// Keeps rows by a hash of seed and row position: the same rows whatever the number of workers.
ChunkMap sample_map(double probability, const EvalContext& context);
// Turns dictionaries into flat vectors, for test configurations.
Chunk flatten_chunk(Chunk chunk);

}  // namespace evq

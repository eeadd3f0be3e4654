#pragma once
// CollectSink: keeps the chunks it is given, charged to a lease, for a consumer that wants them
// all. One thread at a time; kLimit when the lease's budget has no room.

#include <utility>
#include <vector>

#include "apl/exec/operator.h"
#include "store/base/memory_budget.h"

namespace evq {

class CollectSink final : public Sink {
 public:
  explicit CollectSink(MemoryLease lease) : lease_(std::move(lease)) {}
  Result<Flow> push(Chunk chunk) override {
    chunk.detach();
    EVQ_TRY(lease_.grow(chunk.size_bytes()));
    chunks_.push_back(std::move(chunk));
    return Flow::kMore;
  }
  std::vector<Chunk>& chunks() { return chunks_; }
  MemoryLease& lease() { return lease_; }

 private:
  MemoryLease lease_;
  std::vector<Chunk> chunks_;
};

}  // namespace evq

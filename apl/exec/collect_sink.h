#pragma once
// CollectSink: keeps the chunks it is given, charged to a lease, for a consumer that wants them
// all. One thread at a time; kLimit when the lease's budget has no room, of which an OverflowMark,
// where there is one, is told. And what such consumers do with their sinks, of this kind or
// another.

#include <algorithm>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "apl/exec/operator.h"
#include "apl/exec/overflow_mark.h"
#include "store/base/memory_budget.h"

namespace evq {

class CollectSink final : public Sink {
 public:
  explicit CollectSink(MemoryLease lease, OverflowMark* overflow = nullptr)
      : lease_(std::move(lease)), overflow_(overflow) {}
  Result<Flow> push(Chunk chunk) override {
    chunk.detach();
    const std::size_t bytes = chunk.size_bytes();
    Status grown = lease_.grow(bytes);
    if (overflow_ != nullptr) {
      EVQ_TRY(overflow_->note(std::move(grown)));
      overflow_->add_held(bytes);
    } else {
      EVQ_TRY(std::move(grown));
    }
    chunks_.push_back(std::move(chunk));
    return Flow::kMore;
  }
  std::vector<Chunk>& chunks() { return chunks_; }
  MemoryLease& lease() { return lease_; }

 private:
  MemoryLease lease_;
  OverflowMark* const overflow_;
  std::vector<Chunk> chunks_;
};

// Moves out the chunks that all `sinks`, which are KeepingSinks, kept, in the order of the stream.
// `lease`, of the same budget as theirs, takes over what was charged for them.
template <class KeepingSink>
auto gather_in_order(const std::vector<std::unique_ptr<Sink>>& sinks, MemoryLease* lease) {
  std::remove_reference_t<decltype(std::declval<KeepingSink&>().chunks())> all;
  for (const std::unique_ptr<Sink>& one : sinks) {
    auto& sink = static_cast<KeepingSink&>(*one);
    std::ranges::move(sink.chunks(), std::back_inserter(all));
    lease->take(&sink.lease());
  }
  std::ranges::stable_sort(all, {}, [](const auto& chunk) { return chunk.sequence(); });
  return all;
}

}  // namespace evq

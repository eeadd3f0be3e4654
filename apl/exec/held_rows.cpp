#include "apl/exec/held_rows.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "apl/exec/collect_sink.h"

namespace evq {
namespace {

constexpr std::size_t kHeldBytesMax = std::size_t{64} << 20U;
// And at most this part of a query's memory: a stream that could go through piece by piece leaves
// the rest to what cannot.
constexpr std::size_t kHeldShare = 8;

std::size_t held_bytes_max(const MemoryBudget* budget) {
  const std::size_t limit = budget != nullptr ? budget->limit() : 0;
  return limit != 0 ? std::min(kHeldBytesMax, limit / kHeldShare) : kHeldBytesMax;
}

// What the sinks of one stream have together.
struct Held {
  std::size_t rows_max;
  std::size_t bytes_max;
  std::atomic<std::size_t> rows{0};
  std::atomic<std::size_t> bytes{0};
  std::atomic<bool> too_long{false};
};

class ShortSink final : public Sink {
 public:
  ShortSink(Held& held, MemoryLease lease) : held_(held), lease_(std::move(lease)) {}

  Result<Flow> push(Chunk chunk) override {
    chunk.detach();
    const std::size_t bytes = chunk.size_bytes();
    if (held_.rows.fetch_add(chunk.rows()) + chunk.rows() > held_.rows_max ||
        held_.bytes.fetch_add(bytes) + bytes > held_.bytes_max || !lease_.grow(bytes).ok()) {
      held_.too_long.store(true);
    }
    if (held_.too_long.load(std::memory_order_relaxed)) {
      chunks_.clear();
      lease_.reset();
      return Flow::kDone;
    }
    chunks_.push_back(std::move(chunk));
    return Flow::kMore;
  }
  std::vector<Chunk>& chunks() { return chunks_; }
  MemoryLease& lease() { return lease_; }

 private:
  Held& held_;
  MemoryLease lease_;
  std::vector<Chunk> chunks_;
};

class ShortConsumer final : public Consumer {
 public:
  ShortConsumer(Held& held, MemoryBudget* budget, std::string_view operator_name)
      : held_(held), budget_(budget), operator_name_(operator_name) {}

  Result<std::unique_ptr<Sink>> make_sink() override {
    return std::unique_ptr<Sink>(
        std::make_unique<ShortSink>(held_, MemoryLease(budget_, operator_name_)));
  }
  Status complete(std::vector<std::unique_ptr<Sink>> sinks) override {
    made_.lease = MemoryLease(budget_, operator_name_);
    made_.chunks = gather_in_order<ShortSink>(sinks, &made_.lease);
    return Status::success();
  }
  Collected take() { return std::move(made_); }

 private:
  Held& held_;
  MemoryBudget* budget_;
  std::string_view operator_name_;
  Collected made_;
};

}  // namespace

Result<std::optional<Collected>> collect_short(Executor& executor, const plan::Node& node,
                                               std::size_t rows_max, std::string_view operator_name,
                                               const Demand& demand) {
  Held held{rows_max, held_bytes_max(executor.options().budget)};
  ShortConsumer consumer(held, executor.options().budget, operator_name);
  EVQ_TRY(executor.run(node, consumer, demand));
  if (held.too_long.load()) {
    return std::optional<Collected>();
  }
  return std::optional<Collected>(consumer.take());
}

}  // namespace evq

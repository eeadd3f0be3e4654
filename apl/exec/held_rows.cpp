#include "apl/exec/held_rows.h"

#include <algorithm>
#include <atomic>
#include <utility>

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
    for (const std::unique_ptr<Sink>& one : sinks) {
      auto& sink = static_cast<ShortSink&>(*one);
      std::ranges::move(sink.chunks(), std::back_inserter(made_.chunks));
      made_.lease.take(&sink.lease());
    }
    std::ranges::stable_sort(made_.chunks, {}, &Chunk::sequence);
    return Status::success();
  }
  Collected take() { return std::move(made_); }

 private:
  Held& held_;
  MemoryBudget* budget_;
  std::string_view operator_name_;
  Collected made_;
};

Status drain(std::vector<Chunk>* chunks, std::atomic<std::size_t>* next, Sink* sink) {
  for (std::size_t i = (*next)++; i < chunks->size(); i = (*next)++) {
    EVQ_TRY_ASSIGN(const Flow flow, sink->push(std::move((*chunks)[i])));
    if (flow == Flow::kDone) {
      break;
    }
  }
  return sink->finish();
}

}  // namespace

Result<std::optional<Collected>> collect_short(Executor& executor, const plan::Node& node,
                                               std::size_t rows_max,
                                               std::string_view operator_name) {
  Held held{rows_max, held_bytes_max(executor.options().budget)};
  ShortConsumer consumer(held, executor.options().budget, operator_name);
  EVQ_TRY(executor.run(node, consumer));
  if (held.too_long.load()) {
    return std::optional<Collected>();
  }
  return std::optional<Collected>(consumer.take());
}

Status push_side_by_side(const Executor& executor, std::vector<Chunk> chunks, Consumer& consumer) {
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    chunks[i].set_sequence(i);
  }
  const std::size_t workers =
      std::max<std::size_t>(1, std::min(executor.options().workers, chunks.size()));
  std::vector<std::unique_ptr<Sink>> sinks;
  for (std::size_t i = 0; i < workers; ++i) {
    EVQ_TRY_ASSIGN(std::unique_ptr<Sink> sink, consumer.make_sink());
    sinks.push_back(std::move(sink));
  }
  std::vector<Status> outcomes(workers);
  std::atomic<std::size_t> next{0};
  executor.run_workers(workers, [&](std::size_t worker) {
    outcomes[worker] = drain(&chunks, &next, sinks[worker].get());
  });
  for (Status& outcome : outcomes) {
    EVQ_TRY(std::move(outcome));
  }
  return consumer.complete(std::move(sinks));
}

}  // namespace evq

// Hash aggregation: each worker groups and aggregates what it sees, then the workers' tables are
// merged into the first one's. Groups come out in the order their first row has in the stream, so
// the result does not depend on which worker saw what.

#include <algorithm>
#include <numeric>
#include <utility>

#include "apl/exec/executor.h"
#include "apl/exec/group_table.h"
#include "store/base/check.h"
#include "store/base/limits.h"

namespace evq {
namespace {

// Position of a chunk's first row in the stream: chunks are at most kChunkRowsMax = 2^16 long.
constexpr unsigned kOrderShift = 17;

struct AggregateInput {
  const plan::Aggregate& op;
  const EvalContext& context;
  std::vector<Type> key_types;
  MemoryBudget* budget;
  std::uint64_t seed;
  const Executor& executor;
};

class AggregateSink final : public Sink {
 public:
  explicit AggregateSink(const AggregateInput& input)
      : input_(input),
        table_(input.key_types, input.seed),
        lease_(input.budget, "summarize") {
    for (const plan::AggregateCall& call : input.op.aggregates) {
      states_.push_back(call.call.aggregate->make_state());
    }
  }

  Result<Flow> push(Chunk chunk) override {
    EVQ_TRY(input_.executor.check());
    const std::size_t rows = chunk.rows();
    const std::uint32_t* groups = nullptr;
    if (!input_.op.groups.empty()) {
      keys_.clear();
      for (const std::size_t column : input_.op.groups) {
        keys_.push_back(chunk.column(column));
      }
      groups_.resize(rows);
      table_.assign(keys_, rows, chunk.sequence() << kOrderShift, groups_.data());
      groups = groups_.data();
    }
    const std::size_t group_count = groups == nullptr ? 1 : table_.size();
    for (std::size_t i = 0; i < states_.size(); ++i) {
      args_.clear();
      for (const std::size_t column : input_.op.aggregates[i].args) {
        args_.push_back(chunk.column(column));
      }
      states_[i]->resize(group_count);
      states_[i]->add(input_.context, args_, groups, rows);
    }
    EVQ_TRY(charge());
    return Flow::kMore;
  }

  Status merge(AggregateSink& other) {
    std::vector<std::uint32_t> to{0};
    if (!input_.op.groups.empty()) {
      table_.merge(other.table_, &to);
    }
    for (std::size_t i = 0; i < states_.size(); ++i) {
      states_[i]->resize(group_count());
      other.states_[i]->resize(to.size());
      states_[i]->merge(*other.states_[i], to);
      other.states_[i].reset();
    }
    return charge();
  }

  std::size_t group_count() const { return input_.op.groups.empty() ? 1 : table_.size(); }

  // All groups, in order of first sight, as chunks.
  std::vector<Chunk> output() {
    const std::size_t count = group_count();
    for (const auto& state : states_) {
      state->resize(count);
    }
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0U);
    if (!input_.op.groups.empty()) {
      std::ranges::sort(order, {}, [&](std::uint32_t group) { return table_.first_seen(group); });
    }
    std::vector<Vector> results;
    for (const auto& state : states_) {
      for (Vector& column : state->finish(input_.context, 0, count)) {
        results.push_back(std::move(column));
      }
    }
    std::vector<Chunk> chunks;
    for (std::size_t begin = 0; begin < count; begin += kChunkRowsMax) {
      const std::span<const std::uint32_t> part(order.data() + begin,
                                                std::min(kChunkRowsMax, count - begin));
      std::vector<Vector> columns =
          input_.op.groups.empty() ? std::vector<Vector>() : table_.keys(part);
      for (const Vector& result : results) {
        columns.push_back(result.gather(part));
      }
      chunks.emplace_back(std::move(columns), part.size());
    }
    return chunks;
  }

 private:
  Status charge() {
    std::size_t bytes = table_.size_bytes();
    for (const auto& state : states_) {
      bytes += state->size_bytes();
    }
    return lease_.resize(bytes);
  }

  const AggregateInput& input_;
  GroupTable table_;
  std::vector<std::unique_ptr<AggregateState>> states_;
  MemoryLease lease_;
  std::vector<Vector> keys_;
  std::vector<Vector> args_;
  std::vector<std::uint32_t> groups_;
};

class AggregateConsumer final : public Consumer {
 public:
  AggregateConsumer(const AggregateInput& input, Executor& executor, Consumer& next)
      : input_(input), executor_(executor), next_(next) {}

  Result<std::unique_ptr<Sink>> make_sink() override {
    return std::unique_ptr<Sink>(std::make_unique<AggregateSink>(input_));
  }

  Status complete(std::vector<std::unique_ptr<Sink>> sinks) override {
    EVQ_CHECK(!sinks.empty());
    auto& first = static_cast<AggregateSink&>(*sinks[0]);
    for (std::size_t i = 1; i < sinks.size(); ++i) {
      EVQ_TRY(first.merge(static_cast<AggregateSink&>(*sinks[i])));
      sinks[i].reset();
    }
    executor_.stats().groups.store(input_.op.groups.empty() ? 0 : first.group_count());
    return push_all(first.output(), next_);
  }

 private:
  const AggregateInput& input_;
  Executor& executor_;
  Consumer& next_;
};

}  // namespace

Status run_aggregate(Executor& executor, const plan::Node& node, Consumer& consumer) {
  const auto& op = std::get<plan::Aggregate>(node.op);
  AggregateInput input{op, executor.context(), {}, executor.options().budget,
                       executor.context().random_seed, executor};
  for (std::size_t i = 0; i < op.groups.size(); ++i) {
    input.key_types.push_back(node.schema[i].type);
  }
  AggregateConsumer aggregate(input, executor, consumer);
  return executor.run(*node.inputs[0], aggregate);
}

}  // namespace evq

// Hash aggregation: each worker groups and aggregates what it sees, then the workers' tables are
// merged into the first one's. Groups come out in the order their first row has in the stream, so
// the result does not depend on which worker saw what.

#include <algorithm>
#include <utility>

#include "apl/exec/executor.h"
#include "apl/exec/group_table.h"
#include "apl/exec/integer_codes.h"
#include "apl/exec/row_sorter.h"
#include "apl/functions/settling_state.h"
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
      : input_(input), table_(input.key_types, input.seed), lease_(input.budget, "summarize") {
    for (const plan::AggregateCall& call : input.op.aggregates) {
      states_.push_back(call.call.aggregate->make_state());
      counts_rows_ = counts_rows_ && states_.back()->counts_rows();
    }
  }

  Result<Flow> push(Chunk chunk) override {
    EVQ_TRY(input_.executor.check());
    const std::size_t rows = chunk.rows();
    const std::uint32_t* groups = nullptr;
    std::optional<GroupTable::Counted> counted;
    if (!input_.op.groups.empty()) {
      keys_.clear();
      for (const std::size_t column : input_.op.groups) {
        keys_.push_back(code_close_integers(chunk.column(column)));
      }
      const std::uint64_t order = chunk.sequence() << kOrderShift;
      groups_.resize(rows);
      counted = table_.count(keys_, rows, order);
      if (!counted.has_value()) {
        table_.assign_uncounted(keys_, rows, order, groups_.data());
      } else if (!counts_rows_) {
        table_.assign_counted(keys_, rows, groups_.data());
      }
      groups = groups_.data();
    }
    const std::size_t group_count = groups == nullptr ? 1 : table_.size();
    for (std::size_t i = 0; i < states_.size(); ++i) {
      states_[i]->resize(group_count);
      if (counted.has_value() && states_[i]->counts_rows()) {
        states_[i]->add_counts(counted->groups, counted->counts);
        continue;
      }
      args_.clear();
      for (const std::size_t column : input_.op.aggregates[i].args) {
        args_.push_back(chunk.column(column));
      }
      states_[i]->add(input_.context, args_, groups, rows);
    }
    EVQ_TRY(charge());
    return Flow::kMore;
  }

  Status finish() override {
    for (const auto& state : states_) {
      settle(state.get());
    }
    return charge();
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

  // All groups, or those that `top` lets through, in order of first sight, as chunks.
  std::vector<Chunk> output(const std::optional<TopRows>& top) {
    const std::size_t count = group_count();
    std::vector<Vector> results;
    for (const auto& state : states_) {
      state->resize(count);
      for (Vector& column : state->finish(input_.context, 0, count)) {
        results.push_back(std::move(column));
      }
    }
    const std::vector<std::uint32_t> order = output_order(results, top);
    std::vector<Chunk> chunks;
    for (std::size_t begin = 0; begin < order.size(); begin += kChunkRowsMax) {
      const std::span<const std::uint32_t> part(order.data() + begin,
                                                std::min(kChunkRowsMax, order.size() - begin));
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
  // A group and its place in the order of the stream.
  struct Seen {
    std::uint64_t position;
    std::uint32_t group;
    friend auto operator<=>(const Seen&, const Seen&) = default;
  };

  std::vector<std::uint32_t> output_order(const std::vector<Vector>& results,
                                          const std::optional<TopRows>& top) const {
    if (input_.op.groups.empty()) {
      return {0};
    }
    const std::size_t count = group_count();
    std::vector<Seen> seen;
    const std::size_t keys = input_.op.groups.size();
    if (top.has_value() && top->column >= keys && top->count < count) {
      seen = top_groups(results[top->column - keys], *top);
    } else {
      seen.reserve(count);
      for (std::uint32_t group = 0; group < count; ++group) {
        seen.push_back({table_.first_seen(group), group});
      }
    }
    std::ranges::sort(seen);
    std::vector<std::uint32_t> order;
    order.reserve(seen.size());
    for (const Seen& one : seen) {
      order.push_back(one.group);
    }
    return order;
  }

  // The groups that may be among the first by `result`. Of those that tie with the last only as
  // many as there is room for, the earliest, when equal numbers mean equal values.
  std::vector<Seen> top_groups(const Vector& result, const TopRows& top) const {
    std::vector<Seen> before;
    if (top.count == 0) {
      return before;
    }
    std::vector<std::uint64_t> numbers;
    sort_numbers(result, top.order, &numbers);
    std::vector<std::uint64_t> sorted = numbers;
    std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(top.count - 1));
    const std::uint64_t bound = sorted[top.count - 1];
    std::vector<Seen> ties;
    for (std::uint32_t group = 0; group < numbers.size(); ++group) {
      if (numbers[group] <= bound) {
        (numbers[group] < bound ? before : ties).push_back({table_.first_seen(group), group});
      }
    }
    const std::size_t room = top.count - before.size();
    if (top.only_key && ties.size() > room && is_exact_sort_number(result.type(), bound)) {
      std::ranges::nth_element(ties, ties.begin() + static_cast<std::ptrdiff_t>(room));
      ties.resize(room);
    }
    before.insert(before.end(), ties.begin(), ties.end());
    return before;
  }

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
  bool counts_rows_ = true;  // all states ask for is the number of rows of each group
  std::vector<Vector> keys_;
  std::vector<Vector> args_;
  std::vector<std::uint32_t> groups_;
};

class AggregateConsumer final : public Consumer {
 public:
  AggregateConsumer(const AggregateInput& input, Executor& executor,
                    const std::optional<TopRows>& top, Consumer& next)
      : input_(input), executor_(executor), top_(top), next_(next) {}

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
    return push_all(first.output(top_), next_);
  }

 private:
  const AggregateInput& input_;
  Executor& executor_;
  const std::optional<TopRows>& top_;
  Consumer& next_;
};

}  // namespace

Status run_aggregate(Executor& executor, const plan::Node& node, const ScanHints& hints,
                     Consumer& consumer) {
  const auto& op = std::get<plan::Aggregate>(node.op);
  AggregateInput input{
      op,      executor.context(), {}, executor.options().budget, executor.context().random_seed,
      executor};
  for (std::size_t i = 0; i < op.groups.size(); ++i) {
    input.key_types.push_back(node.schema[i].type);
  }
  AggregateConsumer aggregate(input, executor, hints.top_groups, consumer);
  return executor.run(*node.inputs[0], aggregate);
}

}  // namespace evq

// Hash aggregation: each worker groups and aggregates what it sees, then the workers' groups are
// merged: into the first worker's, or, when there are many of both, in parts by the hash of their
// key, each part by one worker in a table that fits its cache (Leis et al., "Morsel-Driven
// Parallelism", 2014). Groups come out in the order their first row has in the stream, so the
// result does not depend on which worker saw what, nor on how the groups were parted.
//
// Groups that do not fit into memory together are made some at a time: see key_passes.h.

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>
#include <optional>
#include <utility>

#include "apl/exec/eval.h"
#include "apl/exec/executor.h"
#include "apl/exec/group_states.h"
#include "apl/exec/key_passes.h"
#include "apl/exec/overflow_mark.h"
#include "apl/exec/repeatable.h"
#include "apl/exec/sort_numbers.h"
#include "apl/exec/tied_rows.h"
#include "apl/plan/optimizer.h"
#include "store/base/allocation_meter.h"
#include "store/base/check.h"
#include "store/base/limits.h"

namespace evq {
namespace {

// Parting moves the first worker's groups too: it pays when many groups of enough workers would
// otherwise wait for one thread, or fewer workers' if a group is not merged in a moment, as sets
// and sketches are not.
constexpr std::size_t kPartedGroupsMin = std::size_t{1} << 14U;
constexpr std::size_t kPartedWorkersMin = 4;
constexpr std::size_t kSlowlyMergedBytesMin = 96;  // of a group's states
constexpr std::size_t kGroupsPerPart = std::size_t{1} << 15U;
constexpr unsigned kPartBitsMin = 2;
constexpr unsigned kPartBitsMax = 8;

class AggregateSink final : public Sink {
 public:
  AggregateSink(const GroupStates::Spec& spec, const Executor& executor, OverflowMark& overflow)
      : groups_(spec), executor_(executor), overflow_(overflow) {}

  Result<Flow> push(Chunk chunk) override {
    EVQ_TRY(executor_.check());
    EVQ_TRY(overflow_.note(groups_.add(chunk)));
    return Flow::kMore;
  }
  Status finish() override { return overflow_.note(groups_.settle()); }
  GroupStates& groups() { return groups_; }

 private:
  GroupStates groups_;
  const Executor& executor_;
  OverflowMark& overflow_;
};

// A group of one of the parts and its place in the order of the stream.
struct Seen {
  std::uint64_t position;
  std::uint32_t part;
  std::uint32_t group;
};

// Makes of each position one of the same order, without the bits that are the same in all: a place
// in the stream has far fewer than 64 that differ.
void close_up_positions(std::uint64_t differing, std::vector<Seen>* seen) {
  struct Run {  // of bits that differ
    unsigned from;
    unsigned to;
    std::uint64_t mask;
  };
  std::vector<Run> runs;
  unsigned to = 0;
  for (std::uint64_t rest = differing; rest != 0;) {
    const auto from = static_cast<unsigned>(std::countr_zero(rest));
    const auto width = static_cast<unsigned>(std::countr_one(rest >> from));
    const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    runs.push_back({from, to, mask});
    rest &= ~(mask << from);
    to += width;
  }
  for (Seen& one : *seen) {
    std::uint64_t closed = 0;
    for (const Run& run : runs) {
      closed |= (one.position >> run.from & run.mask) << run.to;
    }
    one.position = closed;
  }
}

// By radix, the least significant digit first. No two positions are equal.
void sort_by_position(std::vector<Seen>* seen) {
  constexpr unsigned kDigitBits = 11;
  constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
  if (seen->size() < kDigits) {
    std::ranges::sort(*seen, {}, &Seen::position);
    return;
  }
  std::uint64_t differing = 0;
  for (const Seen& one : *seen) {
    differing |= one.position ^ seen->front().position;
  }
  close_up_positions(differing, seen);
  AllocationMeter::charge(seen->size() * sizeof(Seen));
  std::vector<Seen> sorted(seen->size());
  const auto bits = static_cast<unsigned>(std::popcount(differing));
  for (unsigned shift = 0; shift < bits; shift += kDigitBits) {
    std::vector<std::uint32_t> begins(kDigits + 1);
    for (const Seen& one : *seen) {
      ++begins[((one.position >> shift) & (kDigits - 1)) + 1];
    }
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    for (const Seen& one : *seen) {
      sorted[begins[(one.position >> shift) & (kDigits - 1)]++] = one;
    }
    seen->swap(sorted);
  }
}

// The rows of an aggregation, from all parts of its groups: all of them, or those that may be among
// the top ones, in order of first sight unless any will do.
class AggregateOutput {
 public:
  // `results` are those of each part; columns from `keys` on are results.
  AggregateOutput(std::vector<const GroupTable*> parts, std::vector<std::vector<Vector>> results,
                  std::size_t keys, const ScanHints& hints)
      : parts_(std::move(parts)) {
    for (const GroupTable* part : parts_) {
      begins_.push_back(size_);
      size_ += static_cast<std::uint32_t>(part->size());
    }
    for (std::size_t column = 0; column < results[0].size(); ++column) {
      std::vector<Vector> pieces;
      pieces.reserve(results.size());
      for (std::vector<Vector>& part : results) {
        pieces.push_back(std::move(part[column]));
      }
      results_.push_back(pieces.size() == 1 ? std::move(pieces[0]) : concatenate(pieces));
    }
    const std::optional<TopRows>& top = hints.top_groups;
    const bool few = top.has_value() && top->column >= keys && top->count < size_;
    order_ = few ? top_groups(results_[top->column - keys], *top) : all_groups();
    if (!hints.any_order) {
      sort_by_position(&order_);
    }
  }

  // The next rows; an empty chunk when there are no more.
  Chunk next() {
    const std::size_t count = std::min(kChunkRowsMax, order_.size() - next_);
    if (count == 0) {
      return {};
    }
    Chunk rows = rows_of(std::span(order_).subspan(next_, count));
    next_ += count;
    return rows;
  }

 private:
  std::vector<Seen> all_groups() const {
    std::vector<Seen> all;
    AllocationMeter::charge(size_ * sizeof(Seen));
    all.reserve(size_);
    for (std::uint32_t part = 0; part < parts_.size(); ++part) {
      for (std::uint32_t group = 0; group < parts_[part]->size(); ++group) {
        all.push_back({parts_[part]->first_seen(group), part, group});
      }
    }
    return all;
  }

  // The groups that may be among the first by `result`. Of those that tie with the last only as
  // many as there is room for, the earliest, when equal numbers mean equal values.
  std::vector<Seen> top_groups(const Vector& result, const TopRows& top) const {
    std::vector<Seen> before;
    if (top.count == 0) {
      return before;
    }
    AllocationMeter::charge(2 * sizeof(std::uint64_t) * size_);
    std::vector<std::uint64_t> numbers;
    sort_numbers(result, top.order, &numbers);
    std::vector<std::uint64_t> sorted = numbers;
    std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(top.count - 1));
    const std::uint64_t bound = sorted[top.count - 1];
    std::vector<Seen> ties;
    for (std::uint32_t part = 0; part < parts_.size(); ++part) {
      for (std::uint32_t group = 0; group < parts_[part]->size(); ++group) {
        const std::uint64_t number = numbers[begins_[part] + group];
        if (number <= bound) {
          (number < bound ? before : ties)
              .push_back({parts_[part]->first_seen(group), part, group});
        }
      }
    }
    const std::size_t room = top.count - before.size();
    if (top.only_key && ties.size() > room && is_exact_sort_number(result.type(), bound)) {
      std::ranges::nth_element(ties, ties.begin() + static_cast<std::ptrdiff_t>(room), {},
                               &Seen::position);
      ties.resize(room);
    }
    before.insert(before.end(), ties.begin(), ties.end());
    return before;
  }

  Chunk rows_of(std::span<const Seen> groups) const {
    std::vector<Vector> columns = keys_of(groups);
    RowList rows(groups.size());
    std::ranges::transform(groups, rows.begin(),
                           [&](const Seen& seen) { return begins_[seen.part] + seen.group; });
    for (const Vector& result : results_) {
      columns.push_back(result.gather(rows));
    }
    return Chunk(std::move(columns), rows.size());
  }

  // The key columns of `groups`, in that order: each part's together, then put in their places.
  std::vector<Vector> keys_of(std::span<const Seen> groups) const {
    std::vector<RowList> wanted(parts_.size());
    for (const Seen& seen : groups) {
      wanted[seen.part].push_back(seen.group);
    }
    if (parts_.size() == 1) {
      return parts_[0]->keys(wanted[0]);
    }
    std::vector<std::vector<Vector>> pieces;  // by column
    std::vector<std::uint32_t> next(parts_.size(), 0);
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      std::vector<Vector> columns = parts_[part]->keys(wanted[part]);
      pieces.resize(columns.size());
      for (std::size_t column = 0; column < columns.size(); ++column) {
        pieces[column].push_back(std::move(columns[column]));
      }
      if (part + 1 < parts_.size()) {
        next[part + 1] = next[part] + static_cast<std::uint32_t>(wanted[part].size());
      }
    }
    RowList places(groups.size());
    std::ranges::transform(groups, places.begin(),
                           [&](const Seen& seen) { return next[seen.part]++; });
    std::vector<Vector> columns;
    columns.reserve(pieces.size());
    for (const std::vector<Vector>& column : pieces) {
      columns.push_back(concatenate(column).gather(places));
    }
    return columns;
  }

  std::vector<const GroupTable*> parts_;
  std::vector<std::uint32_t> begins_;  // of each part, where its groups lie in results_
  std::uint32_t size_ = 0;
  std::vector<Vector> results_;
  std::vector<Seen> order_;
  std::size_t next_ = 0;  // in order_
};

class AggregateConsumer final : public Consumer {
 public:
  AggregateConsumer(const GroupStates::Spec& spec, Executor& executor, const ScanHints& hints,
                    Consumer& next)
      : spec_(spec), executor_(executor), hints_(hints), next_(next) {}

  Result<std::unique_ptr<Sink>> make_sink() override {
    return std::unique_ptr<Sink>(std::make_unique<AggregateSink>(spec_, executor_, overflow_));
  }

  Status complete(std::vector<std::unique_ptr<Sink>> sinks) override {
    EVQ_CHECK(!sinks.empty());
    std::size_t most = 0;
    std::size_t state_bytes = 0;
    for (const auto& sink : sinks) {
      most += groups_of(sink).size();
      state_bytes += groups_of(sink).state_bytes();
    }
    const ExecOptions& options = executor_.options();
    const bool slow = state_bytes >= most * kSlowlyMergedBytesMin;
    const bool pays = most >= kPartedGroupsMin && (slow || sinks.size() >= kPartedWorkersMin);
    const bool parted = !spec_.op.groups.empty() && sinks.size() > 1 && options.pool != nullptr &&
                        (pays || options.force_parts);
    return parted ? merge_in_parts(std::move(sinks), most) : merge_into_first(std::move(sinks));
  }

  // Its groups did not fit, and nothing of them was given to anybody.
  bool overflowed() const { return overflow_.is_set(); }
  std::size_t groups() const { return groups_; }

 private:
  // What one worker saw, and its groups by part.
  struct PartedSink {
    const GroupStates* groups;
    std::vector<RowList> parts;
  };

  static GroupStates& groups_of(const std::unique_ptr<Sink>& sink) {
    return static_cast<AggregateSink&>(*sink).groups();
  }

  Status merge_into_first(std::vector<std::unique_ptr<Sink>> sinks) {
    GroupStates& first = groups_of(sinks[0]);
    for (std::size_t i = 1; i < sinks.size(); ++i) {
      std::vector<std::uint32_t> all(groups_of(sinks[i]).size());
      std::iota(all.begin(), all.end(), 0U);
      EVQ_TRY(overflow_.note(first.merge(groups_of(sinks[i]), all)));
      sinks[i].reset();
    }
    GroupStates* const first_states = &first;
    EVQ_TRY(overflow_.note(choose_rows(std::span(&first_states, 1))));
    // The results are charged beside the states for as long as both are there.
    const ExecOptions& options = executor_.options();
    AllocationMeter meter(options.budget, options.control, "summarize");
    std::vector<Vector> results;
    EVQ_TRY(overflow_.note(meter.guard([&] { results = first.results(); })));
    return push_output({&first}, {std::move(results)});
  }

  Status merge_in_parts(std::vector<std::unique_ptr<Sink>> sinks, std::size_t groups_max) {
    const unsigned bits =
        std::clamp(static_cast<unsigned>(std::bit_width(groups_max / kGroupsPerPart)), kPartBitsMin,
                   kPartBitsMax);
    std::vector<PartedSink> parted;
    parted.reserve(sinks.size());
    for (const auto& sink : sinks) {
      parted.push_back({&groups_of(sink), groups_of(sink).table().by_hash(bits)});
    }
    const std::size_t count = std::size_t{1} << bits;
    std::vector<std::unique_ptr<GroupStates>> parts(count);
    std::vector<std::vector<Vector>> results(count);
    std::vector<MemoryLease> leases(count);  // of the results
    std::vector<Status> outcomes(count);
    std::atomic<std::size_t> next{0};
    executor_.run_workers(sinks.size(), [&](std::size_t) {
      for (std::size_t part = next++; part < count; part = next++) {
        parts[part] = std::make_unique<GroupStates>(spec_);
        outcomes[part] = merge_part(parted, part, parts[part].get());
        if (outcomes[part].ok() && !chooses_rows()) {
          outcomes[part] = make_results(parts[part].get(), &results[part], &leases[part]);
        }
      }
    });
    for (Status& outcome : outcomes) {
      EVQ_TRY(overflow_.note(std::move(outcome)));
    }
    parted.clear();
    sinks.clear();
    if (chooses_rows()) {
      std::vector<GroupStates*> states(count);
      std::ranges::transform(parts, states.begin(), [](const auto& part) { return part.get(); });
      EVQ_TRY(overflow_.note(choose_rows(states)));
      for (std::size_t part = 0; part < count; ++part) {
        EVQ_TRY(overflow_.note(make_results(parts[part].get(), &results[part], &leases[part])));
      }
    }
    std::vector<const GroupStates*> all(count);
    std::ranges::transform(parts, all.begin(), [](const auto& part) { return part.get(); });
    return push_output(all, std::move(results));
  }

  Status merge_part(std::span<const PartedSink> sinks, std::size_t part, GroupStates* to) const {
    EVQ_TRY(executor_.check());
    for (const PartedSink& sink : sinks) {
      EVQ_TRY(to->merge(*sink.groups, sink.parts[part]));
    }
    return Status::success();
  }

  bool chooses_rows() const {
    return std::ranges::any_of(spec_.op.aggregates, [](const plan::AggregateCall& call) {
      return call.row_cells != nullptr;
    });
  }
  // Of aggregates that know rows by their places: `parts` hold all groups between them.
  Status choose_rows(std::span<GroupStates* const> parts) {
    for (std::size_t i = 0; i < spec_.op.aggregates.size(); ++i) {
      if (const plan::RowCells* cells = spec_.op.aggregates[i].row_cells.get()) {
        std::vector<RowChoice*> choices(parts.size());
        std::ranges::transform(parts, choices.begin(), [i](GroupStates* part) {
          return &static_cast<RowChoice&>(part->state(i));
        });
        EVQ_TRY(choose_tied_rows(executor_, *cells, choices));
      }
    }
    return Status::success();
  }

  Status make_results(GroupStates* part, std::vector<Vector>* results, MemoryLease* lease) const {
    *lease = MemoryLease(executor_.options().budget, "summarize");
    AllocationMeter meter(executor_.options().budget, executor_.options().control, "summarize");
    EVQ_TRY(meter.guard([&] { *results = part->results(); }));
    std::size_t bytes = 0;
    for (const Vector& column : *results) {
      bytes += column.size_bytes();
    }
    return lease->grow(bytes);
  }

  Status push_output(const std::vector<const GroupStates*>& parts,
                     std::vector<std::vector<Vector>> results) {
    std::vector<const GroupTable*> tables;
    std::size_t groups = 0;
    for (const GroupStates* part : parts) {
      tables.push_back(&part->table());
      groups += part->table().size();
    }
    groups_ = groups;
    const std::size_t keys = spec_.op.groups.size();
    if (keys == 0) {
      std::vector<Chunk> only;
      only.emplace_back(std::move(results[0]), 1);
      return push_all(std::move(only), next_);
    }
    if (hints_.groups_only_counted) {
      const auto next_rows = [&groups] {
        const std::size_t rows = std::min(kChunkRowsMax, groups);
        groups -= rows;
        return Chunk({}, rows);
      };
      return executor_.push_each(next_rows, "summarize", next_);
    }
    const ExecOptions& options = executor_.options();
    AllocationMeter meter(options.budget, options.control, "summarize");
    std::optional<AggregateOutput> output;
    EVQ_TRY(overflow_.note(
        meter.guard([&] { output.emplace(std::move(tables), std::move(results), keys, hints_); })));
    return executor_.push_each([&] { return output->next(); }, "summarize", next_);
  }

  const GroupStates::Spec& spec_;
  Executor& executor_;
  const ScanHints& hints_;
  Consumer& next_;
  OverflowMark overflow_;
  std::size_t groups_ = 0;  // that came out
};

bool only_counts_rows(const plan::Aggregate& op) {
  return std::ranges::all_of(op.aggregates, [](const plan::AggregateCall& call) {
    return call.call.aggregate->make_state()->counts_rows();
  });
}

class AggregateRun {
 public:
  AggregateRun(Executor& executor, const plan::Node& node, const ScanHints& hints)
      : executor_(executor),
        op_(std::get<plan::Aggregate>(node.op)),
        input_(*node.inputs[0]),
        hints_(hints) {
    for (std::size_t i = 0; i < op_.groups.size(); ++i) {
      key_types_.push_back(node.schema[i].type);
    }
    below_.groups_only_counted = op_.groups.empty() && only_counts_rows(op_);
    below_.any_order = (op_.groups.empty() || hints.any_order) && !plan::looks_at_order(op_);
    below_.takes_stretches = true;  // groups are merged in the order of the sinks
  }

  Status run(Consumer& consumer) {
    const auto repeats = [this] { return !op_.groups.empty() && is_repeatable(input_); };
    const auto shares = [this](const KeyShares& some, Consumer& to, bool* overflowed) {
      return run_shares(some, to, overflowed);
    };
    Status done = run_by_keys(executor_, repeats, shares, consumer);
    executor_.stats().groups.store(groups_);
    return done;
  }

 private:
  Status run_shares(const KeyShares& shares, Consumer& consumer, bool* overflowed) {
    const GroupStates::Spec spec{op_, executor_.context(), key_types_, executor_.options().budget,
                                 shares};
    AggregateConsumer aggregate(spec, executor_, hints_, consumer);
    Status done = executor_.run(input_, aggregate, below_);
    *overflowed = aggregate.overflowed();
    groups_ += done.ok() ? aggregate.groups() : 0;
    return done;
  }

  Executor& executor_;
  const plan::Aggregate& op_;
  const plan::Node& input_;
  const ScanHints& hints_;
  std::vector<Type> key_types_;
  ScanHints below_;
  std::size_t groups_ = 0;
};

}  // namespace

Status run_aggregate(Executor& executor, const plan::Node& node, const ScanHints& hints,
                     Consumer& consumer) {
  return AggregateRun(executor, node, hints).run(consumer);
}

}  // namespace evq

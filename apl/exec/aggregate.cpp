// Hash aggregation: each worker groups and aggregates what it sees, then the workers' groups are
// merged, side by side when there are parts of them (group_parts.h). Groups come out in the order
// their first row has in the stream, so the result does not depend on which worker saw what, nor on
// how the groups were parted.
//
// Groups that do not fit into memory together are made some at a time: see key_passes.h. Key
// columns of few values become one integer: see packed_keys.h.

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "apl/exec/aggregate_output.h"
#include "apl/exec/eval.h"
#include "apl/exec/event_time.h"
#include "apl/exec/executor.h"
#include "apl/exec/group_filters.h"
#include "apl/exec/group_merge.h"
#include "apl/exec/group_parts.h"
#include "apl/exec/key_passes.h"
#include "apl/exec/overflow_mark.h"
#include "apl/exec/packed_keys.h"
#include "apl/exec/repeatable.h"
#include "apl/exec/row_operators.h"
#include "apl/exec/sequence_rows.h"
#include "apl/exec/tied_rows.h"
#include "apl/exec/time_bound.h"
#include "apl/exec/whole_groups.h"
#include "apl/plan/node_traits.h"
#include "store/base/allocation_meter.h"
#include "store/base/check.h"
#include "store/base/limits.h"

namespace evq {
namespace {

// Of many groups, of all workers together. A group takes several times the memory that a row does
// while it waits.
constexpr std::size_t kWaitingRowsMax = std::size_t{1} << 21U;
// Test configurations see rows wait, and not.
constexpr std::size_t kFewWaitingRows = 5;
// Copying fewer groups costs less than the memory of the others is worth.
constexpr std::size_t kGroupsPerKeptMin = 2;

// The groups of an aggregation with packed keys, of all workers.
struct PackedGroups {
  PackedGroups(const GroupStates::Spec& plain, std::unique_ptr<PackedKeys> packed)
      : keys(std::move(packed)), spec(plain), shared{PartedGroups(spec), FirstGroups(spec, {})} {
    spec.key_types = keys->types();
    spec.packed = keys.get();
  }

  const std::unique_ptr<PackedKeys> keys;
  GroupStates::Spec spec;
  GroupParts::Shared shared;
};

// Decides whether keys are packed, by the first chunk with enough rows that any worker sees. Any
// thread.
class Packing {
 public:
  Packing(const GroupStates::Spec& spec, bool may_pack) : spec_(spec), may_pack_(may_pack) {}

  // Whether a later chunk may decide.
  bool is_open() {
    const MutexLock lock(mutex_);
    return may_pack_ && !decided_;
  }
  // What packs this chunk and those after it; null while or because keys stay as they are.
  PackedGroups* decide(const Chunk& chunk) {
    const bool always = spec_.parting == Parting::kAlways;
    const MutexLock lock(mutex_);
    if (may_pack_ && !decided_ && (always || chunk.rows() >= PackedKeys::kRowsToTell)) {
      decided_ = true;
      std::unique_ptr<PackedKeys> keys =
          PackedKeys::choose(GroupParts::keys_of(spec_.op, chunk), chunk.rows(),
                             always ? PackedKeys::When::kItCan : PackedKeys::When::kItPays,
                             spec_.context.random_seed, {spec_.budget, spec_.context.control});
      packed_ = keys != nullptr ? std::make_unique<PackedGroups>(spec_, std::move(keys)) : nullptr;
    }
    return packed_.get();
  }

 private:
  const GroupStates::Spec& spec_;
  const bool may_pack_;
  Mutex mutex_;
  bool decided_ EVQ_GUARDED_BY(mutex_) = false;
  std::unique_ptr<PackedGroups> packed_ EVQ_GUARDED_BY(mutex_);
};

class AggregateSink final : public Sink {
 public:
  AggregateSink(const GroupStates::Spec& spec, GroupParts::Shared& shared, Packing& packing,
                const Executor& executor, OverflowMark& overflow,
                std::optional<std::size_t> groups_wanted)
      : spec_(spec),
        packing_(packing),
        groups_(spec, shared),
        executor_(executor),
        overflow_(overflow),
        groups_wanted_(groups_wanted) {}

  Result<Flow> push(Chunk chunk) override {
    EVQ_TRY(executor_.check());
    EVQ_TRY(overflow_.note(add(std::move(chunk))));
    // What is only seen after these comes after them, whatever the other workers see.
    const bool enough = groups_wanted_.has_value() && groups_.size() >= *groups_wanted_;
    return enough ? Flow::kDone : Flow::kMore;
  }
  Status finish() override {
    EVQ_TRY(overflow_.note(add_held()));
    EVQ_TRY(overflow_.note(groups_.settle_to_merge()));
    return packed_groups_ == nullptr ? Status::success()
                                     : overflow_.note(packed_groups_->settle_to_merge());
  }
  GroupParts& groups() { return groups_; }
  // Those with packed keys, and what packs them; null when none were packed.
  GroupParts* packed_groups() { return packed_groups_.get(); }
  PackedGroups* packed() { return packed_; }

 private:
  struct HeldChunk {
    Chunk chunk;
    std::uint64_t order;
  };

  // The first chunk waits for the next one when it has too few rows to tell, as the first block of
  // a time range may: groups of both kinds would all be merged twice.
  Status add(Chunk chunk) {
    const std::uint64_t order = sequence_rows_.first_place(chunk);
    const bool first = !std::exchange(started_, true);
    look_for_packing(chunk);
    if (first && packed_ == nullptr && packing_.is_open()) {
      held_.emplace(HeldChunk{std::move(chunk), order});
      return {};
    }
    EVQ_TRY(add_held());
    return add_to_groups(std::move(chunk), order);
  }

  Status add_held() {
    if (!held_.has_value()) {
      return {};
    }
    HeldChunk held = *std::exchange(held_, std::nullopt);
    look_for_packing(held.chunk);
    return add_to_groups(std::move(held.chunk), held.order);
  }

  void look_for_packing(const Chunk& chunk) {
    if (packed_ == nullptr && (packed_ = packing_.decide(chunk)) != nullptr) {
      packed_groups_ = std::make_unique<GroupParts>(packed_->spec, packed_->shared);
    }
  }

  Status add_to_groups(Chunk chunk, std::uint64_t order) {
    if (packed_ != nullptr && !packed_->keys->full()) {
      std::vector<Vector> keys = GroupParts::keys_of(spec_.op, chunk);
      EVQ_TRY_ASSIGN(const bool packs, packed_->keys->pack(chunk.rows(), &keys));
      if (packs) {
        return packed_groups_->add_packed(chunk, std::move(keys), order);
      }
    }
    return groups_.add(std::move(chunk), order);
  }

  const GroupStates::Spec& spec_;
  Packing& packing_;
  PackedGroups* packed_ = nullptr;
  std::unique_ptr<GroupParts> packed_groups_;
  GroupParts groups_;  // of the keys as they are
  std::optional<HeldChunk> held_;
  SequenceRows sequence_rows_;
  bool started_ = false;
  const Executor& executor_;
  OverflowMark& overflow_;
  const std::optional<std::size_t> groups_wanted_;
};

class AggregateConsumer final : public Consumer {
 public:
  // Marks an overflow when its groups do not fit, and gives nothing of them to anybody then.
  AggregateConsumer(const GroupStates::Spec& spec, Executor& executor, const Demand& demand,
                    OverflowMark& overflow, Consumer& next)
      : spec_(spec),
        executor_(executor),
        demand_(demand),
        overflow_(overflow),
        next_(next),
        stops_(spec.op.aggregates.empty() && demand.groups.first.has_value()),
        shared_{PartedGroups(spec), FirstGroups(spec, stops_ ? std::nullopt : demand.groups.first)},
        packing_(spec, may_pack()) {}

  Result<std::unique_ptr<Sink>> make_sink() override {
    return std::unique_ptr<Sink>(
        std::make_unique<AggregateSink>(spec_, shared_, packing_, executor_, overflow_,
                                        stops_ ? demand_.groups.first : std::nullopt));
  }

  Status complete(std::vector<std::unique_ptr<Sink>> sinks) override {
    EVQ_CHECK(!sinks.empty());
    std::vector<GroupParts*> plain;
    std::vector<GroupParts*> packed;
    PackedGroups* packed_by = nullptr;
    for (const std::unique_ptr<Sink>& one : sinks) {
      auto& sink = static_cast<AggregateSink&>(*one);
      plain.push_back(&sink.groups());
      if (sink.packed_groups() != nullptr) {
        packed.push_back(sink.packed_groups());
        packed_by = sink.packed();
      }
    }
    const auto is_empty = [](const GroupParts* groups) {
      return !groups->parted() && groups->size() == 0;
    };
    std::vector<Groups> parts;
    if (packed_by == nullptr) {
      GroupMerge merge(spec_, shared_, plain);
      EVQ_TRY(make_parts(merge, &parts));
    } else if (std::ranges::all_of(plain, is_empty)) {
      GroupMerge merge(packed_by->spec, packed_by->shared, packed);
      EVQ_TRY(make_parts(merge, &parts));
    } else {
      std::vector<Groups> earlier;
      GroupMerge merge_packed(packed_by->spec, packed_by->shared, packed);
      EVQ_TRY(make_all(merge_packed, &earlier));
      GroupMerge merge(spec_, shared_, plain, earlier);
      EVQ_TRY(make_parts(merge, &parts));
    }
    sinks.clear();
    if (demand_.groups.only_counted) {
      return push_counted();
    }
    EVQ_TRY(overflow_.note(choose_rows(parts)));
    return push_output(parts);
  }

  std::size_t groups() const { return groups_; }

 private:
  using Groups = GroupMerge::Groups;
  using Parts = std::span<const Groups>;

  // Numbers differ from pass to pass, so that a group might be in another share each time; and a
  // worker that merges in the order of the stream, or ends early, adds all rows to the same groups.
  bool may_pack() const {
    return spec_.shares.all() && spec_.op.groups.size() > 1 && spec_.waiting_rows_max > 0 &&
           !demand_.groups.first.has_value();
  }

  Status make_all(GroupMerge& merge, std::vector<Groups>* parts) {
    EVQ_TRY(overflow_.note(merge.prepare()));
    parts->resize(merge.parts());
    const auto make = [&](std::size_t part) { return merge.make(part, &(*parts)[part]); };
    return overflow_.note(executor_.run_each(parts->size(), make));
  }

  // Makes what is needed of the groups.
  Status make_parts(GroupMerge& merge, std::vector<Groups>* parts) {
    EVQ_TRY(overflow_.note(merge.prepare()));
    parts->resize(merge.parts());
    std::vector<std::size_t> sizes(parts->size());
    const auto make_part = [&](std::size_t part) -> Status {
      Groups& groups = (*parts)[part];
      EVQ_TRY(merge.make(part, &groups));
      sizes[part] = groups->size();
      if (demand_.groups.only_counted) {
        groups.reset();
        return Status::success();
      }
      return merge.in_parts() ? keep_wanted_groups(groups.get()) : Status::success();
    };
    EVQ_TRY(overflow_.note(executor_.run_each(parts->size(), make_part)));
    groups_ = std::reduce(sizes.begin(), sizes.end());
    return Status::success();
  }

  // Lets go of a part's groups that the operators above leave out, so that they take no memory
  // while the other parts are merged: filters tell by the group itself, a top by the others of the
  // part.
  Status keep_wanted_groups(GroupStates* part) const {
    const std::optional<TopRows>& top = demand_.groups.top;
    const std::size_t keys = spec_.op.groups.size();
    const bool filters = !demand_.groups.filters.empty();
    const bool tops = top.has_value() && top->count < part->size();
    if ((!filters && !tops) || chooses_rows()) {
      return Status::success();
    }
    RowList kept;
    EVQ_TRY(executor_.meter("summarize").guard([&] {
      kept = filters ? groups_that_pass(*part, keys, demand_.groups.filters, spec_.context)
                     : top_groups(*part, *top);
    }));
    return kept.size() <= part->size() / kGroupsPerKeptMin ? part->keep(kept) : Status::success();
  }

  static RowList top_groups(const GroupStates& part, const TopRows& top) {
    const auto values = [&](std::size_t key, const RowList& groups) {
      return part.column(top.keys[key].column, groups);
    };
    const auto position = [&](std::size_t group) { return part.table().first_seen(group); };
    return rows_that_may_be_top(part.size(), top, {values, position});
  }

  bool chooses_rows() const {
    return std::ranges::any_of(spec_.op.aggregates, [](const plan::AggregateCall& call) {
      return call.row_cells != nullptr;
    });
  }

  // Of aggregates that know rows by their places: `parts` hold all groups between them.
  Status choose_rows(Parts parts) {
    for (std::size_t i = 0; i < spec_.op.aggregates.size(); ++i) {
      if (const plan::RowCells* cells = spec_.op.aggregates[i].row_cells.get()) {
        std::vector<RowChoice*> choices(parts.size());
        std::ranges::transform(parts, choices.begin(), [i](const auto& part) {
          return &static_cast<RowChoice&>(part->state(i));
        });
        EVQ_TRY(choose_tied_rows(executor_, *cells, choices));
      }
    }
    return Status::success();
  }

  Status push_output(Parts parts) {
    if (spec_.op.groups.empty()) {
      std::vector<Vector> results;
      EVQ_TRY(make_results(*parts[0], &results));
      std::vector<Chunk> only;
      only.emplace_back(std::move(results), 1);
      return push_all(std::move(only), next_);
    }
    return push_groups(parts);
  }

  // As many rows as there are groups, without columns.
  Status push_counted() {
    const auto next_rows = [left = groups_]() mutable {
      const std::size_t rows = std::min(kChunkRowsMax, left);
      left -= rows;
      return Chunk({}, rows);
    };
    return executor_.push_each(next_rows, "summarize", next_);
  }

  Status push_groups(Parts parts) {
    AggregateOutput output(parts, spec_.op.groups.size(), demand_,
                           executor_.options().rows_at_once.value_or(AggregateOutput::kRowsMax));
    std::vector<MemoryLease> leases(parts.size());  // of the results
    AllocationMeter meter = executor_.meter("summarize");
    if (output.chooses()) {
      RowList top;
      EVQ_TRY(find_top_groups(parts, output, &top));
      EVQ_TRY(overflow_.note(meter.guard([&] { output.choose(top); })));
    }
    if (output.needs_results()) {
      std::vector<std::vector<Vector>> results(parts.size());
      const auto finish = [&](std::size_t part) -> Status {
        EVQ_TRY(make_results(*parts[part], &results[part]));
        return hold(results[part], &leases[part]);
      };
      EVQ_TRY(overflow_.note(executor_.run_each(parts.size(), finish)));
      EVQ_TRY(overflow_.note(meter.guard([&] { output.order(std::move(results)); })));
    } else if (!output.chooses()) {
      // That there is room is asked before rows are handed on, while groups can still be made some
      // at a time.
      MemoryLease room(executor_.options().budget, "summarize");
      EVQ_TRY(overflow_.note(room.grow(output.chunk_bytes() * executor_.options().workers)));
    }
    if (!spec_.shares.all()) {  // memory is short: one chunk at a time
      return executor_.push_each(
          [&, i = std::size_t{0}]() mutable {
            return i < output.chunks() ? output.chunk(i++) : Chunk();
          },
          "summarize", next_);
    }
    return executor_.push_chunks(
        output.chunks(), [&](std::size_t i) { return output.chunk(i); }, "summarize", next_);
  }

  // What that takes besides the numbers of the groups is given back at the end.
  Status find_top_groups(Parts parts, const AggregateOutput& output, RowList* top) {
    std::vector<MemoryLease> leases(parts.size());
    std::vector<Vector> first_keys(parts.size());
    const auto make_one = [&](std::size_t part) -> Status {
      EVQ_TRY(
          executor_.meter("summarize").guard([&] { first_keys[part] = output.first_key(part); }));
      return hold({&first_keys[part], 1}, &leases[part]);
    };
    EVQ_TRY(overflow_.note(executor_.run_each(parts.size(), make_one)));
    AllocationMeter meter = executor_.meter("summarize");
    return overflow_.note(meter.guard([&] { *top = output.top_groups(first_keys); }));
  }

  Status make_results(const GroupStates& part, std::vector<Vector>* results) const {
    AllocationMeter meter = executor_.meter("summarize");
    return meter.guard([&] { *results = part.results(0, part.size()); });
  }

  Status hold(std::span<const Vector> results, MemoryLease* lease) const {
    *lease = MemoryLease(executor_.options().budget, "summarize");
    std::size_t bytes = 0;
    for (const Vector& column : results) {
      bytes += column.size_bytes();
    }
    return lease->grow(bytes);
  }

  const GroupStates::Spec& spec_;
  Executor& executor_;
  const Demand& demand_;
  OverflowMark& overflow_;
  Consumer& next_;
  const bool stops_;  // at so many groups: without aggregates nothing more is asked of them
  GroupParts::Shared shared_;
  Packing packing_;
  std::size_t groups_ = 0;  // that came out
};

bool only_counts_rows(const plan::Aggregate& op) {
  return std::ranges::all_of(op.aggregates, [](const plan::AggregateCall& call) {
    return call.call.aggregate->make_state()->counts_rows();
  });
}

bool only_counts_or_keeps_extremes(const plan::Aggregate& op) {
  return std::ranges::all_of(op.aggregates, [](const plan::AggregateCall& call) {
    const auto state = call.call.aggregate->make_state();
    return call.args.empty() ? state->counts_rows()
                             : call.args.size() == 1 && state->keeps_extremes();
  });
}

class AggregateRun {
 public:
  AggregateRun(Executor& executor, const plan::Node& node, const Demand& demand)
      : executor_(executor),
        op_(std::get<plan::Aggregate>(node.op)),
        input_(*node.inputs[0]),
        demand_(demand) {
    for (std::size_t i = 0; i < op_.groups.size(); ++i) {
      key_types_.push_back(node.schema[i].type);
    }
    below_.groups.only_counted = op_.groups.empty() && only_counts_rows(op_);
    below_.extremes_only = op_.groups.empty() && only_counts_or_keeps_extremes(op_);
    below_.order.any = (op_.groups.empty() || demand.order.any) && !plan::looks_at_order(op_);
    below_.order.takes_stretches = true;  // groups are merged in the order of the sinks
    below_.rows.kept_keys = keys_below(demand.rows.kept_keys, node);
    chosen_time_ = chosen_time(op_, input_);
    if (chosen_time_.has_value()) {
      time_bound_.emplace(chosen_time_->newest);
      below_.rows.time_bound = &*time_bound_;
    }
  }

  Status run(Consumer& consumer) {
    const auto repeats = [this] { return !op_.groups.empty() && is_repeatable(input_); };
    const auto shares = [this](const KeyShares& some, Consumer& to, OverflowMark& overflow) {
      return run_shares(some, to, overflow);
    };
    Status done = run_by_keys(executor_, repeats, shares, consumer);
    executor_.stats().groups.store(groups_);
    return done;
  }

 private:
  Status run_shares(const KeyShares& shares, Consumer& consumer, OverflowMark& overflow) {
    const ExecOptions& options = executor_.options();
    // One worker has nobody to merge with, and while parts are made their groups are there twice.
    const bool worth = options.workers > 1 && shares.all();
    const Parting parting = options.force_parts ? Parting::kAlways
                            : worth             ? Parting::kManyGroups
                                                : Parting::kNever;
    const bool stops = op_.aggregates.empty() && demand_.groups.first.has_value();
    const bool rows_may_wait = !plan::looks_at_order(op_) && !stops;
    const std::size_t waiting_rows_max = !rows_may_wait        ? 0
                                         : options.force_parts ? kFewWaitingRows
                                                               : kWaitingRowsMax / options.workers;
    const GroupStates::Spec spec{op_,     executor_.context(), key_types_, options.budget, shares,
                                 parting, waiting_rows_max};
    AggregateConsumer aggregate(spec, executor_, demand_, overflow, consumer);
    Status done = run_input(aggregate);
    groups_ += done.ok() ? aggregate.groups() : 0;
    return done;
  }

  Status run_input(Consumer& aggregate) {
    if (!chosen_time_.has_value()) {
      return run_kept(aggregate);
    }
    const auto draw = [this](Chunk chunk) -> Result<Chunk> {
      draw_to_extreme(chunk.column(chosen_time_->column), &*time_bound_);
      return chunk;
    };
    const ExecOptions& options = executor_.options();
    MapConsumer drawing(draw, {options.budget, options.control, "summarize"}, aggregate);
    return executor_.run(input_, drawing, below_);
  }

  // Drops rows of groups that nobody needs here where nothing below does.
  Status run_kept(Consumer& aggregate) {
    std::vector<KeptKeys> kept = below_.rows.kept_keys;
    std::erase_if(kept, [this](const KeptKeys& keys) { return drops_rows(keys, input_); });
    if (kept.empty()) {
      return executor_.run(input_, aggregate, below_);
    }
    const auto keep = [&](Chunk chunk) -> Result<Chunk> {
      return rows_with(kept, std::move(chunk));
    };
    const ExecOptions& options = executor_.options();
    MapConsumer some(keep, {options.budget, options.control, "join"}, aggregate);
    return executor_.run(input_, some, below_);
  }

  Executor& executor_;
  const plan::Aggregate& op_;
  const plan::Node& input_;
  const Demand& demand_;
  std::vector<Type> key_types_;
  Demand below_;
  std::optional<ChosenTime> chosen_time_;
  std::optional<TimeBound> time_bound_;  // of those times
  std::size_t groups_ = 0;
};

}  // namespace

Status run_aggregate(Executor& executor, const plan::Node& node, const Demand& demand,
                     Consumer& consumer) {
  // Of the first few groups only the rows are looked at, which is less still.
  const bool whole = !demand.groups.first.has_value() && groups_by_place(node);
  return whole ? run_whole_groups(executor, node, consumer)
               : AggregateRun(executor, node, demand).run(consumer);
}

}  // namespace evq

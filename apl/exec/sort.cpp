// Sort, TopN and Limit: all collect rows in RowSorters, one a worker, and merge them while the
// operators after them take the rows. What does not fit into memory is sorted a part of the order
// at a time: see sort_ranges.h. A TopN whose first key is the event time tells the scan below it
// how old a row may be to matter, and makes it visit the newest blocks first. One of groups leaves
// out what cannot be among the first of its group before it sorts, and the rest afterwards: the
// groups are what it sorts by first, so that a part of the order has whole groups but for its ends.

#include <algorithm>
#include <functional>
#include <utility>

#include "apl/exec/candidates.h"
#include "apl/exec/event_time.h"
#include "apl/exec/executor.h"
#include "apl/exec/forwarding_sink.h"
#include "apl/exec/overflow_mark.h"
#include "apl/exec/repeatable.h"
#include "apl/exec/row_sorter.h"
#include "apl/exec/sort_numbers.h"
#include "apl/exec/sort_ranges.h"
#include "apl/exec/time_bound.h"
#include "apl/exec/time_order.h"
#include "store/base/allocation_meter.h"
#include "store/base/check.h"
#include "store/base/heap.h"
#include "store/base/ordered_bits.h"
#include "store/block/format.h"
#include "store/column/ordering.h"

namespace evq {
namespace {

struct SortSpec {
  std::vector<plan::SortKey> keys;
  std::size_t limit = RowSorter::kNoLimit;
  std::string_view name;
  MemoryBudget* budget = nullptr;
  Executor* executor = nullptr;
  // Draws to the time of the last row that is among the first so far; null when the first key is
  // not the event time.
  TimeBound* time_bound = nullptr;
  // Where the input can run again: set when the rows do not fit, before any is handed on.
  OverflowMark* overflow = nullptr;
  const SortRange* range = nullptr;  // the part of the order that is wanted; null: all
  // Of rows that are wanted only while they are among the first of their group: what tells others
  // before they are sorted. Null: all rows are sorted.
  const plan::RowCandidates* candidates = nullptr;

  template <class Outcome>
  Outcome note(Outcome outcome) const {
    return overflow != nullptr ? overflow->note(std::move(outcome)) : std::move(outcome);
  }
};

class SortSink final : public Sink {
 public:
  explicit SortSink(const SortSpec& spec)
      : spec_(spec),
        sorter_(spec.keys, spec.limit, spec.budget, spec.executor->options().control, spec.name) {}

  Result<Flow> push(Chunk chunk) override {
    EVQ_TRY(spec_.executor->check());
    EVQ_TRY(sorter_.add(std::move(chunk)));
    if (spec_.time_bound != nullptr && sorter_.threshold().has_value()) {
      draw_bound(*sorter_.threshold());
    }
    // Without keys the first rows of the stream win, and this worker's come in stream order.
    const bool full = spec_.keys.empty() && sorter_.rows() >= spec_.limit;
    return full ? Flow::kDone : Flow::kMore;
  }
  Status finish() override { return sorter_.finish(); }
  RowSorter& sorter() { return sorter_; }

 private:
  // The threshold is a time's ordered bits, of a descending key their complement (sort_numbers.h).
  void draw_bound(std::uint64_t threshold) const {
    TimeBound& bound = *spec_.time_bound;
    if (is_exact_sort_number(Type::kDatetime, threshold)) {
      bound.draw_to(long_of_ordered_bits(bound.newest() ? ~threshold : threshold));
    }
  }

  const SortSpec& spec_;
  RowSorter sorter_;
};

// In front of the other sinks of a sort: lets through the rows of the part of the order that is
// wanted, and notes when what these hold does not fit.
class PartSink final : public ForwardingSink {
 public:
  PartSink(const SortSpec& spec, std::unique_ptr<Sink> next)
      : ForwardingSink(std::move(next)), spec_(spec) {}

  Result<Flow> push(Chunk chunk) override {
    if (spec_.range != nullptr) {
      EVQ_TRY(spec_.executor->check());
      AllocationMeter meter = spec_.executor->meter(spec_.name);
      EVQ_TRY(spec_.note(meter.guard([&] { chunk = spec_.range->keep(std::move(chunk)); })));
      if (chunk.empty()) {
        return Flow::kMore;
      }
    }
    return spec_.note(next().push(std::move(chunk)));
  }
  Status finish() override { return spec_.note(ForwardingSink::finish()); }

 private:
  const SortSpec& spec_;
};

// All rows of SortSinks, in the first of them.
RowSorter& merge_sinks(const std::vector<std::unique_ptr<Sink>>& sinks) {
  EVQ_CHECK(!sinks.empty());
  RowSorter& first = static_cast<SortSink&>(*sinks[0]).sorter();
  for (std::size_t i = 1; i < sinks.size(); ++i) {
    first.add(std::move(static_cast<SortSink&>(*sinks[i]).sorter()));
  }
  return first;
}

// Hands on the rows of a RowSorter that has all of them.
using HandOn = std::function<Status(RowSorter& sorted)>;

class SortConsumer final : public Consumer {
 public:
  SortConsumer(const SortSpec& spec, HandOn hand_on) : spec_(spec), hand_on_(std::move(hand_on)) {}

  Result<std::unique_ptr<Sink>> make_sink() override {
    std::unique_ptr<Sink> sink = std::make_unique<SortSink>(spec_);
    if (spec_.candidates != nullptr) {
      sink = make_candidate_sink(*spec_.executor, *spec_.candidates, spec_.name, std::move(sink));
    }
    return std::unique_ptr<Sink>(std::make_unique<PartSink>(spec_, std::move(sink)));
  }
  Status complete(std::vector<std::unique_ptr<Sink>> sinks) override {
    sinks = forwarded_sinks(std::move(sinks));
    if (spec_.candidates != nullptr) {
      sinks = forwarded_sinks(std::move(sinks));
    }
    RowSorter& sorted = merge_sinks(sinks);
    if (spec_.overflow != nullptr) {
      EVQ_TRY(spec_.note(try_output(sorted)));
    }
    return hand_on_(sorted);
  }

 private:
  // Whether there is room for the rows that are put in order and handed on at a time.
  Status try_output(const RowSorter& sorted) const {
    const std::size_t rows = std::max<std::size_t>(sorted.rows(), 1);
    MemoryLease room(spec_.budget, spec_.name);
    return room.grow(2 * sorted.bytes() / rows * std::min(rows, RowSorter::kNextRowsMax));
  }

  const SortSpec& spec_;
  const HandOn hand_on_;
};

// Of rows sorted by group the first of each.
class GroupLimit {
 public:
  explicit GroupLimit(const plan::TopN& top) : top_(top) {}

  // Those of the rows to come next; an empty chunk when there are no more.
  Chunk next(RowSorter& sorted) {
    for (Chunk chunk = sorted.next(); !chunk.empty(); chunk = sorted.next()) {
      chunk = keep(std::move(chunk));
      if (!chunk.empty()) {
        return chunk;
      }
    }
    return {};
  }

 private:
  Chunk keep(Chunk chunk) {
    std::vector<std::uint32_t> kept;
    for (std::size_t row = 0; row < chunk.rows(); ++row) {
      const bool same = row > 0 ? is_one_group(chunk, row - 1, chunk, row)
                                : !last_.empty() && is_one_group(last_, 0, chunk, row);
      rows_ = same ? rows_ + 1 : 1;
      if (rows_ <= top_.count) {
        kept.push_back(static_cast<std::uint32_t>(row));
      }
    }
    if (!chunk.empty()) {
      last_ = chunk.slice(chunk.rows() - 1, 1);
    }
    if (kept.size() != chunk.rows()) {
      chunk.select(kept);
    }
    return chunk;
  }
  bool is_one_group(const Chunk& a, std::size_t i, const Chunk& b, std::size_t j) const {
    return std::all_of(top_.keys.begin(),
                       top_.keys.begin() + static_cast<std::ptrdiff_t>(top_.groups),
                       [&](const plan::SortKey& key) {
                         return rows_equal(a.column(key.column), i, b.column(key.column), j);
                       });
  }

  const plan::TopN& top_;
  Chunk last_;              // the row before
  std::uint64_t rows_ = 0;  // of the group so far
};

// Hands on all rows of a RowSorter to one sink, which takes them in order, while all workers put
// them in order.
class SideBySideMerge {
 public:
  SideBySideMerge(const SortSpec& spec, RowSorter& sorted)
      : spec_(spec), sorted_(sorted), at_once_(stretches_at_once(spec)) {}

  // Whether it is worth it, and there is memory for it.
  static bool pays(const SortSpec& spec, const RowSorter& sorted) {
    constexpr std::size_t kRowsMin = 2 * RowSorter::kNextRowsMax;
    if (spec.executor->options().workers < 2 || spec.limit != RowSorter::kNoLimit ||
        sorted.rows() < kRowsMin) {
      return false;
    }
    MemoryLease room(spec.budget, spec.name);
    const std::size_t row_bytes = sorted.bytes() / sorted.rows() + 1;
    return room.grow(2 * row_bytes * RowSorter::kNextRowsMax * stretches_at_once(spec)).ok();
  }

  Status push(Consumer& consumer) {
    EVQ_TRY_ASSIGN(std::unique_ptr<Sink> sink, consumer.make_sink());
    std::size_t stretches = 0;
    AllocationMeter meter = spec_.executor->meter(spec_.name);
    EVQ_TRY(meter.guard([&] { stretches = sorted_.cut(); }));
    Flow flow = Flow::kMore;
    for (std::size_t begin = 0; begin < stretches && flow == Flow::kMore; begin += at_once_) {
      const std::size_t end = std::min(begin + at_once_, stretches);
      EVQ_TRY(merge(begin, end));
      sorted_.let_go(end);
      for (std::size_t i = begin; i < end && flow == Flow::kMore; ++i) {
        EVQ_TRY_ASSIGN(flow, hand_on(std::exchange(merged_[i - begin], {}), *sink));
        leases_[i - begin].reset();
      }
    }
    return complete_with(std::move(sink), consumer);
  }

 private:
  static std::size_t stretches_at_once(const SortSpec& spec) {
    return 2 * spec.executor->options().workers;
  }

  // Stretches are about as long as is asked for, and sinks take so many rows at most.
  Result<Flow> hand_on(const Chunk& stretch, Sink& sink) {
    Flow flow = Flow::kMore;
    for (std::size_t row = 0; row < stretch.rows() && flow == Flow::kMore; row += kChunkRowsMax) {
      EVQ_TRY(spec_.executor->check());
      Chunk rows = stretch.slice(row, std::min(kChunkRowsMax, stretch.rows() - row));
      rows.set_sequence(sequence_++);
      EVQ_TRY_ASSIGN(flow, sink.push(std::move(rows)));
    }
    return flow;
  }

  Status merge(std::size_t begin, std::size_t end) {
    merged_.assign(end - begin, {});
    leases_.clear();
    leases_.resize(end - begin);
    return spec_.executor->run_each(
        end - begin, [&](std::size_t i) { return merge_one(begin + i, &merged_[i], &leases_[i]); });
  }

  Status merge_one(std::size_t i, Chunk* made, MemoryLease* lease) const {
    EVQ_TRY(spec_.executor->check());
    AllocationMeter meter = spec_.executor->meter(spec_.name);
    EVQ_TRY(meter.guard([&] { *made = sorted_.stretch(i); }));
    *lease = MemoryLease(spec_.budget, spec_.name);
    return lease->grow(made->size_bytes());
  }

  const SortSpec& spec_;
  RowSorter& sorted_;
  const std::size_t at_once_;
  std::uint64_t sequence_ = 0;
  std::vector<Chunk> merged_;
  std::vector<MemoryLease> leases_;
};

// A sort, or a limit of one, all at once or range by range; its rows go to one sink in order.
class SortRun {
 public:
  SortRun(const SortSpec& spec, const plan::Node& input) : spec_(spec), input_(input) {}
  // Hands on the first rows of each group of `top`, whose keys are the sort's.
  SortRun(const SortSpec& spec, const plan::Node& input, const plan::TopN& top)
      : spec_(spec), input_(input), groups_(std::in_place, top) {}

  Status run(const Demand& demand, Consumer& consumer) {
    const CountsOfOneRun counts(spec_.executor->stats());
    OverflowMark overflow;
    SortSpec at_once = spec_;
    if (!spec_.keys.empty() && is_repeatable(input_)) {
      at_once.overflow = &overflow;
    }
    SortConsumer sort(at_once, [&](RowSorter& sorted) {
      if (!groups_.has_value() && SideBySideMerge::pays(spec_, sorted)) {
        return SideBySideMerge(spec_, sorted).push(consumer);
      }
      return spec_.executor->push_each([&] { return next(sorted); }, spec_.name, consumer);
    });
    Status done = spec_.executor->run(input_, sort, demand);
    if (!overflow.is_set()) {
      return done;
    }
    counts.forget();
    return_free_memory();
    EVQ_TRY_ASSIGN(const KeySample sample, sample_keys(*spec_.executor, input_, spec_.keys));
    EVQ_TRY_ASSIGN(std::unique_ptr<Sink> sink, consumer.make_sink());
    EVQ_TRY(run_ranges(sample, counts, *sink));
    return complete_with(std::move(sink), consumer);
  }

 private:
  Status run_ranges(const KeySample& sample, const CountsOfOneRun& counts, Sink& sink) {
    std::vector<SortRange> ranges = sort_ranges(spec_.keys, sample, bytes_free() / 2);
    std::ranges::reverse(ranges);
    std::size_t rows_left = spec_.limit;
    std::uint64_t sequence = 0;
    while (!ranges.empty() && rows_left > 0) {
      const SortRange range = ranges.back();
      ranges.pop_back();
      counts.forget();
      return_free_memory();
      OverflowMark overflow;
      SortSpec part = spec_;
      part.limit = RowSorter::kNoLimit;
      part.time_bound = nullptr;
      part.overflow = &overflow;
      part.range = &range;
      SortConsumer sort(part, [&](RowSorter& sorted) -> Status {
        const auto next_rows = [&] {
          Chunk chunk = rows_left > 0 ? next(sorted) : Chunk();
          const std::size_t rows = std::min(rows_left, chunk.rows());
          rows_left -= rows;
          return rows == chunk.rows() ? chunk : chunk.slice(0, rows);
        };
        EVQ_TRY_ASSIGN(const Flow flow,
                       spec_.executor->push_into(sink, next_rows, spec_.name, &sequence));
        rows_left = flow == Flow::kDone ? 0 : rows_left;
        return {};
      });
      Status done = spec_.executor->run(input_, sort);
      const auto halves = overflow.is_set() ? range.halves() : std::nullopt;
      if (halves.has_value()) {
        ranges.push_back(halves->second);
        ranges.push_back(halves->first);
        continue;
      }
      EVQ_TRY(std::move(done));
    }
    return {};
  }

  Chunk next(RowSorter& sorted) {
    return groups_.has_value() ? groups_->next(sorted) : sorted.next();
  }

  std::size_t bytes_free() const {
    const std::size_t limit = spec_.budget != nullptr ? spec_.budget->limit() : 0;
    return limit == 0 ? kQueryMemoryBytesDefault : limit - std::min(limit, spec_.budget->used());
  }

  const SortSpec& spec_;
  const plan::Node& input_;
  std::optional<GroupLimit> groups_;
};

// What tells rows that are not among the first of their group.
plan::RowCandidates candidates_of(const plan::TopN& top) {
  plan::RowCandidates candidates{{}, {}, top.count};
  for (std::size_t i = 0; i < top.groups; ++i) {
    candidates.groups.push_back(top.keys[i].column);
  }
  if (top.groups < top.keys.size()) {
    candidates.keys.push_back(top.keys[top.groups]);
  }
  return candidates;
}

// Where column `column` of `node`'s output comes from when that is an aggregation below it whose
// every group becomes one row.
std::optional<std::size_t> aggregate_column(const plan::Node& node, std::size_t column) {
  if (std::holds_alternative<plan::Aggregate>(node.op)) {
    return column;
  }
  const auto* project = std::get_if<plan::Project>(&node.op);
  if (project == nullptr || !project->exprs[column]->is_column() ||
      !std::ranges::all_of(project->exprs, [](const plan::ExprPtr& expr) {
        return plan::is_deterministic(*expr);
      })) {
    return std::nullopt;
  }
  return aggregate_column(*node.inputs[0], project->exprs[column]->column);
}

// Which groups of an aggregation below `node` come first, by as many leading keys as are columns of
// the aggregation; nothing where not even the first is.
std::optional<TopRows> top_groups(const plan::Node& node, const SortSpec& spec) {
  TopRows top;
  top.count = spec.limit;
  for (const plan::SortKey& key : spec.keys) {
    const std::optional<std::size_t> column = aggregate_column(node, key.column);
    // Sort numbers tell no two dynamics apart.
    if (!column.has_value() ||
        (!top.keys.empty() && node.schema[key.column].type == Type::kDynamic)) {
      break;
    }
    top.keys.push_back({*column, key.order});
  }
  top.all_keys = top.keys.size() == spec.keys.size();
  return top.keys.empty() ? std::nullopt : std::optional(std::move(top));
}

// Whether each row of `node` is a group of an aggregation.
bool has_groups(const plan::Node& node) {
  if (const auto* aggregate = std::get_if<plan::Aggregate>(&node.op)) {
    return !aggregate->groups.empty();
  }
  return std::holds_alternative<plan::Project>(node.op) && has_groups(*node.inputs[0]);
}

}  // namespace

Status run_sort(Executor& executor, const plan::Node& node, const Demand& demand,
                Consumer& consumer) {
  if (demand.order.takes_stretches) {
    EVQ_TRY_ASSIGN(const TimeOrder order, time_order_below(executor, node));
    if (order != TimeOrder::kNone) {
      TimeMerge merge(executor, node, order, consumer);
      EVQ_TRY(merge.prepare());
      Demand below;
      below.order.time_order = order;
      return executor.run(*node.inputs[0], merge, below);
    }
  }
  SortSpec spec;
  spec.keys = std::get<plan::Sort>(node.op).keys;
  spec.name = std::get<plan::Sort>(node.op).asker;
  spec.budget = executor.options().budget;
  spec.executor = &executor;
  return SortRun(spec, *node.inputs[0]).run({}, consumer);
}

Status run_top_n(Executor& executor, const plan::Node& node, Consumer& consumer) {
  SortSpec spec;
  spec.name = "top";
  spec.budget = executor.options().budget;
  spec.executor = &executor;
  if (const auto* top = std::get_if<plan::TopN>(&node.op)) {
    spec.keys = top->keys;
    if (top->groups > 0 && top->count > 0) {
      const plan::RowCandidates candidates = candidates_of(*top);
      spec.candidates = &candidates;
      return SortRun(spec, *node.inputs[0], *top).run({}, consumer);
    }
    spec.limit = static_cast<std::size_t>(top->count);
  } else {
    spec.limit = static_cast<std::size_t>(std::get<plan::Limit>(node.op).count);
  }
  TimeBound time_bound(!spec.keys.empty() && spec.keys[0].order.descending);
  Demand demand;
  if (!spec.keys.empty() && is_event_time(*node.inputs[0], spec.keys[0].column)) {
    EVQ_TRY(draw_to_catalog(executor, *node.inputs[0], spec.limit, &time_bound));
    spec.time_bound = &time_bound;
    demand.rows.time_bound = &time_bound;
  }
  if (!spec.keys.empty()) {
    demand.groups.top = top_groups(*node.inputs[0], spec);
  } else if (has_groups(*node.inputs[0])) {
    demand.groups.first = spec.limit;
  }
  return SortRun(spec, *node.inputs[0]).run(demand, consumer);
}

}  // namespace evq

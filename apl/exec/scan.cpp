// Scanning a dataset: workers take one block after the other from a shared list. What they read of
// one is told in block_rows.h. Blocks are skipped by time range, by the bound of a TopN above
// (RowDemand::time_bound), and by statistics and token filters (BlockTest), in that order.

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>

#include "apl/exec/block_rows.h"
#include "apl/exec/executor.h"
#include "apl/exec/pruning.h"
#include "apl/exec/time_bound.h"
#include "apl/exec/time_order.h"

namespace evq {
namespace {

// Block indexes of a snapshot in the order to visit them.
std::vector<std::uint32_t> visiting_order(const Snapshot& snapshot, const plan::Scan& scan,
                                          const Demand& demand) {
  if (demand.order.time_order != TimeOrder::kNone) {
    return blocks_by_time(snapshot, scan, demand.order.time_order);
  }
  std::vector<std::uint32_t> order(snapshot.blocks().size());
  std::iota(order.begin(), order.end(), 0U);
  if (demand.rows.time_bound != nullptr) {
    const std::span<const SnapshotBlock> blocks = snapshot.blocks();
    std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
      return demand.rows.time_bound->newest() ? blocks[a].max_time > blocks[b].max_time
                                              : blocks[a].min_time < blocks[b].min_time;
    });
  }
  return order;
}

void lower(std::atomic<std::int64_t>* bound, std::int64_t value) {
  std::int64_t seen = bound->load(std::memory_order_relaxed);
  while (value < seen && !bound->compare_exchange_weak(seen, value)) {
  }
}

void raise(std::atomic<std::int64_t>* bound, std::int64_t value) {
  std::int64_t seen = bound->load(std::memory_order_relaxed);
  while (value > seen && !bound->compare_exchange_weak(seen, value)) {
  }
}

// Whether the catalog says all that is asked of a block whose rows all lie in the scan's range: how
// many there are and, where the demand says so, their least and greatest time.
bool asks_catalog_only(const plan::Scan& scan, const Demand& demand) {
  const auto is_time = [](const plan::ScanColumn& column) {
    return column.type == Type::kDatetime &&
           (column.field == plan::kTimeColumn || column.field == kTimeField);
  };
  return scan.filters.empty() && (scan.columns.empty() || demand.extremes_only) &&
         std::ranges::all_of(scan.columns, is_time);
}

// What all workers of one scan share.
struct SharedScan {
  PreparedScan prepared;
  const Snapshot& snapshot;
  const Demand& demand;
  BlockTest test;
  bool has_test;
  bool catalog_only;
  std::vector<std::uint32_t> order;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
};

// The blocks of which rows are read: as many workers have something to do.
std::size_t blocks_to_read(const SharedScan& shared) {
  const plan::Scan& scan = shared.prepared.node;
  if (!shared.catalog_only) {
    return shared.order.size();
  }
  const auto inside = std::ranges::count_if(shared.order, [&](std::uint32_t index) {
    return lies_inside(shared.snapshot.blocks()[index], scan, scan.time_min, scan.time_max);
  });
  return shared.order.size() - static_cast<std::size_t>(inside);
}

class ScanWorker {
 public:
  // With a stretch of its own, or null.
  ScanWorker(SharedScan& shared, Sink& sink, const TimeStretch* stretch)
      : shared_(shared),
        executor_(shared.prepared.executor),
        scan_(shared.prepared.node),
        sink_(sink),
        stretch_(stretch) {
    if (stretch != nullptr) {
      time_min_ = std::max(time_min_, stretch->time_min);
      time_max_ = std::min(time_max_, stretch->time_max);
    }
  }

  Status run() {
    while (!shared_.stop.load(std::memory_order_relaxed)) {
      const std::optional<std::size_t> position = take_position();
      if (!position.has_value()) {
        break;
      }
      EVQ_TRY(executor_.check());
      const std::uint32_t index = shared_.order[*position];
      own_ = stretch_ == nullptr || *position >= stretch_->own_begin;
      EVQ_TRY_ASSIGN(const Flow flow, scan_block(index, stretch_ != nullptr ? *position : index));
      if (flow == Flow::kDone) {
        break;
      }
    }
    return sink_.finish();
  }

 private:
  std::optional<std::size_t> take_position() {
    if (stretch_ != nullptr) {
      return taken_ < stretch_->positions.size()
                 ? std::optional<std::size_t>(stretch_->positions[taken_++])
                 : std::nullopt;
    }
    const std::size_t position = shared_.next.fetch_add(1, std::memory_order_relaxed);
    return position < shared_.order.size() ? std::optional(position) : std::nullopt;
  }

  Result<Flow> scan_block(std::uint32_t index, std::uint64_t sequence) {
    const SnapshotBlock& info = shared_.snapshot.blocks()[index];
    if (info.max_time < time_min_ || info.min_time > time_max_ ||
        info.ordinal_end <= scan_.arrived_from || info.first_ordinal >= scan_.arrived_before) {
      return Flow::kMore;
    }
    const bool inside = lies_inside(info, scan_, time_min_, time_max_);
    const TimeBound* bound = shared_.demand.rows.time_bound;
    const bool excluded = bound != nullptr && bound->excludes(info.min_time, info.max_time);
    if (inside && scan_.filters.empty() && (excluded || shared_.catalog_only)) {
      count(info, info.rows, !excluded);
      return excluded ? Flow::kMore : push_unread(info, sequence);
    }
    if (excluded && !executor_.options().exact_matches) {
      return Flow::kMore;
    }
    return scan_rows(index, sequence, info, excluded);
  }

  // All rows of a block, each with its least time but one, which has the greatest.
  Result<Flow> push_unread(const SnapshotBlock& info, std::uint64_t sequence) {
    const auto push = [&](std::int64_t time, std::size_t rows) {
      const Vector times = Vector::constant(Values::make_constant(Value::datetime(time)), rows);
      Chunk chunk(std::vector<Vector>(scan_.columns.size(), times), rows);
      chunk.set_sequence(sequence);
      return sink_.push(std::move(chunk));
    };
    if (scan_.columns.empty() || info.min_time == info.max_time) {
      return push(info.min_time, info.rows);
    }
    EVQ_TRY_ASSIGN(const Flow flow, push(info.min_time, info.rows - 1));
    return flow == Flow::kDone ? flow : push(info.max_time, 1);
  }

  Result<Flow> scan_rows(std::uint32_t index, std::uint64_t sequence, const SnapshotBlock& info,
                         bool count_only) {
    EVQ_TRY_ASSIGN(StoredBlock block, shared_.snapshot.open(info));
    if (shared_.has_test) {
      EVQ_TRY_ASSIGN(const bool may_match, block.may_match(shared_.test));
      if (!may_match) {
        if (own_ && scan_.counted) {
          executor_.stats().rows_examined.fetch_add(info.rows, std::memory_order_relaxed);
          executor_.stats().rows_unread.fetch_add(info.rows, std::memory_order_relaxed);
          executor_.stats().blocks_excluded.fetch_add(1, std::memory_order_relaxed);
        }
        return Flow::kMore;
      }
    }
    BlockRows rows(shared_.prepared, block, index);
    EVQ_TRY(rows.keep_times(time_min_, time_max_));
    EVQ_TRY(rows.keep_arrivals(scan_.arrived_from, scan_.arrived_before));
    for (std::size_t i = 0; i < scan_.filters.size() && rows.size() > 0; ++i) {
      EVQ_TRY(rows.apply(i));
    }
    count(info, rows.size(), true);
    for (const KeptKeys& kept : shared_.demand.rows.kept_keys) {
      if (rows.size() > 0 && !count_only && kept.test->pays()) {
        EVQ_TRY(rows.keep_keys(kept));
      }
    }
    if (rows.size() == 0 || count_only) {
      count_cached(block);
      return Flow::kMore;
    }
    Flow flow = Flow::kMore;
    while (flow == Flow::kMore) {
      EVQ_TRY_ASSIGN(Chunk chunk, rows.next(sequence));
      if (chunk.empty()) {
        break;
      }
      EVQ_TRY_ASSIGN(flow, sink_.push(std::move(chunk)));
    }
    count_cached(block);
    return flow;
  }

  void count(const SnapshotBlock& info, std::size_t matched, bool examined) {
    QueryStats& stats = executor_.stats();
    if (!scan_.counted) {
      return;
    }
    if (!own_) {  // somebody else counts the block
      stats.rows_matched.fetch_add(matched, std::memory_order_relaxed);
      return;
    }
    stats.rows_examined.fetch_add(info.rows, std::memory_order_relaxed);
    stats.rows_unread.fetch_add(examined ? 0 : info.rows, std::memory_order_relaxed);
    stats.rows_matched.fetch_add(matched, std::memory_order_relaxed);
    std::atomic<std::uint64_t>& blocks = examined ? stats.blocks_examined : stats.blocks_counted;
    blocks.fetch_add(1, std::memory_order_relaxed);
    stats.blocks_matched.fetch_add(examined && matched > 0 ? 1 : 0, std::memory_order_relaxed);
    lower(&stats.min_block_time, info.min_time);
    raise(&stats.max_block_time, info.max_time);
    if (executor_.options().control != nullptr) {
      executor_.options().control->add_rows(info.rows);
      executor_.options().control->add_bytes(info.stored_bytes);
    }
  }

  // Once all that is wanted of the block has been read.
  void count_cached(const StoredBlock& block) {
    if (own_ && scan_.counted && block.came_from_cache()) {
      executor_.stats().blocks_cached.fetch_add(1, std::memory_order_relaxed);
    }
  }

  SharedScan& shared_;
  Executor& executor_;
  const plan::Scan& scan_;
  Sink& sink_;
  const TimeStretch* const stretch_;
  std::int64_t time_min_ = scan_.time_min;
  std::int64_t time_max_ = scan_.time_max;
  std::size_t taken_ = 0;  // of the stretch's blocks
  bool own_ = true;        // the block at hand
};

}  // namespace

Status run_scan(Executor& executor, const plan::Scan& scan, const Demand& demand,
                Consumer& consumer) {
  EVQ_TRY_ASSIGN(const Snapshot* snapshot, executor.tables().snapshot(scan.table));
  SharedScan shared{prepare_scan(executor, scan),
                    *snapshot,
                    demand,
                    block_test(scan),
                    !scan.filters.empty(),
                    asks_catalog_only(scan, demand),
                    visiting_order(*snapshot, scan, demand)};
  shared.prepared.last_rows_first = demand.order.time_order == TimeOrder::kDescending;
  executor.stats().blocks_total.fetch_add(snapshot->blocks().size());
  const std::size_t workers =
      std::clamp<std::size_t>(blocks_to_read(shared), 1, executor.options().workers);
  std::vector<TimeStretch> stretches;
  if (demand.order.time_order != TimeOrder::kNone) {
    stretches = time_stretches(*snapshot, shared.order, demand.order.time_order, workers);
  }
  std::vector<std::unique_ptr<Sink>> sinks;
  for (std::size_t i = 0; i < workers; ++i) {
    EVQ_TRY_ASSIGN(std::unique_ptr<Sink> sink, consumer.make_sink());
    sinks.push_back(std::move(sink));
  }
  std::vector<Status> outcomes(workers);
  const auto work = [&](std::size_t worker) {
    const TimeStretch* stretch = stretches.empty() ? nullptr : &stretches[worker];
    outcomes[worker] = ScanWorker(shared, *sinks[worker], stretch).run();
    if (!outcomes[worker].ok()) {
      shared.stop.store(true);
    }
  };
  executor.run_workers(workers, work);
  for (Status& outcome : outcomes) {
    EVQ_TRY(std::move(outcome));
  }
  return consumer.complete(std::move(sinks));
}

}  // namespace evq

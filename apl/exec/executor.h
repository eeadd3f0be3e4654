#pragma once
// Executor: runs a bound plan. One object runs one query; it owns what the run shares (results of
// shared subplans, the limits) and nothing of the store. The caller provides the tables as
// Snapshots, which stay pinned until the executor is gone.

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "apl/exec/kept_keys.h"
#include "apl/exec/operator.h"
#include "apl/exec/profile.h"
#include "apl/exec/query_stats.h"
#include "apl/exec/row_operators.h"
#include "apl/exec/top_rows.h"
#include "apl/plan/plan.h"
#include "store/base/control.h"
#include "store/base/memory_budget.h"
#include "store/base/thread_pool.h"
#include "store/snapshot.h"

namespace evq {

// Resolves the TableRefs of a plan.
class SnapshotProvider {
 public:
  virtual ~SnapshotProvider() = default;
  virtual Result<const Snapshot*> snapshot(const plan::TableRef& table) = 0;
};

struct ExecOptions {
  std::size_t workers = 1;
  ThreadPool* pool = nullptr;       // null: everything on the calling thread
  MemoryBudget* budget = nullptr;   // null: unlimited
  QueryControl* control = nullptr;  // null: no deadline, no cancellation
  // Count rows that match in blocks an early stop would skip, so that rows_matched is the total.
  bool exact_matches = false;
  // Test configurations: turn every dictionary into a flat vector before operators see it; let the
  // workers merge groups in parts however few there are; read, or fetch, no more than so many of a
  // block's rows at a time; let joins hold a left side of up to so many rows first, whatever the
  // estimates.
  bool force_flat = false;
  bool force_parts = false;
  std::optional<std::size_t> rows_at_once{};
  std::optional<std::size_t> join_left_rows{};
};

enum class TimeOrder : std::uint8_t { kNone, kAscending, kDescending };

// How old, or how new, a row may be to be among the first rows by time: a bound that draws nearer
// as such rows are found. Any thread.
class TimeBound {
 public:
  // The newest rows come first, else the oldest.
  explicit TimeBound(bool newest)
      : newest_(newest), time_(newest ? kUnboundedStart : kUnboundedEnd) {}

  bool newest() const { return newest_; }
  // Rows beyond `time` cannot reach the result; those at it still may.
  void draw_to(std::int64_t time) {
    std::int64_t seen = time_.load(std::memory_order_relaxed);
    while ((newest_ ? time > seen : time < seen) && !time_.compare_exchange_weak(seen, time)) {
    }
  }
  // Whether rows of these times cannot reach the result.
  bool excludes(std::int64_t min_time, std::int64_t max_time) const {
    const std::int64_t time = time_.load(std::memory_order_relaxed);
    return newest_ ? max_time < time : min_time > time;
  }

 private:
  const bool newest_;
  std::atomic<std::int64_t> time_;
};

// Tells a scan or an aggregation what the operators above it make of its rows. A node between them
// passes on what it names, and nothing else.
struct ScanHints {
  // Rows that it excludes need not come, and blocks are visited from its side on. Null: no bound.
  const TimeBound* time_bound = nullptr;
  // Visit blocks in this order of their times, each worker a stretch of time: the sinks, in the
  // order in which they were made, get one stretch after the other. A chunk's sequence is its
  // block's place in that order, and its rows are some of the block's, as they lie there; those of
  // the block's next chunk come behind them in this order.
  TimeOrder time_order = TimeOrder::kNone;
  // What the sinks get is put in order by sequences, or one sink after the other: sorted rows may
  // come as such stretches.
  bool takes_stretches = false;
  // Groups of an aggregation that are not among these cannot reach the result.
  std::optional<TopRows> top_groups;
  // Right above an aggregation: groups that these do not let through cannot reach the result.
  std::vector<const plan::Filter*> group_filters{};
  // Of the groups of an aggregation only so many, the first ones, are taken.
  std::optional<std::size_t> first_groups;
  // Rows that lack one of these keys need not come.
  std::vector<KeptKeys> kept_keys{};
  // All that is asked of an aggregation is how many groups there are: its rows may come in any
  // order and without columns.
  bool groups_only_counted = false;
  // Nothing is asked of the rows but how many there are and, of each column, the least and the
  // greatest value: others may stand in for the rest.
  bool extremes_only = false;
  bool any_order = false;  // of rows, all of which are read
  // The rows of a sort, and those that window functions make of them, are wanted in order in one
  // sink: none of these holds them all, whose rows would go to several.
  bool one_sink = false;
};

// The whole output of a node, in order, and the bytes it was charged for.
struct Collected {
  std::vector<Chunk> chunks;
  MemoryLease lease;
};

class Executor {
 public:
  Executor(const EvalContext& context, const ExecOptions& options, SnapshotProvider* tables,
           QueryStats* stats);
  ~Executor();

  // Runs `node` to its end, or until `consumer` wants no more.
  Status run(const plan::Node& node, Consumer& consumer, const ScanHints& hints = {});
  // Runs `node` and keeps its output, or what `keep`, when given, makes of each chunk of it; rows
  // that lack a key of `kept_keys` need not be among it. `operator_name`, a literal, is for memory
  // errors.
  Result<Collected> collect(const plan::Node& node, std::string_view operator_name,
                            const ChunkMap& keep = {}, const std::vector<KeptKeys>& kept_keys = {});
  // Pushes the chunks that `make` gives, until it gives an empty one, into one sink of `consumer`
  // and completes it. Each is charged while the operators after this one have it.
  Status push_each(const std::function<Chunk()>& make, std::string_view operator_name,
                   Consumer& consumer) const;

  // The same into a sink that gets more afterwards; numbers the chunks from `*sequence` on. Whether
  // the sink wants more.
  Result<Flow> push_into(Sink& sink, const std::function<Chunk()>& make,
                         std::string_view operator_name, std::uint64_t* sequence) const;

  // Pushes the chunks make(0) … make(count - 1), which any thread makes, into sinks of `consumer`,
  // one a worker, and completes it. Charged as by push_each().
  Status push_chunks(std::size_t count, const std::function<Chunk(std::size_t)>& make,
                     std::string_view operator_name, Consumer& consumer) const;

  // Calls work(0) … work(workers - 1), on the pool's threads where there is a pool.
  void run_workers(std::size_t workers, const std::function<void(std::size_t)>& work) const;
  // Calls work(0) … work(count - 1), each by the next worker who is free. The failure of the lowest
  // number, if any.
  Status run_each(std::size_t count, const std::function<Status(std::size_t)>& work) const;
  // From now on nodes tell `profile` what they cost; null: nobody.
  void set_profile(QueryProfile* profile) { profile_ = profile; }

  const EvalContext& context() const { return context_; }
  const ExecOptions& options() const { return options_; }
  QueryStats& stats() { return *stats_; }
  SnapshotProvider& tables() { return *tables_; }
  // kCancelled or kTimeout when the query must end.
  Status check() const;
  // The rows that Placeholders of Apply number `apply` stand for while it runs its subplan;
  // null afterwards.
  void set_placeholder(std::uint64_t apply, const std::vector<Chunk>* rows);

 private:
  // Pushes the chunk that `make` gives, charged meanwhile; not one without rows.
  Result<Flow> push_one(Sink& sink, const std::function<Chunk()>& make,
                        std::string_view operator_name) const;
  Status run_profiled(const plan::Node& node, Consumer& consumer, const ScanHints& hints);
  Status run_flat(const plan::Node& node, Consumer& consumer, const ScanHints& hints);
  Status run_input(const plan::Node& node, Consumer& consumer, const ScanHints& hints);
  Status run_union(const plan::Node& node, Consumer& consumer, const ScanHints& hints);
  Status run_shared(const plan::Shared& shared, Consumer& consumer);

  struct SharedResult {
    Collected made;
    std::vector<std::uint64_t> applies;  // whose rows it was made of
  };

  const EvalContext context_;
  const ExecOptions options_;
  SnapshotProvider* const tables_;
  QueryStats* const stats_;
  QueryProfile* profile_ = nullptr;
  // By plan, which is kept so that its address stays its own.
  std::map<std::shared_ptr<const plan::Node>, SharedResult> shared_results_;
  std::map<std::uint64_t, const std::vector<Chunk>*> placeholders_;  // by apply
};

// The implementations of single nodes; each lives in the file named after it.
Status run_scan(Executor& executor, const plan::Scan& scan, const ScanHints& hints,
                Consumer& consumer);
Status run_sequence(Executor& executor, const plan::Sequence& sequence, Consumer& consumer);
Status run_fetch(Executor& executor, const plan::Node& node, const ScanHints& hints,
                 Consumer& consumer);
Status run_aggregate(Executor& executor, const plan::Node& node, const ScanHints& hints,
                     Consumer& consumer);
Status run_sort(Executor& executor, const plan::Node& node, const ScanHints& hints,
                Consumer& consumer);
Status run_top_n(Executor& executor, const plan::Node& node, Consumer& consumer);
Status run_join(Executor& executor, const plan::Node& node, const ScanHints& hints,
                Consumer& consumer);
Status run_unnest(Executor& executor, const plan::Node& node, const ScanHints& hints,
                  Consumer& consumer);
Status run_series(Executor& executor, const plan::Node& node, Consumer& consumer);
Status run_window(Executor& executor, const plan::Node& node, const ScanHints& hints,
                  Consumer& consumer);
Status run_apply(Executor& executor, const plan::Node& node, Consumer& consumer);
Status run_transform(Executor& executor, const plan::Node& node, Consumer& consumer);

}  // namespace evq

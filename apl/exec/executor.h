#pragma once
// Executor: runs a bound plan. One object runs one query; it owns what the run shares (results of
// shared subplans, the limits) and nothing of the store. The caller provides the tables as
// Snapshots, which stay pinned until the executor is gone.

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
#include "apl/exec/row_estimate.h"
#include "apl/exec/row_operators.h"
#include "apl/exec/top_rows.h"
#include "apl/plan/plan.h"
#include "store/base/allocation_meter.h"
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
  // workers merge groups in parts however few there are; read no more than so many of a block's
  // rows at a time, and fetch or hand on no more, where who hands on holds all of them; let joins
  // hold a left side of up to so many rows first, whatever the estimates.
  bool force_flat = false;
  bool force_parts = false;
  std::optional<std::size_t> rows_at_once{};
  std::optional<std::size_t> join_left_rows{};
};

class OverflowMark;
class TimeBound;

enum class TimeOrder : std::uint8_t { kNone, kAscending, kDescending };

// Rows that a node may leave out of its output.
struct RowDemand {
  // The rows that this bound excludes; blocks are visited from its side on. Null: no bound.
  const TimeBound* time_bound = nullptr;
  // Rows that lack one of these keys.
  std::vector<KeptKeys> kept_keys{};
};

// The order in which a node may give its rows.
struct OrderDemand {
  // Visit blocks in this order of their times, each worker a stretch of time: the sinks, in the
  // order in which they were made, get one stretch after the other. A chunk's sequence is its
  // block's place in that order, and its rows are some of the block's, as they lie there; those of
  // the block's next chunk come behind them in this order.
  TimeOrder time_order = TimeOrder::kNone;
  // The consumer takes its sinks' chunks by sequence, or one sink after the other: sorted rows may
  // come as such stretches.
  bool takes_stretches = false;
  // Rows may come in any order, since all of them are read.
  bool any = false;
  // Rows of a sort, and what window functions make of them, must come in order in one sink: no node
  // on the way may hold all rows, since it would hand them to several.
  bool one_sink = false;
};

// Which groups of an aggregation reach the result.
struct GroupDemand {
  // Only groups among these top rows.
  std::optional<TopRows> top;
  // Only this many groups: those that come first in the stream.
  std::optional<std::size_t> first;
  // The filters right above the aggregation: only groups that all of them let through.
  std::vector<const plan::Filter*> filters{};
  // Only the number of groups: rows may come in any order and without columns.
  bool only_counted = false;
};

// What the operators above a node need of its output, so that it may do less; by default all rows,
// in order. A node passes on to its inputs what holds for their rows as well.
struct Demand {
  RowDemand rows{};
  OrderDemand order{};
  GroupDemand groups{};
  // Only the number of rows and the least and greatest value of each column matter: other values
  // may stand in for the rest.
  bool extremes_only = false;
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
  Status run(const plan::Node& node, Consumer& consumer, const Demand& demand = {});
  // Runs `node` and keeps its output, or what `keep`, when given, makes of each chunk of it.
  // `operator_name`, a literal, is for memory errors. `overflow`, when given, is set when what is
  // kept does not fit.
  Result<Collected> collect(const plan::Node& node, std::string_view operator_name,
                            const ChunkMap& keep = {}, Demand demand = {},
                            OverflowMark* overflow = nullptr);
  // Pushes the chunks that `make` gives, until it gives an empty one, into one sink of `consumer`
  // and completes it. Each is charged while the operators after this one have it.
  Status push_each(const std::function<Chunk()>& make, std::string_view operator_name,
                   Consumer& consumer) const;

  // Pushes such chunks into a sink that gets more afterwards, numbered from `*sequence` on. Returns
  // whether the sink wants more.
  Result<Flow> push_into(Sink& sink, const std::function<Chunk()>& make,
                         std::string_view operator_name, std::uint64_t* sequence) const;

  // Pushes the chunks make(0) … make(count - 1), which any thread makes, into sinks of `consumer`,
  // one a worker, and completes it. The sinks, in the order in which they were made, get one
  // stretch of them after the other, since a consumer may take them so. Charged as by push_each().
  Status push_chunks(std::size_t count, const std::function<Chunk(std::size_t)>& make,
                     std::string_view operator_name, Consumer& consumer) const;

  // Calls work(0) … work(workers - 1), on the pool's threads where there is a pool.
  void run_workers(std::size_t workers, const std::function<void(std::size_t)>& work) const;
  // Calls work(0) … work(count - 1), each on the next free worker. Returns the failure of the
  // lowest number, if any.
  Status run_each(std::size_t count, const std::function<Status(std::size_t)>& work) const;
  // From now on nodes tell `profile` what they cost; null: nobody.
  void set_profile(QueryProfile* profile) { profile_ = profile; }

  const EvalContext& context() const { return context_; }
  const ExecOptions& options() const { return options_; }
  QueryStats& stats() { return *stats_; }
  SnapshotProvider& tables() { return *tables_; }
  RowEstimates& estimates() { return estimates_; }
  // kCancelled or kTimeout when the query must end.
  Status check() const;
  // Returns a meter that charges the query's budget and ends the work when the query must end.
  // `operator_name`, a literal, is for memory errors.
  AllocationMeter meter(std::string_view operator_name) const;
  // The rows that Placeholders of Apply number `apply` stand for while it runs its subplan;
  // null afterwards.
  void set_placeholder(std::uint64_t apply, const std::vector<Chunk>* rows);

 private:
  // Pushes the chunk that `make` gives, charged meanwhile; a chunk without rows is not pushed.
  Result<Flow> push_one(Sink& sink, const std::function<Chunk()>& make,
                        std::string_view operator_name) const;
  Status run_profiled(const plan::Node& node, Consumer& consumer, const Demand& demand);
  Status run_flat(const plan::Node& node, Consumer& consumer, const Demand& demand);
  Status run_input(const plan::Node& node, Consumer& consumer, const Demand& demand);
  Status run_union(const plan::Node& node, Consumer& consumer, const Demand& demand);
  Status run_shared(const plan::Shared& shared, Consumer& consumer);

  struct SharedResult {
    Collected made;
    std::vector<std::uint64_t> applies;  // numbers of the Apply nodes whose rows went into it
  };

  const EvalContext context_;
  const ExecOptions options_;
  SnapshotProvider* const tables_;
  QueryStats* const stats_;
  QueryProfile* profile_ = nullptr;
  RowEstimates estimates_;
  // By subplan, which is kept alive so that no other one gets its address.
  std::map<std::shared_ptr<const plan::Node>, SharedResult> shared_results_;
  std::map<std::uint64_t, const std::vector<Chunk>*> placeholders_;  // by apply
};

// The implementations of single nodes; each lives in the file named after it.
Status run_scan(Executor& executor, const plan::Scan& scan, const Demand& demand,
                Consumer& consumer);
Status run_sequence(Executor& executor, const plan::Sequence& sequence, Consumer& consumer);
Status run_fetch(Executor& executor, const plan::Node& node, const Demand& demand,
                 Consumer& consumer);
Status run_aggregate(Executor& executor, const plan::Node& node, const Demand& demand,
                     Consumer& consumer);
Status run_sort(Executor& executor, const plan::Node& node, const Demand& demand,
                Consumer& consumer);
Status run_top_n(Executor& executor, const plan::Node& node, Consumer& consumer);
Status run_join(Executor& executor, const plan::Node& node, const Demand& demand,
                Consumer& consumer);
Status run_unnest(Executor& executor, const plan::Node& node, const Demand& demand,
                  Consumer& consumer);
Status run_series(Executor& executor, const plan::Node& node, Consumer& consumer);
Status run_window(Executor& executor, const plan::Node& node, const Demand& demand,
                  Consumer& consumer);
Status run_apply(Executor& executor, const plan::Node& node, Consumer& consumer);
Status run_transform(Executor& executor, const plan::Node& node, Consumer& consumer);

}  // namespace evq

#pragma once
// Executor: runs a bound plan. One object runs one query; it owns what the run shares (results of
// shared subplans, the limits) and nothing of the store. The caller provides the tables as
// Snapshots, which stay pinned until the executor is gone.

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "apl/exec/operator.h"
#include "apl/exec/query_stats.h"
#include "apl/plan/plan.h"
#include "store/base/control.h"
#include "store/base/memory_budget.h"
#include "store/base/thread_pool.h"
#include "store/snapshot.h"

namespace evq {

// kRowColumn holds a row's location in its snapshot: the block's index, then the row's number in
// the block in the low bits. Locations of one dataset are in arrival order.
inline constexpr unsigned kLocationRowBits = 16;

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
  // Test configurations: turn every dictionary into a flat vector before operators see it.
  bool force_flat = false;
};

// Tells a scan what the operators above it make of its rows.
struct ScanHints {
  // Rows with a `_time` below this bound cannot reach the result; it only rises. Null: no bound.
  const std::atomic<std::int64_t>* time_floor = nullptr;
  bool newest_first = false;  // visit blocks by descending max time
};

class Executor {
 public:
  Executor(const EvalContext& context, const ExecOptions& options, SnapshotProvider* tables,
           QueryStats* stats);
  ~Executor();

  // Runs `node` to its end, or until `consumer` wants no more.
  Status run(const plan::Node& node, Consumer& consumer, const ScanHints& hints = {});
  // Runs `node` and keeps its output, in order.
  Result<std::vector<Chunk>> collect(const plan::Node& node);

  const EvalContext& context() const { return context_; }
  const ExecOptions& options() const { return options_; }
  QueryStats& stats() { return *stats_; }
  SnapshotProvider& tables() { return *tables_; }
  // kCancelled or kTimeout when the query must end.
  Status check() const;
  // The rows a Placeholder stands for while an Apply runs its subplan.
  void set_placeholder(const std::vector<Chunk>* rows) { placeholder_ = rows; }

 private:
  Status run_input(const plan::Node& node, Consumer& consumer, const ScanHints& hints);
  Status run_union(const plan::Node& node, Consumer& consumer, const ScanHints& hints);
  Status run_shared(const plan::Shared& shared, Consumer& consumer);

  const EvalContext context_;
  const ExecOptions options_;
  SnapshotProvider* const tables_;
  QueryStats* const stats_;
  std::map<const plan::Node*, std::vector<Chunk>> shared_results_;
  const std::vector<Chunk>* placeholder_ = nullptr;
};

// The implementations of single nodes; each lives in the file named after it.
Status run_scan(Executor& executor, const plan::Scan& scan, const ScanHints& hints,
                Consumer& consumer);
Status run_fetch(Executor& executor, const plan::Node& node, Consumer& consumer);
Status run_aggregate(Executor& executor, const plan::Node& node, Consumer& consumer);
Status run_sort(Executor& executor, const plan::Node& node, Consumer& consumer);
Status run_top_n(Executor& executor, const plan::Node& node, Consumer& consumer);
Status run_join(Executor& executor, const plan::Node& node, Consumer& consumer);
Status run_unnest(Executor& executor, const plan::Node& node, Consumer& consumer);
Status run_series(Executor& executor, const plan::Node& node, Consumer& consumer);
Status run_window(Executor& executor, const plan::Node& node, Consumer& consumer);
Status run_apply(Executor& executor, const plan::Node& node, Consumer& consumer);
Status run_transform(Executor& executor, const plan::Node& node, Consumer& consumer);

}  // namespace evq

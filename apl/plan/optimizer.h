#pragma once
// The optimiser: an ordered list of named passes over a bound plan. Each keeps the result the
// same; any of them can be switched off, which the tests do one by one.

#include <span>
#include <string_view>
#include <vector>

#include "apl/plan/plan.h"
#include "store/base/result.h"

namespace evq::plan {

struct OptimizerPass {
  std::string_view name;
  NodePtr (*apply)(NodePtr root, const EvalContext& context);
};

// Returns all passes in the order they run.
std::span<const OptimizerPass> optimizer_passes();

struct OptimizerOptions {
  bool enabled = true;
  std::vector<std::string_view> disabled;  // names of passes to leave out
};

// Optimises the plan, shared subplans as well; those of an Apply run as they were bound. kTimeout
// and kCancelled as the context's control says: nothing is left of the plan then.
[[nodiscard]] Status optimize(Plan* plan, const EvalContext& context,
                              const OptimizerOptions& options = {});

// The passes, each in the file named after it.
NodePtr inline_shared(NodePtr root, const EvalContext& context);
NodePtr merge_partitions(NodePtr root, const EvalContext& context);
NodePtr derive_keys(NodePtr root, const EvalContext& context);
NodePtr linearize_sums(NodePtr root, const EvalContext& context);
NodePtr share_aggregates(NodePtr root, const EvalContext& context);
NodePtr push_filters(NodePtr root, const EvalContext& context);
NodePtr tighten_time_range(NodePtr root, const EvalContext& context);
NodePtr take_elements(NodePtr root, const EvalContext& context);
NodePtr order_filters(NodePtr root, const EvalContext& context);
NodePtr fuse_top_n(NodePtr root, const EvalContext& context);
NodePtr limit_groups(NodePtr root, const EvalContext& context);
NodePtr prune_columns(NodePtr root, const EvalContext& context);
NodePtr take_members(NodePtr root, const EvalContext& context);
NodePtr drop_unseen_sorts(NodePtr root, const EvalContext& context);
NodePtr locate_rows(NodePtr root, const EvalContext& context);
NodePtr split_extremes(NodePtr root, const EvalContext& context);
NodePtr materialize_late(NodePtr root, const EvalContext& context);

// ---- for passes

// Replaces every column reference of `expr` by a copy of the expression at that position.
ExprPtr substitute(ExprPtr expr, const std::vector<ExprPtr>& columns);
// Removes the output columns that are not `needed` from `node` and what is below it, unless the
// node uses them itself. Returns where each old column is then, or kNoColumn.
std::vector<std::size_t> keep_columns(Node* node, std::vector<bool> needed);
// Whether no expression could tell equal values of the type apart.
bool is_one_when_equal(Type type);
// Columns without text up to which holding them costs less than opening their blocks again.
inline constexpr std::size_t kNarrowColumnsMax = 4;
// Finds the scan whose rows, or some of them, `node` has, through filters, projections and
// extractions; null where there is none.
const Scan* scan_of_rows(const Node& node);
// Finds the column of such a scan that column `column` of `node` passes on unchanged; null for what
// is computed.
const ScanColumn* scanned_column(const Node& node, std::size_t column);
// Makes the place of each row (kRowColumn) a column of `node`, which has its rows from a scan
// through filters, projections and sorts. Returns where it is: the last column, or one that was
// there.
std::size_t add_row_column(Node* node);
// Estimates the cost of an expression for one row; 1 is reading a number.
int cost_per_row(const Expr& expr);
// Applies `rewrite` to every node, inputs first. Polls, as do passes that may be long over one node
// (AllocationMeter::poll).
NodePtr rewrite_bottom_up(NodePtr node, const std::function<NodePtr(NodePtr)>& rewrite);

}  // namespace evq::plan

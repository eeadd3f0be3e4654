#include "apl/service/delete_filter.h"

#include <algorithm>
#include <utility>

#include "apl/exec/eval.h"
#include "apl/exec/pruning.h"
#include "apl/plan/optimizer.h"
#include "store/base/allocation_meter.h"
#include "store/base/check.h"
#include "store/base/limits.h"
#include "store/base/memory_budget.h"
#include "store/block/block_reader.h"

namespace evq {
namespace {

class DeleteFilter final : public RowFilter {
 public:
  DeleteFilter(plan::NodePtr root, const EvalContext& context)
      : root_(std::move(root)),
        scan_(std::get<plan::Scan>(root_->op)),
        context_(context),
        test_(block_test(scan_)) {}

  bool may_match(const SnapshotBlock& block) const override {
    return block.max_time >= scan_.time_min && block.min_time <= scan_.time_max;
  }

  bool matches_whole(const SnapshotBlock& block) const override {
    return scan_.filters.empty() && block.min_time >= scan_.time_min &&
           block.max_time <= scan_.time_max;
  }

  Result<BlockMatch> match(StoredBlock& block) const override {
    BlockMatch found;
    EVQ_TRY_ASSIGN(const bool may_match, block.may_match(test_));
    if (!may_match) {
      return found;
    }
    EVQ_TRY_ASSIGN(const Vector times, block.column(kTimeField));
    RowList rows;
    for (std::uint32_t row = 0; row < block.rows(); ++row) {
      const auto time = times.at<std::int64_t>(row);
      if (time >= scan_.time_min && time <= scan_.time_max) {
        rows.push_back(row);
      }
    }
    for (const plan::ExprPtr& filter : scan_.filters) {
      EVQ_TRY(apply(*filter, block, &rows));
    }
    found.rows = rows.size();
    if (!rows.empty()) {
      found.first_time = times.at<std::int64_t>(rows.front());
      found.last_time = times.at<std::int64_t>(rows.back());
    }
    return found;
  }

 private:
  Status apply(const plan::Expr& filter, StoredBlock& block, RowList* rows) const {
    std::vector<Vector> columns(scan_.columns.size());
    Status outcome;
    plan::for_each_column(filter, [&](std::size_t column) {
      if (!outcome.ok() || columns[column].size() != 0 || rows->empty()) {
        return;
      }
      const plan::ScanColumn& wanted = scan_.columns[column];
      auto values = block.column(wanted.field == plan::kTimeColumn ? kTimeField : wanted.field);
      if (!values.ok()) {
        outcome = std::move(values).take_error();
        return;
      }
      Result<Vector> gathered = block.widened(values.value().gather(*rows), wanted.type);
      if (!gathered.ok()) {
        outcome = std::move(gathered).take_error();
        return;
      }
      columns[column] = *std::move(gathered);
    });
    EVQ_TRY(std::move(outcome));
    RowList kept;
    MemoryBudget budget(kQueryMemoryBytesDefault);
    AllocationMeter meter(&budget, context_.control, "where");
    EVQ_TRY(meter.guard(
        [&] { select_true(evaluate(filter, context_, columns, rows->size()), &kept); }));
    for (std::uint32_t& row : kept) {
      row = (*rows)[row];
    }
    *rows = std::move(kept);
    return Status::success();
  }

  plan::NodePtr root_;
  const plan::Scan& scan_;
  EvalContext context_;
  BlockTest test_;
};

}  // namespace

Result<std::unique_ptr<RowFilter>> make_delete_filter(plan::Plan plan, const EvalContext& context) {
  EVQ_TRY(plan::optimize(&plan, context));
  // Projections that pruning or searching left are of columns only; the scan has all filters but
  // those that draw.
  plan::NodePtr root = std::move(plan.root);
  while (!std::holds_alternative<plan::Scan>(root->op)) {
    if (std::holds_alternative<plan::Filter>(root->op)) {
      return make_error(ErrorCode::kCompile, "a delete cannot choose events by chance",
                        "leave out rand() and new_guid()");
    }
    const bool transparent = std::holds_alternative<plan::Project>(root->op);
    if (!transparent || root->inputs.size() != 1) {
      return make_error(ErrorCode::kCompile, "a delete takes a dataset, where and search only");
    }
    plan::NodePtr input = std::move(root->inputs[0]);
    root = std::move(input);
  }
  return std::unique_ptr<RowFilter>(std::make_unique<DeleteFilter>(std::move(root), context));
}

}  // namespace evq

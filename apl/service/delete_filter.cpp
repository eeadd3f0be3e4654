#include "apl/service/delete_filter.h"

#include <algorithm>
#include <utility>

#include "apl/exec/eval.h"
#include "apl/exec/pruning.h"
#include "apl/plan/optimizer.h"
#include "store/base/allocation_meter.h"
#include "store/base/check.h"
#include "store/base/memory_budget.h"
#include "store/block/block_reader.h"

namespace evq {
namespace {

class DeleteFilter final : public RowFilter {
 public:
  DeleteFilter(plan::NodePtr root, const EvalContext& context, MemoryBudget* budget)
      : root_(std::move(root)),
        scan_(std::get<plan::Scan>(root_->op)),
        context_(context),
        budget_(budget),
        test_(block_test(scan_)) {}

  bool may_match(const SnapshotBlock& block) const override {
    return block.max_time >= scan_.time_min && block.min_time <= scan_.time_max;
  }

  bool matches_whole(const SnapshotBlock& block) const override {
    return scan_.filters.empty() && block.min_time >= scan_.time_min &&
           block.max_time <= scan_.time_max;
  }

  bool fits(const Schema& schema) const override {
    return std::ranges::all_of(scan_.columns, [&](const auto& column) {
      const std::optional<std::size_t> at = schema.find(column.field);
      return !at || common_type(schema[*at].type, column.type) == column.type;
    });
  }

  // What the block's columns take is charged until it is through.
  Result<BlockMatch> match(StoredBlock& block) const override {
    AllocationMeter meter(budget_, context_.control, kOperatorName);
    Result<BlockMatch> found = BlockMatch();
    EVQ_TRY(meter.guard([&] { found = match_rows(block); }));
    return found;
  }

 private:
  static constexpr std::string_view kOperatorName = "where";
  // Rows that a filter is evaluated for at a time, since what it makes of them may be large.
  static constexpr std::size_t kRowsAtOnce = 8192;

  Result<BlockMatch> match_rows(StoredBlock& block) const {
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

  // Keeps the rows that pass.
  Status apply(const plan::Expr& filter, StoredBlock& block, RowList* rows) const {
    if (rows->empty()) {
      return {};
    }
    EVQ_TRY_ASSIGN(const std::vector<Vector> columns, columns_of(filter, block));
    RowList kept;
    for (std::size_t begin = 0; begin < rows->size(); begin += kRowsAtOnce) {
      const auto some =
          std::span(*rows).subspan(begin, std::min(kRowsAtOnce, rows->size() - begin));
      AllocationMeter meter(budget_, context_.control, kOperatorName);
      Status tested;
      EVQ_TRY(meter.guard([&] { tested = keep_passing(filter, block, columns, some, &kept); }));
      EVQ_TRY(std::move(tested));
    }
    *rows = std::move(kept);
    return {};
  }

  // Those that the filter reads, of all rows; the others stay empty.
  Result<std::vector<Vector>> columns_of(const plan::Expr& filter, StoredBlock& block) const {
    std::vector<Vector> columns(scan_.columns.size());
    Status outcome;
    plan::for_each_column(filter, [&](std::size_t column) {
      if (!outcome.ok() || columns[column].size() != 0) {
        return;
      }
      const std::string& field = scan_.columns[column].field;
      Result<Vector> values = block.column(field == plan::kTimeColumn ? kTimeField : field);
      if (!values.ok()) {
        outcome = std::move(values).take_error();
        return;
      }
      columns[column] = *std::move(values);
    });
    EVQ_TRY(std::move(outcome));
    return columns;
  }

  Status keep_passing(const plan::Expr& filter, const StoredBlock& block,
                      const std::vector<Vector>& columns, std::span<const std::uint32_t> rows,
                      RowList* kept) const {
    std::vector<Vector> values(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].size() != 0) {
        EVQ_TRY_ASSIGN(values[i], block.widened(columns[i].gather(rows), scan_.columns[i].type));
      }
    }
    RowList passing;
    select_true(evaluate(filter, context_, values, rows.size()), &passing);
    std::ranges::transform(passing, std::back_inserter(*kept),
                           [rows](std::uint32_t at) { return rows[at]; });
    return {};
  }

  plan::NodePtr root_;
  const plan::Scan& scan_;
  EvalContext context_;
  MemoryBudget* budget_;
  BlockTest test_;
};

}  // namespace

Result<plan::Plan> bind_delete(const ast::Query& query, plan::TableSource& tables,
                               const QueryVariables& variables, const EvalContext& context) {
  plan::BindOptions options;
  options.context = context;
  options.variables = variables;
  options.delete_only = true;
  EVQ_TRY_ASSIGN(plan::Plan plan, plan::bind_query(query, tables, options));
  if (plan.datasets.size() != 1) {
    return make_error(ErrorCode::kUsage, "a delete names exactly one dataset",
                      "delete from them one after the other");
  }
  return plan;
}

Result<std::unique_ptr<RowFilter>> make_delete_filter(plan::Plan plan, const EvalContext& context,
                                                      MemoryBudget* budget) {
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
  return std::unique_ptr<RowFilter>(
      std::make_unique<DeleteFilter>(std::move(root), context, budget));
}

}  // namespace evq

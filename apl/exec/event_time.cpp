#include "apl/exec/event_time.h"

#include <algorithm>
#include <string>

#include "apl/exec/join_kinds.h"
#include "apl/plan/hidden_columns.h"
#include "apl/plan/optimizer.h"
#include "store/block/format.h"

namespace evq {
namespace {

// The scan all of whose rows `node` gives, or null.
const plan::Scan* scan_of_all_rows(const plan::Node& node) {
  if (const auto* scan = std::get_if<plan::Scan>(&node.op)) {
    return scan->filters.empty() ? scan : nullptr;
  }
  const auto* extract = std::get_if<plan::Extract>(&node.op);
  const bool keeps_rows = std::holds_alternative<plan::Project>(node.op) ||
                          (extract != nullptr && !extract->drop_unmatched);
  return keeps_rows ? scan_of_all_rows(*node.inputs[0]) : nullptr;
}

}  // namespace

bool lies_inside(const SnapshotBlock& block, const plan::Scan& scan, std::int64_t time_min,
                 std::int64_t time_max) {
  return time_min <= block.min_time && block.max_time <= time_max &&
         scan.arrived_from <= block.first_ordinal && block.ordinal_end <= scan.arrived_before;
}

bool is_event_time(const plan::Node& node, std::size_t column) {
  if (const auto* scan = std::get_if<plan::Scan>(&node.op)) {
    const std::string& field = scan->columns[column].field;
    return field == plan::kTimeColumn || field == kTimeField;
  }
  if (const auto* project = std::get_if<plan::Project>(&node.op)) {
    const plan::Expr& expr = *project->exprs[column];
    return expr.is_column() && is_event_time(*node.inputs[0], expr.column);
  }
  if (std::holds_alternative<plan::Filter>(node.op)) {
    return is_event_time(*node.inputs[0], column);
  }
  if (std::holds_alternative<plan::Extract>(node.op)) {
    return column < node.inputs[0]->schema.size() && is_event_time(*node.inputs[0], column);
  }
  if (const auto* unnest = std::get_if<plan::Unnest>(&node.op)) {
    return column < node.inputs[0]->schema.size() &&
           std::ranges::find(unnest->columns, column, &plan::UnnestColumn::column) ==
               unnest->columns.end() &&
           is_event_time(*node.inputs[0], column);
  }
  if (const auto* join = std::get_if<plan::Join>(&node.op)) {
    return passes_left_rows(join->kind) && column < node.inputs[0]->schema.size() &&
           is_event_time(*node.inputs[0], column);
  }
  if (std::holds_alternative<plan::Union>(node.op)) {
    return std::ranges::all_of(node.inputs, [column](const plan::NodePtr& input) {
      return is_event_time(*input, column);
    });
  }
  return false;
}

std::optional<ChosenTime> chosen_time(const plan::Aggregate& op, const plan::Node& input) {
  if (!op.groups.empty() || op.aggregates.empty()) {
    return std::nullopt;
  }
  const auto side_of = [](const plan::AggregateCall& call) {
    return call.function == nullptr ? 0 : plan::extreme_of(*call.function);
  };
  const int side = side_of(op.aggregates[0]);
  if (side == 0) {
    return std::nullopt;
  }
  const bool all = std::ranges::all_of(op.aggregates, [&](const plan::AggregateCall& call) {
    return side_of(call) == side && is_event_time(input, call.args[0]);
  });
  return all ? std::optional(ChosenTime{op.aggregates[0].args[0], side > 0}) : std::nullopt;
}

void draw_to_extreme(const Vector& times, TimeBound* bound) {
  std::optional<std::int64_t> extreme;
  for (std::size_t row = 0; row < times.size(); ++row) {
    if (!times.is_null(row)) {
      const auto time = times.at<std::int64_t>(row);
      extreme = !extreme.has_value() ? time
                : bound->newest()    ? std::max(*extreme, time)
                                     : std::min(*extreme, time);
    }
  }
  if (extreme.has_value()) {
    bound->draw_to(*extreme);
  }
}

Status draw_to_catalog(Executor& executor, const plan::Node& node, std::size_t rows,
                       TimeBound* bound) {
  const plan::Scan* scan = scan_of_all_rows(node);
  if (scan == nullptr || rows == 0) {
    return {};
  }
  EVQ_TRY_ASSIGN(const Snapshot* snapshot, executor.tables().snapshot(scan->table));
  std::vector<const SnapshotBlock*> whole;
  for (const SnapshotBlock& block : snapshot->blocks()) {
    if (lies_inside(block, *scan, scan->time_min, scan->time_max)) {
      whole.push_back(&block);
    }
  }
  const auto far_end = [bound](const SnapshotBlock* block) {
    return bound->newest() ? block->min_time : block->max_time;
  };
  std::ranges::sort(whole, [&](const SnapshotBlock* a, const SnapshotBlock* b) {
    return bound->newest() ? far_end(a) > far_end(b) : far_end(a) < far_end(b);
  });
  std::uint64_t seen = 0;
  for (const SnapshotBlock* block : whole) {
    seen += block->rows;
    if (seen >= rows) {
      bound->draw_to(far_end(block));
      break;
    }
  }
  return {};
}

}  // namespace evq

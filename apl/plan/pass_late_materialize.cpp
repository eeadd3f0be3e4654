// A TopN over a scan needs only its sort keys to choose its rows: the other columns are left out of
// the scan and fetched afterwards for the chosen rows.

#include <algorithm>
#include <utility>

#include "apl/plan/optimizer.h"

namespace evq::plan {
namespace {

constexpr std::size_t kNoColumn = static_cast<std::size_t>(-1);

// Beyond this many rows most frames of a block hold one of them and nothing is saved.
constexpr std::uint64_t kFetchRowsMax = 65536;

NodePtr rewrite(NodePtr node) {
  auto* top = std::get_if<TopN>(&node->op);
  if (top == nullptr || top->count > kFetchRowsMax || top->keys.empty()) {
    return node;
  }
  auto* scan = std::get_if<Scan>(&node->inputs[0]->op);
  if (scan == nullptr) {
    return node;
  }
  const std::size_t count = scan->columns.size();
  std::vector<bool> early(count, false);
  for (const SortKey& key : top->keys) {
    early[key.column] = true;
  }
  for (const ExprPtr& filter : scan->filters) {
    for_each_column(*filter, [&](std::size_t column) { early[column] = true; });
  }
  std::size_t row_column = kNoColumn;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string& field = scan->columns[i].field;
    if (field == kRowColumn) {
      early[i] = true;
      row_column = i;
    } else if (field == kTimeColumn || field == "_time") {
      early[i] = true;
    }
  }
  if (std::ranges::count(early, false) == 0) {
    return node;
  }
  // New scan: the early columns, then the row's location if it was not among them.
  std::vector<std::size_t> position(count, kNoColumn);
  std::vector<ScanColumn> kept;
  std::vector<Field> kept_fields;
  Fetch fetch{scan->table, 0, {}};
  for (std::size_t i = 0; i < count; ++i) {
    if (early[i]) {
      position[i] = kept.size();
      kept.push_back(scan->columns[i]);
      kept_fields.push_back(node->schema[i]);
    }
  }
  if (row_column == kNoColumn) {
    fetch.row_column = kept.size();
    kept.push_back({std::string(kRowColumn), Type::kLong});
    kept_fields.push_back({std::string(kRowColumn), Type::kLong});
  } else {
    fetch.row_column = position[row_column];
    kept[fetch.row_column].filter_only = false;
  }
  std::vector<Field> fetched_fields = kept_fields;
  for (std::size_t i = 0; i < count; ++i) {
    if (!early[i]) {
      position[i] = fetched_fields.size();
      fetch.columns.push_back(scan->columns[i]);
      fetched_fields.push_back(node->schema[i]);
    }
  }
  for (const ExprPtr& filter : scan->filters) {
    remap_columns(filter.get(), position);
  }
  for (SortKey& key : top->keys) {
    key.column = position[key.column];
  }
  scan->columns = std::move(kept);
  node->inputs[0]->schema = Schema(kept_fields);
  Schema output = node->schema;
  node->schema = Schema(std::move(kept_fields));
  std::vector<NodePtr> chosen;
  chosen.push_back(std::move(node));
  NodePtr fetched =
      make_node(std::move(fetch), std::move(chosen), Schema(std::move(fetched_fields)));
  Project restore;
  for (std::size_t i = 0; i < count; ++i) {
    restore.exprs.push_back(make_column(position[i], output[i].type));
  }
  std::vector<NodePtr> inputs;
  inputs.push_back(std::move(fetched));
  return make_node(std::move(restore), std::move(inputs), std::move(output));
}

}  // namespace

NodePtr materialize_late(NodePtr root, const EvalContext& /*context*/) {
  return rewrite_bottom_up(std::move(root), rewrite);
}

}  // namespace evq::plan

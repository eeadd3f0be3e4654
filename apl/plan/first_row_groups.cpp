#include "apl/plan/first_row_groups.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apl/functions/aggregate_binding.h"
#include "apl/functions/registry.h"
#include "apl/plan/hidden_columns.h"
#include "apl/plan/node_traits.h"
#include "apl/plan/optimizer.h"

namespace evq::plan {
namespace {

// Whether the rows of a node are the first ones of their groups, of which equal ones do not differ.
bool has_first_rows(const Node& node) {
  const auto* top = std::get_if<TopN>(&node.op);
  return top != nullptr && top->groups > 0 && top->count == 1 &&
         std::all_of(
             top->keys.begin(), top->keys.begin() + static_cast<std::ptrdiff_t>(top->groups),
             [&](const SortKey& key) { return is_one_when_equal(node.schema[key.column].type); });
}

std::vector<bool> columns_used(const Project& project, std::size_t width) {
  std::vector<bool> used(width, false);
  for (const ExprPtr& expr : project.exprs) {
    for_each_column(*expr, [&](std::size_t column) { used[column] = true; });
  }
  return used;
}

// Whether the row that these keys put first is the one that arg_max() or arg_min() of the first key
// takes when the others are its further fields: those with the largest are taken among equals.
bool is_extreme(std::span<const SortKey> keys, const Schema& schema) {
  const auto is_last_when_null = [](const SortKey& key) { return !key.order.nulls_first; };
  return !keys.empty() && std::ranges::all_of(keys, is_last_when_null) &&
         schema[keys[0].column].type != Type::kDynamic &&
         std::ranges::all_of(keys.subspan(1), [&](const SortKey& key) {
           // No reals: NaN is the largest field, and last in the order.
           return key.order.descending && is_one_when_equal(schema[key.column].type);
         });
}

// Whether rows that are equal in all keys are the same in what is used of them, or are one row of a
// scan: which of them comes first is otherwise told by the stream, and arg_max() tells it by
// fields.
bool tells_rows_apart(std::span<const SortKey> keys, const std::vector<bool>& used,
                      const Node& input) {
  const bool of_scan = scan_of_rows(input) != nullptr;
  std::vector<bool> told(used.size(), false);
  for (const SortKey& key : keys) {
    const ScanColumn* column = of_scan ? scanned_column(input, key.column) : nullptr;
    if (column != nullptr && column->field == kRowColumn) {
      return true;
    }
    told[key.column] = is_one_when_equal(input.schema[key.column].type);
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i] && !told[i]) {
      return false;
    }
  }
  return true;
}

// That call, with results for these columns.
AggregateCall extreme_call(std::span<const SortKey> keys, const std::vector<bool>& used,
                           const Schema& schema) {
  std::vector<std::size_t> columns;
  for (const SortKey& key : keys) {
    columns.push_back(key.column);
  }
  if (schema[columns[0]].type == Type::kReal) {
    columns.insert(columns.begin() + 1, columns[0]);  // NaN equals null there, and goes before it
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i] && std::ranges::find(columns, i) == columns.end()) {
      columns.push_back(i);
    }
  }
  const AggregateFunction* extreme =
      find_aggregate(keys[0].order.descending ? "arg_max" : "arg_min");
  std::vector<Argument> arguments;
  arguments.reserve(columns.size());
  for (const std::size_t column : columns) {
    arguments.push_back({schema[column].type, nullptr});
  }
  return {extreme,
          std::get<BoundAggregateCall>(
              bind_aggregate(*extreme, {arguments, EvalContext(), std::nullopt})),
          columns, std::string(extreme->name) + "(*)"};
}

}  // namespace

bool group_first_rows(Node* node) {
  auto* project = std::get_if<Project>(&node->op);
  if (project == nullptr || !has_first_rows(*node->inputs[0])) {
    return false;
  }
  Node& below = *node->inputs[0];
  const TopN top = std::get<TopN>(below.op);
  std::vector<bool> used = columns_used(*project, below.schema.size());
  std::vector<std::size_t> places(used.size(), kNoColumn);
  Aggregate groups;
  std::vector<Field> fields;
  for (std::size_t i = 0; i < top.groups; ++i) {
    const std::size_t column = top.keys[i].column;
    used[column] = false;
    places[column] = i;
    groups.groups.push_back(column);
    fields.push_back(below.schema[column]);
  }
  if (std::ranges::find(used, true) != used.end()) {
    const auto keys = std::span(top.keys).subspan(top.groups);
    if (!is_extreme(keys, below.schema) || !tells_rows_apart(keys, used, *below.inputs[0])) {
      return false;
    }
    const AggregateCall& call =
        groups.aggregates.emplace_back(extreme_call(keys, used, below.schema));
    for (const std::size_t column : call.args) {
      // The last of a column that is there twice: who asks for it keeps those before it.
      if (places[column] == kNoColumn || places[column] >= top.groups) {
        places[column] = fields.size();
      }
      fields.push_back(below.schema[column]);
    }
  }
  below.op = std::move(groups);
  below.schema = Schema(std::move(fields));
  for (const ExprPtr& expr : project->exprs) {
    remap_columns(expr.get(), places);
  }
  return true;
}

}  // namespace evq::plan

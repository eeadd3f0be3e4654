// partition by k (…) of operators that tell groups apart themselves: they run once over all rows,
// with the key in each of them, instead of once for every value of it.

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "apl/plan/optimizer.h"
#include "apl/plan/stacking.h"

namespace evq::plan {
namespace {

bool is_deterministic_projection(const Project& project) {
  return std::ranges::all_of(project.exprs,
                             [](const ExprPtr& expr) { return is_deterministic(*expr); });
}

// Whether a group of the rows below may be without any at `node`.
bool may_lose_groups(const Node& node) {
  const auto* limit = std::get_if<Limit>(&node.op);
  const auto* top = std::get_if<TopN>(&node.op);
  return std::holds_alternative<Filter>(node.op) || (limit != nullptr && limit->count == 0) ||
         (top != nullptr && top->count == 0) ||
         std::ranges::any_of(node.inputs,
                             [](const NodePtr& input) { return may_lose_groups(*input); });
}

// Of the subplan of Apply number `apply`.
bool can_merge(const Node& node, std::uint64_t apply) {
  if (const auto* rows = std::get_if<Placeholder>(&node.op)) {
    return rows->apply == apply;
  }
  const auto* filter = std::get_if<Filter>(&node.op);
  const auto* project = std::get_if<Project>(&node.op);
  const auto* aggregate = std::get_if<Aggregate>(&node.op);
  const auto* top = std::get_if<TopN>(&node.op);
  const bool known =
      (filter != nullptr && is_deterministic(*filter->predicate)) ||
      (project != nullptr && is_deterministic_projection(*project)) ||
      // Without groups of its own there is a row even of no rows.
      (aggregate != nullptr && (!aggregate->groups.empty() || !may_lose_groups(*node.inputs[0]))) ||
      (top != nullptr && top->groups == 0) || std::holds_alternative<Sort>(node.op) ||
      std::holds_alternative<Limit>(node.op);
  return known && can_merge(*node.inputs[0], apply);
}

// Else the rows of one group would only come after those of another, as they do now.
bool makes_fewer_rows(const Node& node) {
  return std::holds_alternative<Aggregate>(node.op) || std::holds_alternative<TopN>(node.op) ||
         std::holds_alternative<Limit>(node.op) ||
         std::ranges::any_of(node.inputs,
                             [](const NodePtr& input) { return makes_fewer_rows(*input); });
}

// Operators with the keys of their partition in them.
struct MergedRows {
  NodePtr node;
  std::vector<std::size_t> columns;  // where those of the operators are
  std::vector<std::size_t> keys;     // where those of the partition are
};

std::vector<std::size_t> identity(std::size_t size) {
  std::vector<std::size_t> places(size);
  std::iota(places.begin(), places.end(), std::size_t{0});
  return places;
}

void remap(const std::vector<std::size_t>& places, std::vector<SortKey>* keys) {
  for (SortKey& key : *keys) {
    key.column = places[key.column];
  }
}

Field key_field(const Node& below, std::size_t column) {
  return {hidden_name("partition"), below.schema[column].type};
}

// Computes the keys behind its other columns.
void add_keys(Project* project, const MergedRows& below, MergedRows* merged) {
  Node& node = *merged->node;
  for (const ExprPtr& expr : project->exprs) {
    remap_columns(expr.get(), below.columns);
  }
  merged->columns = identity(node.schema.size());
  std::vector<Field> fields = node.schema.fields();
  for (const std::size_t key : below.keys) {
    merged->keys.push_back(fields.size());
    fields.push_back(key_field(*below.node, key));
    project->exprs.push_back(make_column(key, fields.back().type));
  }
  node.schema = Schema(std::move(fields));
}

// Groups by the keys before its other groups.
void add_keys(Aggregate* op, const MergedRows& below, MergedRows* merged) {
  Node& node = *merged->node;
  for (std::size_t& group : op->groups) {
    group = below.columns[group];
  }
  for (AggregateCall& call : op->aggregates) {
    for (std::size_t& arg : call.args) {
      arg = below.columns[arg];
    }
  }
  op->groups.insert(op->groups.begin(), below.keys.begin(), below.keys.end());
  std::vector<Field> fields;
  for (const std::size_t key : below.keys) {
    merged->keys.push_back(fields.size());
    fields.push_back(key_field(*below.node, key));
  }
  for (const Field& field : node.schema.fields()) {
    merged->columns.push_back(fields.size());
    fields.push_back(field);
  }
  node.schema = Schema(std::move(fields));
}

// So many rows of each group: by `keys`, and as they come where there are none.
TopN limit_of_groups(std::vector<SortKey> keys, std::uint64_t count, const MergedRows& below) {
  TopN top{{}, count, below.keys.size()};
  for (const std::size_t key : below.keys) {
    top.keys.push_back({key, {}});
  }
  top.keys.insert(top.keys.end(), keys.begin(), keys.end());
  return top;
}

// `rows` takes the placeholder's place.
MergedRows merge(NodePtr node, NodePtr rows, const std::vector<std::size_t>& keys) {
  if (std::holds_alternative<Placeholder>(node->op)) {
    return {std::move(rows), identity(node->schema.size()), keys};
  }
  MergedRows below = merge(std::move(node->inputs[0]), std::move(rows), keys);
  MergedRows merged{std::move(node), {}, {}};
  Operation& op = merged.node->op;
  if (auto* project = std::get_if<Project>(&op)) {
    add_keys(project, below, &merged);
  } else if (auto* aggregate = std::get_if<Aggregate>(&op)) {
    add_keys(aggregate, below, &merged);
  } else {
    merged.columns = below.columns;
    merged.keys = below.keys;
    merged.node->schema = below.node->schema;
    if (auto* filter = std::get_if<Filter>(&op)) {
      remap_columns(filter->predicate.get(), below.columns);
    } else if (auto* sort = std::get_if<Sort>(&op)) {
      remap(below.columns, &sort->keys);
    } else if (auto* top = std::get_if<TopN>(&op)) {
      remap(below.columns, &top->keys);
      op = limit_of_groups(std::move(top->keys), top->count, below);
    } else {
      op = limit_of_groups({}, std::get<Limit>(op).count, below);
    }
  }
  merged.node->inputs[0] = std::move(below.node);
  return merged;
}

NodePtr merge_partition(NodePtr node, const EvalContext& context) {
  auto* apply = std::get_if<Apply>(&node->op);
  if (apply == nullptr || apply->per_row || !std::ranges::all_of(apply->keys, [&](std::size_t key) {
        return is_one_when_equal(node->inputs[0]->schema[key].type);
      })) {
    return node;
  }
  NodePtr subplan = fuse_top_n(clone(*apply->subplan), context);
  if (!can_merge(*subplan, apply->id) || !makes_fewer_rows(*subplan)) {
    return node;
  }
  MergedRows merged = merge(std::move(subplan), std::move(node->inputs[0]), apply->keys);
  Project restore;
  for (std::size_t i = 0; i < node->schema.size(); ++i) {
    restore.exprs.push_back(make_column(merged.columns[i], node->schema[i].type));
  }
  return stack(std::move(merged.node), std::move(restore), node->schema);
}

}  // namespace

NodePtr merge_partitions(NodePtr root, const EvalContext& context) {
  return rewrite_bottom_up(std::move(root), [&context](NodePtr node) {
    return merge_partition(std::move(node), context);
  });
}

}  // namespace evq::plan

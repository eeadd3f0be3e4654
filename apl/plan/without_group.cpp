#include "apl/plan/without_group.h"

#include <algorithm>
#include <utility>

#include "apl/plan/stacking.h"

namespace evq::plan {
namespace {

Schema without_column(const Schema& schema, std::size_t column) {
  std::vector<Field> fields = schema.fields();
  fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(column));
  return Schema(std::move(fields));
}

std::size_t place(std::size_t column, std::size_t gone) {
  return column > gone ? column - 1 : column;
}

// The expression over the rows without a column; null when it reads that.
ExprPtr renumbered(const Expr& expr, std::size_t gone) {
  std::vector<std::size_t> mapping;
  bool reads = false;
  for_each_column(expr, [&](std::size_t column) {
    reads = reads || column == gone;
    while (mapping.size() <= column) {
      mapping.push_back(place(mapping.size(), gone));
    }
  });
  if (reads) {
    return nullptr;
  }
  ExprPtr made = clone(expr);
  remap_columns(made.get(), mapping);
  return made;
}

// Whether the rows of a group all have one value of `expr`, over the rows without the column.
bool is_keyed(const Expr& expr, const std::vector<bool>& keyed) {
  return is_deterministic(expr) &&
         !reads_column(expr, [&](std::size_t column) { return !keyed[column]; });
}

WithoutGroup without_group_of(const Node& node, const Aggregate& aggregate, std::size_t group) {
  NodePtr made = clone(node);
  auto& groups = std::get<Aggregate>(made->op).groups;
  groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(group));
  made->schema = without_column(node.schema, group);
  std::vector<bool> keyed(made->schema.size());
  std::fill_n(keyed.begin(), aggregate.groups.size() - 1, true);
  return {std::move(made), group, std::move(keyed), false};
}

// Puts `op`, which leaves the columns as they are, on `below`.
WithoutGroup stacked(WithoutGroup below, Operation op) {
  Schema schema = below.node->schema;
  below.node = stack(std::move(below.node), std::move(op), std::move(schema));
  return below;
}

std::optional<WithoutGroup> projected(const Project& project, const Node& node,
                                      WithoutGroup below) {
  std::optional<std::size_t> column;
  Project op;
  std::vector<bool> keyed;
  for (std::size_t i = 0; i < project.exprs.size(); ++i) {
    if (project.exprs[i]->is_column() && project.exprs[i]->column == below.column) {
      if (column.has_value()) {
        return std::nullopt;
      }
      column = i;
      continue;
    }
    ExprPtr expr = renumbered(*project.exprs[i], below.column);
    if (expr == nullptr) {
      return std::nullopt;
    }
    keyed.push_back(is_keyed(*expr, below.keyed));
    op.exprs.push_back(std::move(expr));
  }
  if (!column.has_value()) {
    return std::nullopt;
  }
  below.node = stack(std::move(below.node), std::move(op), without_column(node.schema, *column));
  return WithoutGroup{std::move(below.node), *column, std::move(keyed), below.sorted};
}

WithoutGroup sorted(const Sort& sort, WithoutGroup below) {
  Sort op{{}, sort.asker};
  for (const SortKey& key : sort.keys) {
    if (key.column != below.column) {
      op.keys.push_back({place(key.column, below.column), key.order});
    }
  }
  if (op.keys.empty()) {
    return below;
  }
  below.sorted = true;
  return stacked(std::move(below), std::move(op));
}

std::optional<WithoutGroup> filtered(const Filter& filter, WithoutGroup below) {
  ExprPtr predicate = renumbered(*filter.predicate, below.column);
  if (predicate == nullptr || !is_keyed(*predicate, below.keyed)) {
    return std::nullopt;
  }
  return stacked(std::move(below), Filter{std::move(predicate), filter.of_page});
}

// The groups that a limit keeps.
std::optional<WithoutGroup> joined(const Join& join, const Node& right, WithoutGroup below) {
  Join op = join;
  for (std::size_t& key : op.left_keys) {
    if (key == below.column) {
      return std::nullopt;
    }
    key = place(key, below.column);
  }
  Schema schema = below.node->schema;
  std::vector<NodePtr> sides;
  sides.push_back(std::move(below.node));
  sides.push_back(clone(right));
  below.node = make_node(std::move(op), std::move(sides), std::move(schema));
  return below;
}

}  // namespace

std::optional<WithoutGroup> without_group(const Node& node, std::size_t group) {
  if (const auto* aggregate = std::get_if<Aggregate>(&node.op)) {
    return group < aggregate->groups.size()
               ? std::optional(without_group_of(node, *aggregate, group))
               : std::nullopt;
  }
  if (const auto* shared = std::get_if<Shared>(&node.op)) {
    return without_group(*shared->plan, group);
  }
  const auto* join = std::get_if<Join>(&node.op);
  if (join != nullptr ? join->kind != JoinKind::kLeftSemi : node.inputs.size() != 1) {
    return std::nullopt;
  }
  std::optional<WithoutGroup> below = without_group(*node.inputs[0], group);
  if (!below.has_value()) {
    return std::nullopt;
  }
  if (join != nullptr) {
    return joined(*join, *node.inputs[1], *std::move(below));
  }
  if (const auto* project = std::get_if<Project>(&node.op)) {
    return projected(*project, node, *std::move(below));
  }
  if (const auto* sort = std::get_if<Sort>(&node.op)) {
    return sorted(*sort, *std::move(below));
  }
  if (const auto* filter = std::get_if<Filter>(&node.op)) {
    return filtered(*filter, *std::move(below));
  }
  if (const auto* limit = std::get_if<Limit>(&node.op)) {
    return stacked(*std::move(below), *limit);
  }
  return std::nullopt;
}

}  // namespace evq::plan

#include "apl/exec/kept_keys.h"

#include <algorithm>
#include <numeric>
#include <variant>

#include "apl/exec/join_build.h"
#include "apl/plan/expr.h"

namespace evq {
namespace {

// Rows asked about before it is told whether asking pays.
constexpr std::size_t kAskedRowsMin = 65536;
// Rows that are tried first: where most of them have the keys, the others are not asked about.
constexpr std::size_t kTriedRows = 2048;

bool is_deterministic(const plan::ExprPtr& expr) {
  return plan::is_deterministic(*expr);
}

// The columns of a node's inputs that columns of its output are; nothing where one is computed.
struct ColumnsBelow {
  const plan::Node& node;
  const std::vector<std::size_t>& columns;
  using Columns = std::optional<std::vector<std::size_t>>;

  Columns operator()(const plan::Filter& op) const {
    return is_deterministic(op.predicate) ? Columns(columns) : std::nullopt;
  }
  Columns operator()(const plan::Project& op) const {
    if (!std::ranges::all_of(op.exprs, is_deterministic)) {
      return std::nullopt;
    }
    std::vector<std::size_t> below;
    for (const std::size_t column : columns) {
      if (!op.exprs[column]->is_column()) {
        return std::nullopt;
      }
      below.push_back(op.exprs[column]->column);
    }
    return below;
  }
  Columns operator()(const plan::Extract& op) const {
    const std::size_t passed_on = node.inputs[0]->schema.size();
    const bool all = std::ranges::all_of(columns, [&](std::size_t i) { return i < passed_on; });
    return all && is_deterministic(op.source) ? Columns(columns) : std::nullopt;
  }
  Columns operator()(const plan::Aggregate& op) const {
    std::vector<std::size_t> below;
    for (const std::size_t column : columns) {
      if (column >= op.groups.size()) {
        return std::nullopt;
      }
      below.push_back(op.groups[column]);
    }
    return below;
  }
  Columns operator()(const plan::Union& /*op*/) const { return columns; }
  template <class Op>
  Columns operator()(const Op& /*op*/) const {
    return std::nullopt;
  }
};

}  // namespace

bool KeyTest::pays() const {
  const std::size_t asked = asked_.load(std::memory_order_relaxed);
  return asked < kAskedRowsMin || found_.load(std::memory_order_relaxed) * 2 < asked;
}

RowList KeyTest::rows_with(std::span<const Vector> columns,
                           const std::vector<std::size_t>& positions, std::size_t rows) const {
  const std::vector<Vector> keys = key_columns(columns, positions);
  std::vector<std::uint32_t> groups(rows);
  const auto has_key = [](std::uint32_t group) { return group != GroupTable::kNoGroup; };
  if (rows > kTriedRows && asked_.load(std::memory_order_relaxed) == 0) {
    std::vector<Vector> first;
    for (const Vector& key : keys) {
      first.push_back(key.slice(0, kTriedRows));
    }
    table_.find(first, kTriedRows, groups.data());
    const auto found = std::count_if(groups.begin(), groups.begin() + kTriedRows, has_key);
    if (2 * static_cast<std::size_t>(found) >= kTriedRows) {
      count(kAskedRowsMin, kAskedRowsMin);
      RowList all(rows);
      std::iota(all.begin(), all.end(), 0U);
      return all;
    }
  }
  table_.find(keys, rows, groups.data());
  RowList kept;
  select_rows(rows, &kept, [&](std::size_t row) { return has_key(groups[row]); });
  count(rows, kept.size());
  return kept;
}

void KeyTest::count(std::size_t asked, std::size_t found) const {
  asked_.fetch_add(asked, std::memory_order_relaxed);
  found_.fetch_add(found, std::memory_order_relaxed);
}

std::optional<KeptKeys> keys_below(const std::optional<KeptKeys>& kept, const plan::Node& node) {
  if (!kept.has_value()) {
    return std::nullopt;
  }
  std::optional<std::vector<std::size_t>> columns =
      std::visit(ColumnsBelow{node, kept->columns}, node.op);
  return columns.has_value() ? std::optional(KeptKeys{kept->test, *std::move(columns)})
                             : std::nullopt;
}

bool drops_rows(const KeptKeys& kept, const plan::Node& node) {
  if (std::holds_alternative<plan::Scan>(node.op)) {
    return true;
  }
  const std::optional<KeptKeys> below = keys_below(kept, node);
  return below.has_value() && (std::holds_alternative<plan::Aggregate>(node.op) ||
                               std::ranges::all_of(node.inputs, [&](const plan::NodePtr& input) {
                                 return drops_rows(*below, *input);
                               }));
}

}  // namespace evq

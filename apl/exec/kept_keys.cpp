#include "apl/exec/kept_keys.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <variant>

#include "apl/exec/join_build.h"
#include "apl/plan/join_kinds.h"
#include "apl/plan/node_traits.h"

namespace evq {
namespace {

// Rows asked about before it is told whether asking pays.
constexpr std::size_t kAskedRowsMin = 65536;
// Rows that are tried first: where most of them have the keys, the others are not asked about.
constexpr std::size_t kTriedRows = 2048;

using Positions = std::vector<std::size_t>;

// The columns of a node's inputs that columns of its output are; nothing where one is computed, or
// where a row that is left out may be missed.
std::optional<Positions> columns_below(const plan::Node& node, const Positions& columns) {
  const plan::NodeTraits traits = plan::traits_of(node.op);
  const bool passes_rows = traits.maps_rows() || traits.rows == plan::RowsMade::kOfInputs ||
                           std::holds_alternative<plan::Aggregate>(node.op);
  if (!passes_rows || plan::draws_itself(node.op)) {
    return std::nullopt;
  }
  Positions below;
  for (const std::size_t column : columns) {
    const std::optional<std::size_t> passed = plan::column_below(node, column);
    if (!passed.has_value()) {
      return std::nullopt;
    }
    below.push_back(*passed);
  }
  return below;
}

// The keys that `below` finds columns for.
template <class Below>
std::vector<KeptKeys> mapped(std::span<const KeptKeys> kept, const Below& below) {
  std::vector<KeptKeys> found;
  for (const KeptKeys& keys : kept) {
    if (std::optional<Positions> columns = below(keys.columns)) {
      found.push_back({keys.test, *std::move(columns)});
    }
  }
  return found;
}

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
    first.reserve(keys.size());
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

std::vector<KeptKeys> keys_below(std::span<const KeptKeys> kept, const plan::Node& node) {
  return mapped(kept, [&](const Positions& columns) { return columns_below(node, columns); });
}

// A left row is lost with its partners, and none beside them.
std::vector<KeptKeys> keys_of_left(std::span<const KeptKeys> kept, const plan::Node& join) {
  const std::size_t left = join.inputs[0]->schema.size();
  const plan::JoinKind kind = std::get<plan::Join>(join.op).kind;
  const bool passes = plan::join_traits(kind).passes_left_rows();
  return mapped(kept, [&](const Positions& columns) {
    const bool of_left =
        std::ranges::all_of(columns, [left](std::size_t column) { return column < left; });
    return passes && of_left ? std::optional(columns) : std::nullopt;
  });
}

// What lacks the key on the right would have been joined to what lacks it on the left. Other
// columns of the right side tell of rows of an inner join only: a left row may be there without a
// partner, or with another.
std::vector<KeptKeys> keys_of_right(std::span<const KeptKeys> kept, const plan::Node& join) {
  const auto& op = std::get<plan::Join>(join.op);
  const plan::JoinTraits traits = plan::join_traits(op.kind);
  const std::size_t left = join.inputs[0]->schema.size();
  return mapped(kept, [&](const Positions& columns) -> std::optional<Positions> {
    Positions below;
    for (const std::size_t column : columns) {
      const auto key = std::ranges::find(op.left_keys, column);
      if (key != op.left_keys.end() && traits.passes_left_rows()) {
        below.push_back(op.right_keys[static_cast<std::size_t>(key - op.left_keys.begin())]);
      } else if (column >= left && traits.passes_left_rows() && traits.passes_right_rows()) {
        below.push_back(column - left);
      } else {
        return std::nullopt;
      }
    }
    return below;
  });
}

bool drops_rows(const KeptKeys& kept, const plan::Node& node) {
  if (std::holds_alternative<plan::Scan>(node.op)) {
    return true;
  }
  if (std::holds_alternative<plan::Join>(node.op)) {
    const std::vector<KeptKeys> left = keys_of_left({&kept, 1}, node);
    return !left.empty() && drops_rows(left[0], *node.inputs[0]);
  }
  const std::vector<KeptKeys> below = keys_below({&kept, 1}, node);
  return !below.empty() && (std::holds_alternative<plan::Aggregate>(node.op) ||
                            std::ranges::all_of(node.inputs, [&](const plan::NodePtr& input) {
                              return drops_rows(below[0], *input);
                            }));
}

Chunk rows_with(std::span<const KeptKeys> kept, Chunk chunk) {
  for (const KeptKeys& keys : kept) {
    if (keys.test->pays() && !chunk.empty()) {
      chunk.select(keys.test->rows_with(chunk.columns(), keys.columns, chunk.rows()));
    }
  }
  return chunk;
}

}  // namespace evq

// sort by g, x | extend n = row_number(1, prev(g) != g) | where n <= 3: of each g the sort keeps no
// more rows than the filter lets through.
//
// A row that is left out has as many rows of its own group before it, and no new start among them,
// so that its number, and that of every row up to the next start, is one the filter drops. It drops
// these as well without it: the rows of the group that stay are enough for that. All that the
// others are told of the rows before them is what prev() says of a column in which a group's rows
// are all equal.

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "apl/plan/optimizer.h"

namespace evq::plan {
namespace {

// What a column above a Sort is.
enum class OriginKind : std::uint8_t {
  kOther,
  kSorted,  // a column of the sort
  kBefore,  // that of the row before
  kStart,   // true only where a column of the sort is not what it was in the row before
  kNumber,  // of a row since the last start
};
struct Origin {
  OriginKind kind = OriginKind::kOther;
  std::vector<std::size_t> columns;  // of the sort
  std::int64_t first = 0;            // number
};

struct NumberedRows {
  NodePtr* sort = nullptr;
  std::vector<Origin> columns;        // one an output column
  std::vector<std::size_t> compared;  // columns of the sort that prev() was asked for
  bool has_number = false;
};

// prev(g) != g, of one column.
bool is_start(const Origin& a, const Origin& b) {
  return a.kind == OriginKind::kBefore && b.kind == OriginKind::kSorted && a.columns == b.columns;
}

Origin origin_of(const Expr& expr, const NumberedRows& below) {
  if (expr.is_column()) {
    return below.columns[expr.column];
  }
  if (expr.is_call("op_not_equal") || expr.is_call("op_not_equal_fold")) {
    const Origin a = origin_of(*expr.args[0], below);
    const Origin b = origin_of(*expr.args[1], below);
    return is_start(a, b) || is_start(b, a) ? Origin{OriginKind::kStart, a.columns} : Origin{};
  }
  if (expr.is_call("op_or")) {
    std::set<std::size_t> columns;  // each once: extend s = s or s would double them
    for (const ExprPtr& arg : expr.args) {
      const Origin one = origin_of(*arg, below);
      if (one.kind != OriginKind::kStart) {
        return {};
      }
      columns.insert(one.columns.begin(), one.columns.end());
    }
    return {OriginKind::kStart, {columns.begin(), columns.end()}};
  }
  return {};
}

// Adds what the calls make; false when they tell more of other rows than may be left out.
bool add_calls(const Window& window, NumberedRows* rows) {
  const std::vector<Origin> input = rows->columns;
  for (const WindowCall& call : window.calls) {
    Origin made;
    if (call.kind == WindowKind::kPrev && call.offset == 1 && is_one_when_equal(call.type) &&
        input[call.args[0]].kind == OriginKind::kSorted) {
      made = {OriginKind::kBefore, input[call.args[0]].columns};
    } else if (call.kind == WindowKind::kRowNumber && !rows->has_number) {
      made = {OriginKind::kNumber, {}, call.offset};
      if (call.restart.has_value()) {
        const Origin& start = input[*call.restart];
        if (start.kind != OriginKind::kStart) {
          return false;
        }
        made.columns = start.columns;
      }
      rows->has_number = true;
    } else {
      return false;
    }
    rows->compared.insert(rows->compared.end(), made.columns.begin(), made.columns.end());
    rows->columns.push_back(std::move(made));
  }
  return true;
}

// The rows of `node` where they are those of a Sort, all of them, numbered.
std::optional<NumberedRows> numbered_rows(NodePtr* node) {
  if (std::holds_alternative<Sort>((*node)->op)) {
    NumberedRows rows{node, {}, {}, false};
    for (std::size_t i = 0; i < (*node)->schema.size(); ++i) {
      rows.columns.push_back({OriginKind::kSorted, {i}});
    }
    return rows;
  }
  const auto* project = std::get_if<Project>(&(*node)->op);
  const auto* window = std::get_if<Window>(&(*node)->op);
  if (project == nullptr && window == nullptr) {
    return std::nullopt;
  }
  std::optional<NumberedRows> rows = numbered_rows(&(*node)->inputs[0]);
  if (!rows.has_value()) {
    return std::nullopt;
  }
  if (window != nullptr) {
    return add_calls(*window, &*rows) ? std::move(rows) : std::nullopt;
  }
  std::vector<Origin> columns;
  for (const ExprPtr& expr : project->exprs) {
    columns.push_back(origin_of(*expr, *rows));
  }
  rows->columns = std::move(columns);
  return rows;
}

struct NumberBound {
  std::size_t column = 0;
  std::int64_t most = 0;
};

// n <= 3, n < 4, n == 1, and the same the other way round: no row with a higher number passes.
std::optional<NumberBound> bound_of(const Expr& predicate) {
  if (predicate.kind != ExprKind::kCall || !predicate.function->comparison.has_value()) {
    return std::nullopt;
  }
  const bool turned = predicate.args[0]->is_constant();
  const Expr& number = *predicate.args[turned ? 1 : 0];
  const Expr& constant = *predicate.args[turned ? 0 : 1];
  if (!number.is_column() || number.type != Type::kLong || !constant.is_constant() ||
      constant.type != Type::kLong || constant.constant.is_null()) {
    return std::nullopt;
  }
  std::int64_t most = constant.constant.as_integer();
  const Comparison op = *predicate.function->comparison;
  switch (turned ? mirrored(op) : op) {
    case Comparison::kLess:
      if (__builtin_sub_overflow(most, 1, &most)) {
        return std::nullopt;
      }
      break;
    case Comparison::kLessEqual:
    case Comparison::kEqual:
      break;
    case Comparison::kNotEqual:
    case Comparison::kGreater:
    case Comparison::kGreaterEqual:
      return std::nullopt;
  }
  return NumberBound{number.column, most};
}

// How many of the first keys it takes for all `columns` to be among them.
std::optional<std::size_t> covering_keys(const std::vector<SortKey>& keys,
                                         const std::vector<std::size_t>& columns) {
  std::size_t count = 0;
  for (const std::size_t column : columns) {
    const auto key = std::ranges::find(keys, column, &SortKey::column);
    if (key == keys.end()) {
      return std::nullopt;
    }
    count = std::max(count, static_cast<std::size_t>(key - keys.begin()) + 1);
  }
  return count;
}

NodePtr limit_sort(NodePtr node) {
  const auto* filter = std::get_if<Filter>(&node->op);
  const auto bound = filter != nullptr ? bound_of(*filter->predicate) : std::nullopt;
  if (!bound.has_value()) {
    return node;
  }
  NodePtr* below = &node->inputs[0];
  while (std::holds_alternative<Filter>((*below)->op)) {
    below = &(*below)->inputs[0];
  }
  const std::optional<NumberedRows> rows = numbered_rows(below);
  if (!rows.has_value() || rows->columns[bound->column].kind != OriginKind::kNumber) {
    return node;
  }
  Node& sort = **rows->sort;
  const std::vector<SortKey> keys = std::get<Sort>(sort.op).keys;
  const auto groups = covering_keys(keys, rows->compared);
  std::int64_t count = 0;
  const bool overflow =
      __builtin_sub_overflow(bound->most, rows->columns[bound->column].first, &count) ||
      __builtin_add_overflow(count, 1, &count);
  if (groups.has_value() && !overflow) {
    sort.op = TopN{keys, static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0)), *groups};
  }
  return node;
}

}  // namespace

NodePtr limit_groups(NodePtr root, const EvalContext& /*context*/) {
  return rewrite_bottom_up(std::move(root), limit_sort);
}

}  // namespace evq::plan

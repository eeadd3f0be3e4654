// What expressions cost is mostly how often their calls run. A call of one column runs once for
// each entry of a dictionary, by itself (evaluate_call). Here is what only the tree shows: an
// expression of few columns of few values is evaluated once for each combination of these, however
// many calls it has; and of conditions joined by `and` or `or`, the cheap ones go first and costly
// ones are asked only about rows that are still open.

#include "apl/plan/evaluate.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "apl/functions/truths.h"
#include "apl/functions/value_combinations.h"
#include "apl/plan/optimizer.h"
#include "store/base/allocation_meter.h"

namespace evq {
namespace {

// With fewer rows it is not worth looking for a better way.
constexpr std::size_t kPlannedRowsMin = 16;
// Of a junction's rows a group's combinations may be this part: conditions are then grouped.
constexpr std::size_t kRowsPerGroupedMin = 8;
// The open rows are looked at alone when they are this part of those looked at before, or fewer:
// numbers and texts that lie side by side are tested much faster than some of them. Of a pattern
// each row costs the same.
constexpr std::size_t kNarrowDivisor = 16;
constexpr std::size_t kPatternNarrowDivisor = 2;

using ColumnList = std::vector<std::size_t>;  // ascending

ColumnList columns_of(const plan::Expr& expr) {
  ColumnList columns;
  plan::for_each_column(expr, [&](std::size_t column) { columns.push_back(column); });
  std::ranges::sort(columns);
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

ColumnList union_of(const ColumnList& a, const ColumnList& b) {
  ColumnList all;
  std::ranges::set_union(a, b, std::back_inserter(all));
  return all;
}

std::optional<Junction> junction_of(const plan::Expr& expr) {
  return expr.is_call("op_and")  ? std::optional(Junction::kAnd)
         : expr.is_call("op_or") ? std::optional(Junction::kOr)
                                 : std::nullopt;
}

bool has_inner_call(const plan::Expr& expr) {
  return std::ranges::any_of(
      expr.args, [](const plan::ExprPtr& arg) { return arg->kind == plan::ExprKind::kCall; });
}

// The rows that a junction's operands have left open, and their columns as far as they are asked
// for.
class OpenRows {
 public:
  OpenRows(std::span<const Vector> columns, std::size_t rows) : columns_(columns), size_(rows) {}

  std::size_t size() const { return size_; }

  // The columns, of which those `wanted` have the rows' values.
  std::span<const Vector> columns(const ColumnList& wanted) {
    if (all_) {
      return columns_;
    }
    for (const std::size_t column : wanted) {
      if (!is_gathered_[column]) {
        gathered_[column] = columns_[column].gather(rows_);
        is_gathered_[column] = true;
      }
    }
    return gathered_;
  }

  void fold_into(Truths* truths, const Vector& operand) const {
    if (all_) {
      truths->fold_in(operand);
    } else {
      truths->fold_in(operand, rows_);
    }
  }

  // Leaves out rows that are settled unless more than one in `divisor` is open.
  void narrow(const Truths& truths, std::size_t divisor) {
    const std::size_t open = truths.count_open();
    if (open * divisor > size_) {
      return;
    }
    if (all_) {
      rows_ = truths.open_rows();
    } else {
      truths.keep_open(&rows_);
    }
    all_ = false;
    size_ = rows_.size();
    gathered_.resize(columns_.size());
    is_gathered_.assign(columns_.size(), false);
  }

 private:
  const std::span<const Vector> columns_;
  std::size_t size_;
  bool all_ = true;
  std::vector<std::uint32_t> rows_;  // unless all
  std::vector<Vector> gathered_;
  std::vector<bool> is_gathered_;
};

class Evaluator {
 public:
  // `columns` are combinations already, or all rows.
  Evaluator(const EvalContext& context, std::span<const Vector> columns, std::size_t rows,
            bool combined)
      : context_(context), columns_(columns), rows_(rows), combined_(combined) {}

  Vector run(const plan::Expr& expr) const {
    switch (expr.kind) {
      case plan::ExprKind::kColumn:
        return columns_[expr.column];
      case plan::ExprKind::kConstant:
        return Vector::constant(expr.constant, rows_);
      case plan::ExprKind::kCall:
        break;
    }
    const std::optional<Junction> junction = junction_of(expr);
    const bool planned = rows_ >= kPlannedRowsMin && has_inner_call(expr) &&
                         (junction.has_value() || !combined_) && plan::is_deterministic(expr);
    if (!planned) {
      return run_call(expr);
    }
    const ColumnList columns = columns_of(expr);
    if (junction.has_value() ? columns.size() <= 1 || !combined_ : columns.size() > 1) {
      std::optional<Vector> result =
          run_combined(columns, [&](const Evaluator& inner) { return inner.run_planned(expr); });
      if (result.has_value()) {
        return *std::move(result);
      }
    }
    return run_planned(expr);
  }

 private:
  // Conditions of columns that have few combinations.
  struct Group {
    ColumnList columns;
    std::vector<const plan::Expr*> operands;
  };

  // A condition of other columns.
  struct Operand {
    int cost = 0;
    ColumnList columns;
    const plan::Expr* expr = nullptr;
  };

  Vector run_call(const plan::Expr& expr) const {
    std::vector<Vector> args;
    args.reserve(expr.args.size());
    for (const plan::ExprPtr& arg : expr.args) {
      args.push_back(run(*arg));
    }
    return evaluate_call(expr.call, expr.function->flags, context_, args, rows_);
  }

  Vector run_planned(const plan::Expr& expr) const {
    const std::optional<Junction> junction = junction_of(expr);
    return junction.has_value() ? run_junction(expr, *junction) : run_call(expr);
  }

  // Runs `evaluate` over the combinations of `columns`, and gives each row its value; nothing when
  // there are too many of them.
  template <class Evaluate>
  std::optional<Vector> run_combined(const ColumnList& columns, const Evaluate& evaluate) const {
    std::vector<Vector> varying;
    varying.reserve(columns.size());
    for (const std::size_t column : columns) {
      varying.push_back(columns_[column]);
    }
    const std::optional<ValueCombinations> found = ValueCombinations::find(varying, rows_);
    if (!found.has_value()) {
      return std::nullopt;
    }
    std::vector<Vector> combined(columns_.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      combined[columns[i]] = found->columns()[i];
    }
    return found->spread(evaluate(Evaluator(context_, combined, found->size(), true)));
  }

  Vector run_junction(const plan::Expr& expr, Junction junction) const {
    std::vector<Group> groups;
    std::vector<Operand> others;
    for (const plan::ExprPtr& operand : expr.args) {
      ColumnList columns = columns_of(*operand);
      if (Group* group = find_group(&groups, columns)) {
        group->columns = union_of(group->columns, columns);
        group->operands.push_back(operand.get());
      } else {
        others.push_back({plan::cost_per_row(*operand), std::move(columns), operand.get()});
      }
    }
    Truths truths(junction, rows_);
    for (const Group& group : groups) {
      AllocationMeter::poll();
      truths.fold_in(run_group(group, junction));
    }
    std::ranges::stable_sort(others, {}, &Operand::cost);
    OpenRows open(columns_, rows_);
    for (const Operand& operand : others) {
      AllocationMeter::poll();
      open.narrow(truths, operand.cost < static_cast<int>(CallCost::kPattern)
                              ? kNarrowDivisor
                              : kPatternNarrowDivisor);
      if (open.size() == 0) {
        break;
      }
      const Evaluator inner(context_, open.columns(operand.columns), open.size(), combined_);
      open.fold_into(&truths, inner.run(*operand.expr));
    }
    return truths.values();
  }

  // The group that a condition of `columns` belongs to, a new one if need be; null when it is none
  // of few combinations.
  Group* find_group(std::vector<Group>* groups, const ColumnList& columns) const {
    if (combined_ || !are_few(columns)) {
      return nullptr;
    }
    for (Group& group : *groups) {
      if (are_few(union_of(group.columns, columns))) {
        return &group;
      }
    }
    return &groups->emplace_back();
  }

  bool are_few(const ColumnList& columns) const {
    std::size_t combinations = 1;
    for (const std::size_t column : columns) {
      const Vector& values = columns_[column];
      if (values.is_flat()) {
        return false;
      }
      combinations *= values.is_dictionary() ? values.values().size() : 1;
      if (combinations * kRowsPerGroupedMin > rows_) {
        return false;
      }
    }
    return combinations > 0;
  }

  Vector run_group(const Group& group, Junction junction) const {
    const auto evaluate = [&](const Evaluator& inner) {
      Truths truths(junction, inner.rows_);
      for (const plan::Expr* operand : group.operands) {
        truths.fold_in(inner.run(*operand));
      }
      return truths.values();
    };
    std::optional<Vector> result = run_combined(group.columns, evaluate);
    return result.has_value() ? *std::move(result) : evaluate(*this);
  }

  const EvalContext& context_;
  const std::span<const Vector> columns_;
  const std::size_t rows_;
  const bool combined_;
};

}  // namespace

Vector evaluate(const plan::Expr& expr, const EvalContext& context, std::span<const Vector> columns,
                std::size_t rows) {
  return Evaluator(context, columns, rows, false).run(expr);
}

}  // namespace evq

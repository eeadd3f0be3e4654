#include "apl/exec/group_filters.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <vector>

#include "apl/plan/evaluate.h"
#include "apl/plan/expr.h"

namespace evq {
namespace {

// The columns of a part's groups, made when they are asked for.
class PartColumns {
 public:
  PartColumns(const GroupStates& part, std::size_t keys) : part_(part), keys_(keys) {}

  void make(std::size_t column) {
    columns_.resize(std::max(columns_.size(), std::max(keys_, column + 1)));
    made_.resize(columns_.size());
    if (made_[column]) {
      return;
    }
    if (column >= keys_) {
      columns_[column] = part_.result(column - keys_);
      made_[column] = true;
      return;
    }
    RowList all(part_.size());
    std::iota(all.begin(), all.end(), 0U);
    std::ranges::move(part_.keys(all), columns_.begin());
    std::fill_n(made_.begin(), keys_, true);
  }
  std::span<const Vector> columns() const { return columns_; }

 private:
  const GroupStates& part_;
  const std::size_t keys_;
  std::vector<Vector> columns_;
  std::vector<bool> made_;
};

}  // namespace

RowList groups_that_pass(const GroupStates& part, std::size_t keys,
                         std::span<const plan::Filter* const> filters, const EvalContext& context) {
  RowList passed(part.size());
  std::iota(passed.begin(), passed.end(), 0U);
  PartColumns columns(part, keys);
  for (const plan::Filter* filter : filters) {
    if (!plan::is_deterministic(*filter->predicate)) {
      continue;
    }
    plan::for_each_column(*filter->predicate, [&](std::size_t column) { columns.make(column); });
    const Vector truth = evaluate(*filter->predicate, context, columns.columns(), part.size());
    RowList some;
    select_true(truth, &some);
    RowList both;
    std::ranges::set_intersection(passed, some, std::back_inserter(both));
    passed = std::move(both);
  }
  return passed;
}

}  // namespace evq

#pragma once
// Top rows: which rows may be among the first ones in the order of a column, found without sorting
// them and without looking at the other columns. Pure; any thread; fails as allocations do.

#include <cstddef>
#include <cstdint>
#include <functional>

#include "apl/exec/eval.h"
#include "store/column/ordering.h"
#include "store/column/vector.h"

namespace evq {

// The first `count` rows in the order of one column. Ties go to the rows first in the stream when
// there is no other key.
struct TopRows {
  std::size_t column = 0;
  SortOrder order;
  std::size_t count = 0;
  bool only_key = false;
};

// Returns rows of `column`, in any order, among which the first `top.count` are. Rows that tie with
// the last of these all come; but if it is the only key and equal sort numbers mean equal values,
// only as many as there is room for, the first by `position_of`. Charged to the allocation meter at
// work.
RowList rows_that_may_be_top(const Vector& column, const TopRows& top,
                             const std::function<std::uint64_t(std::size_t)>& position_of);

}  // namespace evq

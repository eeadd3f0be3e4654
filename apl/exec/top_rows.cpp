#include "apl/exec/top_rows.h"

#include <algorithm>
#include <vector>

#include "apl/exec/sort_numbers.h"
#include "store/base/allocation_meter.h"

namespace evq {
namespace {

// Of some rows those `count` that come first in the stream.
void keep_first(std::size_t count, const std::function<std::uint64_t(std::size_t)>& position_of,
                RowList* rows) {
  if (count >= rows->size()) {
    return;
  }
  struct Placed {
    std::uint64_t position;
    std::uint32_t row;
  };
  AllocationMeter::charge(rows->size() * sizeof(Placed));
  std::vector<Placed> placed(rows->size());
  std::ranges::transform(*rows, placed.begin(), [&](std::uint32_t row) {
    return Placed{position_of(row), row};
  });
  std::ranges::nth_element(placed, placed.begin() + static_cast<std::ptrdiff_t>(count), {},
                           &Placed::position);
  rows->resize(count);
  std::ranges::transform(placed.begin(), placed.begin() + static_cast<std::ptrdiff_t>(count),
                         rows->begin(), &Placed::row);
}

}  // namespace

RowList rows_that_may_be_top(const Vector& column, const TopRows& top,
                             const std::function<std::uint64_t(std::size_t)>& position_of) {
  RowList rows;
  if (top.count == 0 || column.size() == 0) {
    return rows;
  }
  AllocationMeter::charge(2 * sizeof(std::uint64_t) * column.size());
  std::vector<std::uint64_t> numbers;
  sort_numbers(column, top.order, &numbers);
  const std::size_t last = std::min(top.count, numbers.size()) - 1;
  std::vector<std::uint64_t> sorted = numbers;
  std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(last));
  const std::uint64_t bound = sorted[last];
  RowList ties;
  for (std::uint32_t row = 0; row < numbers.size(); ++row) {
    if (numbers[row] <= bound) {
      (numbers[row] < bound ? rows : ties).push_back(row);
    }
  }
  if (top.only_key && is_exact_sort_number(column.type(), bound)) {
    keep_first(last + 1 - rows.size(), position_of, &ties);
  }
  rows.insert(rows.end(), ties.begin(), ties.end());
  return rows;
}

}  // namespace evq

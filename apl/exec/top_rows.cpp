#include "apl/exec/top_rows.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "apl/exec/sort_numbers.h"
#include "store/base/allocation_meter.h"

namespace evq {
namespace {

// So many rows that tie are not worth a look at another key.
constexpr std::size_t kTiesMax = 1024;

// Texts of so many of the rows that tie are looked at before those of all.
constexpr std::size_t kSampledRows = 64;

// Whether a key is of texts that begin alike, so that their sort numbers tell them hardly apart.
bool hardly_tells(const RowsToRank& known, std::size_t key, SortOrder order, const RowList& open) {
  RowList sample;
  for (std::size_t i = 0; i < kSampledRows; ++i) {
    sample.push_back(open[i * (open.size() / kSampledRows)]);
  }
  const Vector column = known.values(key, sample);
  std::vector<std::uint64_t> numbers;
  sort_numbers(column, order, &numbers);
  return column.type() == Type::kString && std::ranges::count(numbers, numbers.front()) >
                                               static_cast<std::ptrdiff_t>(sample.size() / 2);
}

// Of some rows those `count` that come first in the stream.
void keep_first(std::size_t count, const RowsToRank& known, RowList* rows) {
  if (count >= rows->size()) {
    return;
  }
  struct Placed {
    std::uint64_t position;
    std::uint32_t row;
  };
  AllocationMeter::charge(rows->size() * sizeof(Placed));
  std::vector<Placed> placed(rows->size());
  PollCounter poll;
  std::ranges::transform(*rows, placed.begin(), [&](std::uint32_t row) {
    poll.add();
    return Placed{known.position(row), row};
  });
  std::ranges::nth_element(placed, placed.begin() + static_cast<std::ptrdiff_t>(count),
                           [&](const Placed& a, const Placed& b) {
                             poll.add();
                             return a.position < b.position;
                           });
  rows->resize(count);
  std::ranges::transform(placed.begin(), placed.begin() + static_cast<std::ptrdiff_t>(count),
                         rows->begin(), &Placed::row);
}

// Moves those of `open` that come before `bound` in the order of `numbers`, one for each of them,
// to `chosen`, and leaves those that tie with it.
void split_at(std::uint64_t bound, const std::vector<std::uint64_t>& numbers, RowList* open,
              RowList* chosen) {
  RowList ties;
  PollCounter poll;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    poll.add();
    if (numbers[i] <= bound) {
      (numbers[i] < bound ? *chosen : ties).push_back((*open)[i]);
    }
  }
  *open = std::move(ties);
}

}  // namespace

RowList rows_that_may_be_top(std::size_t rows, const TopRows& top, const RowsToRank& known) {
  RowList chosen;
  if (top.count == 0 || rows == 0) {
    return chosen;
  }
  AllocationMeter::charge((sizeof(std::uint32_t) + 2 * sizeof(std::uint64_t)) * rows);
  RowList open(rows);  // not decided yet: the same in all keys so far
  std::iota(open.begin(), open.end(), 0U);
  const std::size_t wanted = std::min(top.count, rows);
  bool ties_are_equal = top.all_keys;
  for (std::size_t key = 0; key < top.keys.size(); ++key) {
    const std::size_t room = wanted - chosen.size();
    if (key > 0 &&
        (open.size() <= room + kTiesMax || hardly_tells(known, key, top.keys[key].order, open))) {
      ties_are_equal = false;
      break;
    }
    const Vector column = known.values(key, open);
    std::vector<std::uint64_t> numbers;
    sort_numbers(column, top.keys[key].order, &numbers);
    std::vector<std::uint64_t> sorted = numbers;
    const auto last = sorted.begin() + static_cast<std::ptrdiff_t>(room - 1);
    PollCounter poll;
    std::ranges::nth_element(sorted, last, [&](std::uint64_t a, std::uint64_t b) {
      poll.add();
      return a < b;
    });
    split_at(*last, numbers, &open, &chosen);
    if (!is_exact_sort_number(column.type(), *last)) {
      ties_are_equal = false;
      break;
    }
  }
  if (ties_are_equal) {
    keep_first(wanted - chosen.size(), known, &open);
  }
  chosen.insert(chosen.end(), open.begin(), open.end());
  return chosen;
}

}  // namespace evq

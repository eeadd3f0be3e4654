#pragma once
// Top rows: which rows may be among the first ones in an order, found without sorting them. A key
// is looked at only in the rows that tie with the last of the first ones in all keys before it, and
// no other column is. Pure; any thread; fails as allocations do.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "apl/exec/eval.h"
#include "store/column/ordering.h"
#include "store/column/vector.h"

namespace evq {

// The first `count` rows in the order of `keys`, at least one.
struct TopRows {
  struct Key {
    std::size_t column = 0;
    SortOrder order;
  };
  std::vector<Key> keys;
  std::size_t count = 0;
  // Whether no further key decides between rows that tie in all of these: the first in the stream
  // come first then.
  bool all_keys = false;
};

// What is to be known of rows, by their numbers.
struct RowsToRank {
  // Returns key `key` of some rows, which are ascending.
  std::function<Vector(std::size_t key, const RowList& rows)> values;
  // Returns the place of a row in the stream.
  std::function<std::uint64_t(std::size_t row)> position;
};

// Returns those of rows [0, rows), in any order, among which the first `top.count` are. Rows that
// tie with the last of these in all keys come as well, unless equal sort numbers mean equal values,
// there is no further key, and there is no room for them. A key that seems not to tell rows apart
// by its sort numbers ends the search. Charged to the allocation meter at work.
RowList rows_that_may_be_top(std::size_t rows, const TopRows& top, const RowsToRank& known);

}  // namespace evq

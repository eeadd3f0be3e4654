#pragma once
// Expressions evaluated over one chunk, and predicates made into selections of its rows. All
// functions are pure; any thread.

#include <cstdint>
#include <span>
#include <vector>

#include "apl/plan/evaluate.h"
#include "store/column/chunk.h"

namespace evq {

// Row numbers, ascending.
using RowList = std::vector<std::uint32_t>;
// Lists the rows for which `holds`. Every row number is written and only kept where it holds: there
// is no branch to mispredict.
template <class Holds>
void select_rows(std::size_t rows, RowList* out, const Holds& holds) {
  out->resize(rows + 1);
  std::uint32_t* to = out->data();
  std::size_t count = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    to[count] = static_cast<std::uint32_t>(i);
    count += holds(i) ? 1U : 0U;
  }
  out->resize(count);
}

// The conjunction of several predicates over the same rows, gathered before any row is selected:
// one byte a row, 1 or 0.
class RowMask {
 public:
  bool is_set() const { return !bytes_.empty(); }
  void clear() { bytes_.clear(); }
  // Keeps the rows for which `predicate`, a bool vector, is true as well.
  void keep_true(const Vector& predicate);
  std::size_t count() const;
  void select(RowList* out) const;

 private:
  std::vector<std::uint8_t> bytes_;  // empty: all rows
};

// Lists the rows for which a bool vector is true (null is not).
void select_true(const Vector& predicate, RowList* out);
// True when every row of `predicate` is true; cheap for constants and dictionaries.
bool all_true(const Vector& predicate);

}  // namespace evq

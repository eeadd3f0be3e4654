#pragma once
// ValueCombinations: the combinations in which the values of a chunk's dictionaries meet. What is
// computed of a few columns of few values has one value for each, and need not be computed for each
// row. Immutable; any thread.

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "store/column/vector.h"

namespace evq {

// Returns the most combinations that entries of the columns can make; 0 when there are more than
// rows, or when a column is flat or has no entries.
std::size_t possible_combinations(std::span<const Vector> columns, std::size_t rows);

class ValueCombinations {
 public:
  // Returns the combinations of `rows` rows; nothing when possible_combinations() is 0 or nearly
  // each row has a combination of its own.
  static std::optional<ValueCombinations> find(std::span<const Vector> columns, std::size_t rows);

  std::size_t size() const { return size_; }
  // The columns with one row for each combination: constants and dictionaries as they were, and the
  // only dictionary among constants as its entries.
  const std::vector<Vector>& columns() const { return columns_; }
  // Returns the value of each of the rows found, given that of each combination.
  Vector spread(const Vector& of_each) const;

 private:
  ValueCombinations() = default;

  std::size_t rows_ = 0;
  std::size_t size_ = 0;
  std::vector<Vector> columns_;
  std::shared_ptr<const Code[]> combination_of_row_;  // null: the same for all rows
};

}  // namespace evq

#pragma once
// ChunkCombinations: the combinations of entries that occur in a chunk whose key columns are all
// dictionaries or constants, numbered 0, 1, 2, … by ascending codes. One thread's.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "store/column/vector.h"

namespace evq {

class ChunkCombinations {
 public:
  // Finds the combinations in a chunk; `radix` is combinations_of(keys, rows), not 0. The keys must
  // live for as long as this is asked about them.
  void find(std::span<const Vector> keys, std::size_t rows, std::size_t radix);

  std::size_t size() const { return numbers_.size(); }
  // The mixed-radix number of each combination, as CombinationSlots takes it.
  std::span<const std::uint32_t> numbers() const { return numbers_; }
  // The number of rows that have each combination.
  std::span<const std::uint32_t> counts() const { return counts_; }

  void find_first_rows();
  // The first row of a combination: valid from find_first_rows() until spread().
  std::uint32_t first_row(std::size_t combination) const {
    return by_number_[numbers_[combination]];
  }
  // Sets to[row] to of_each[combination of the row], for all rows.
  void spread(const std::uint32_t* of_each, std::uint32_t* to);

  std::size_t size_bytes() const;

 private:
  // Calls visit with what numbers the rows: the codes of one dictionary, or numbers made of many.
  template <class Visit>
  void with_row_numbers(const Visit& visit) const;

  std::size_t rows_ = 0;
  const Code* codes_ = nullptr;  // of the only dictionary, if it is the only one
  std::vector<std::uint32_t> row_numbers_;
  std::vector<std::uint32_t> numbers_;
  std::vector<std::uint32_t> counts_;
  std::vector<std::uint32_t> by_number_;  // row counts, then first rows, then what is spread
};

}  // namespace evq

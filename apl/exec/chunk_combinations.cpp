#include "apl/exec/chunk_combinations.h"

#include "apl/exec/key_combinations.h"
#include "store/column/code_counts.h"

namespace evq {

template <class Visit>
void ChunkCombinations::with_row_numbers(const Visit& visit) const {
  if (codes_ != nullptr) {
    visit(codes_);
  } else {
    visit(row_numbers_.data());
  }
}

void ChunkCombinations::find(std::span<const Vector> keys, std::size_t rows, std::size_t radix) {
  rows_ = rows;
  const Vector* const only = only_dictionary(keys);
  codes_ = only != nullptr ? only->codes() : nullptr;
  if (only == nullptr) {
    number_combinations(keys, rows, &row_numbers_);
  }
  with_row_numbers([&](const auto* of_row) { count_codes(of_row, rows_, radix, &by_number_); });
  numbers_.clear();
  counts_.clear();
  for (std::size_t number = 0; number < radix; ++number) {
    if (by_number_[number] != 0) {
      numbers_.push_back(static_cast<std::uint32_t>(number));
      counts_.push_back(by_number_[number]);
    }
  }
}

void ChunkCombinations::find_first_rows() {
  with_row_numbers([&](const auto* of_row) {
    for (std::size_t row = rows_; row-- > 0;) {
      by_number_[of_row[row]] = static_cast<std::uint32_t>(row);
    }
  });
}

void ChunkCombinations::spread(const std::uint32_t* of_each, std::uint32_t* to) {
  for (std::size_t combination = 0; combination < numbers_.size(); ++combination) {
    by_number_[numbers_[combination]] = of_each[combination];
  }
  with_row_numbers([&](const auto* of_row) {
    const std::uint32_t* const by_number = by_number_.data();
    for (std::size_t row = 0; row < rows_; ++row) {
      to[row] = by_number[of_row[row]];
    }
  });
}

std::size_t ChunkCombinations::size_bytes() const {
  return (row_numbers_.capacity() + numbers_.capacity() + counts_.capacity() +
          by_number_.capacity()) *
         sizeof(std::uint32_t);
}

}  // namespace evq

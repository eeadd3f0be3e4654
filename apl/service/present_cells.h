#pragma once
// The cells of a chunk that are not null, row by row. They are found column by column, so that a
// wide chunk of mostly absent cells costs little more than those that are there: asking every row
// for every column touches other memory with each question.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "store/column/chunk.h"

namespace evq {

// The non-null cells of a chunk as it was when this was made. One thread.
class PresentCells {
 public:
  explicit PresentCells(const Chunk& rows);
  // The columns of the row's cells, ascending.
  std::span<const std::uint32_t> columns(std::size_t row) const {
    return std::span(columns_).subspan(begins_[row], begins_[row + 1] - begins_[row]);
  }

 private:
  std::vector<std::size_t> begins_;  // by row: its first in columns_; and the end
  std::vector<std::uint32_t> columns_;
};

}  // namespace evq

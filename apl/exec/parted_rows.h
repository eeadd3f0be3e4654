#pragma once
// PartedRows: rows of a chunk with their keys as hash tables look them up, in the order of the
// parts that the keys are in. The rows of a part ascend. Whoever takes in the rows of one part
// after the other reads all this from front to back, and may do so long after the chunk.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "apl/exec/group_table.h"
#include "store/column/vector.h"

namespace evq {

class PartedRows {
 public:
  static constexpr unsigned kBits = 6;
  static constexpr std::size_t kCount = std::size_t{1} << kBits;

  // The rows of a part.
  struct Part {
    std::size_t begin;  // among all rows
    std::span<const std::uint32_t> rows;
    const std::uint64_t* keys;  // of the rows, loaded
  };

  // Sorts some rows of a chunk, which ascend, by part. `keys` are the chunk's as `table` takes
  // them; texts stay where these have them.
  PartedRows(const GroupTable& table, std::span<const Vector> keys,
             std::span<const std::uint32_t> rows);

  Part part(std::size_t i) const {
    const std::size_t begin = begins_[i];
    return {begin, std::span(rows_).subspan(begin, begins_[i + 1] - begin),
            keys_.get() + begin * key_words_};
  }
  std::span<const std::uint32_t> rows() const { return rows_; }
  // Bytes that this many rows take; twice as much while they are sorted.
  static std::size_t bytes_of(const GroupTable& table, std::size_t rows) {
    return rows * (sizeof(std::uint32_t) + table.loaded_words() * sizeof(std::uint64_t));
  }

 private:
  std::size_t key_words_;
  std::array<std::size_t, kCount + 1> begins_{};
  std::vector<std::uint32_t> rows_;
  std::unique_ptr<std::uint64_t[]> keys_;
};

}  // namespace evq

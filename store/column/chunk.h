#pragma once
// Chunk: at most kChunkRowsMax rows of equally long vectors, moved along one worker's operators.
// `sequence` orders chunks of one stream: rows of a lower sequence come first, rows of one chunk
// in their order, whatever order the workers finished in.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "store/column/vector.h"

namespace evq {

class Chunk {
 public:
  Chunk() = default;
  Chunk(std::vector<Vector> columns, std::size_t rows)
      : rows_(rows), columns_(std::move(columns)) {}

  std::size_t rows() const { return rows_; }
  bool empty() const { return rows_ == 0; }
  std::size_t column_count() const { return columns_.size(); }
  const Vector& column(std::size_t i) const { return columns_[i]; }
  std::vector<Vector>& columns() { return columns_; }
  const std::vector<Vector>& columns() const { return columns_; }

  std::uint64_t sequence() const { return sequence_; }
  void set_sequence(std::uint64_t sequence) { sequence_ = sequence; }

  // Keeps only `rows`, ascending or not.
  void select(std::span<const std::uint32_t> rows);
  Chunk slice(std::size_t begin, std::size_t count) const;
  // Detaches its columns (Vector::detached), for whoever keeps the chunk.
  void detach();
  std::size_t size_bytes() const;

 private:
  std::size_t rows_ = 0;
  std::uint64_t sequence_ = 0;
  std::vector<Vector> columns_;
};

// All rows of chunks with the same columns, one chunk at least, in that order and in flat shape:
// a long run, which may have more rows than a chunk that goes to sinks.
Chunk concatenate(std::span<const Chunk> parts);

// The rows at `places` of chunks with the same columns, one chunk at least, in that order. It reads
// no other rows.
Chunk interleave(std::span<const Chunk* const> parts, std::span<const RowPlace> places);

}  // namespace evq

#include "store/column/chunk.h"

namespace evq {

void Chunk::select(std::span<const std::uint32_t> rows) {
  for (Vector& column : columns_) {
    column = column.gather(rows);
  }
  rows_ = rows.size();
}

Chunk Chunk::slice(std::size_t begin, std::size_t count) const {
  EVQ_CHECK(begin <= rows_ && count <= rows_ - begin);
  std::vector<Vector> columns;
  columns.reserve(columns_.size());
  for (const Vector& column : columns_) {
    columns.push_back(column.slice(begin, count));
  }
  Chunk chunk(std::move(columns), count);
  chunk.set_sequence(sequence_);
  return chunk;
}

std::size_t Chunk::size_bytes() const {
  std::size_t bytes = 0;
  for (const Vector& column : columns_) {
    bytes += column.size_bytes();
  }
  return bytes;
}

}  // namespace evq

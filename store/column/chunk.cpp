#include "store/column/chunk.h"

#include <algorithm>
#include <utility>

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

void Chunk::detach() {
  for (Vector& column : columns_) {
    column = column.detached();
  }
}

Chunk concatenate(std::span<const Chunk> parts) {
  EVQ_CHECK(!parts.empty());
  std::size_t rows = 0;
  for (const Chunk& part : parts) {
    rows += part.rows();
  }
  std::vector<Vector> columns;
  std::vector<Vector> column_parts(parts.size());
  for (std::size_t column = 0; column < parts[0].column_count(); ++column) {
    std::ranges::transform(parts, column_parts.begin(),
                           [column](const Chunk& part) { return part.column(column); });
    columns.push_back(concatenate(column_parts));
  }
  return {std::move(columns), rows};
}

Chunk interleave(std::span<const Chunk* const> parts, std::span<const RowPlace> places) {
  EVQ_CHECK(!parts.empty());
  constexpr std::uint32_t kUnused = ~std::uint32_t{0};
  std::vector<std::uint32_t> numbers(parts.size(), kUnused);
  std::vector<const Chunk*> used;
  std::vector<RowPlace> used_places(places.begin(), places.end());
  for (RowPlace& place : used_places) {
    std::uint32_t& number = numbers[place.part];
    if (number == kUnused) {
      number = static_cast<std::uint32_t>(used.size());
      used.push_back(parts[place.part]);
    }
    place.part = number;
  }
  if (used.empty()) {
    return parts[0]->slice(0, 0);
  }
  if (used.size() == 1) {
    std::vector<std::uint32_t> rows(places.size());
    std::ranges::transform(places, rows.begin(), &RowPlace::row);
    Chunk chunk = *used[0];
    chunk.select(rows);
    return chunk;
  }
  std::vector<Vector> columns;
  std::vector<Vector> column_parts(used.size());
  for (std::size_t column = 0; column < used[0]->column_count(); ++column) {
    std::ranges::transform(used, column_parts.begin(),
                           [column](const Chunk* part) { return part->column(column); });
    columns.push_back(interleave(column_parts, used_places));
  }
  return Chunk(std::move(columns), places.size());
}

std::size_t Chunk::size_bytes() const {
  std::size_t bytes = 0;
  for (const Vector& column : columns_) {
    bytes += column.size_bytes();
  }
  return bytes;
}

}  // namespace evq

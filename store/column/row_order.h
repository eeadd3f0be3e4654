#pragma once
// RowOrder: a permutation of a table's rows in both directions, for those who make a column in its
// new order at once: whoever has few values asks where each goes, others which row comes next.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace evq {

class RowOrder {
 public:
  // The order that the rows have already.
  RowOrder() = default;
  // `rows`: the row that comes to each place; empty: as they are.
  explicit RowOrder(std::vector<std::uint32_t> rows)
      : rows_(std::move(rows)), places_(rows_.size()) {
    for (std::size_t place = 0; place < rows_.size(); ++place) {
      places_[rows_[place]] = static_cast<std::uint32_t>(place);
    }
  }

  bool empty() const { return rows_.empty(); }
  // These need an order that is not empty().
  const std::vector<std::uint32_t>& rows() const { return rows_; }
  std::size_t row_at(std::size_t place) const { return rows_[place]; }
  std::size_t place_of(std::size_t row) const { return places_[row]; }

 private:
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> places_;
};

}  // namespace evq

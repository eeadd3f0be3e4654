#include "apl/service/present_cells.h"

#include <algorithm>
#include <bit>

namespace evq {
namespace {

constexpr std::size_t kWordRows = 64;

// Calls `take` with each row of a flat vector that is not null.
template <class Take>
void take_flat(const Vector& column, const Take& take) {
  const std::uint64_t* validity = column.values().validity();
  for (std::size_t begin = 0; begin < column.size(); begin += kWordRows) {
    const std::size_t rows = std::min(column.size() - begin, kWordRows);
    std::uint64_t bits = validity[begin / kWordRows];
    bits &= rows == kWordRows ? ~std::uint64_t{0} : (std::uint64_t{1} << rows) - 1;
    for (; bits != 0; bits &= bits - 1) {
      take(begin + static_cast<std::size_t>(std::countr_zero(bits)));
    }
  }
}

// The same of a dictionary. Of stretches without values only the codes are compared.
template <class Take>
void take_dictionary(const Vector& column, const Take& take) {
  const Code* codes = column.codes();
  for (std::size_t begin = 0; begin < column.size(); begin += kWordRows) {
    const std::size_t rows = std::min(column.size() - begin, kWordRows);
    const Code first = codes[begin];
    Code differing = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      differing = static_cast<Code>(differing | (codes[begin + i] ^ first));
    }
    if (differing == 0 && column.values().is_null(first)) {
      continue;
    }
    for (std::size_t row = begin; row < begin + rows; ++row) {
      if (!column.values().is_null(codes[row])) {
        take(row);
      }
    }
  }
}

template <class Take>
void take_present(const Vector& column, const Take& take) {
  if (!column.may_have_nulls()) {
    for (std::size_t row = 0; row < column.size(); ++row) {
      take(row);
    }
  } else if (column.is_dictionary()) {
    take_dictionary(column, take);
  } else if (column.is_flat() && column.type() != Type::kNull) {
    take_flat(column, take);
  }
}

}  // namespace

PresentCells::PresentCells(const Chunk& rows) : begins_(rows.rows() + 1) {
  struct Place {
    std::uint32_t row;
    std::uint32_t column;
  };
  std::vector<Place> cells;
  for (std::size_t i = 0; i < rows.column_count(); ++i) {
    take_present(rows.column(i), [&](std::size_t row) {
      cells.push_back({static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(i)});
      ++begins_[row + 1];
    });
  }
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    begins_[row + 1] += begins_[row];
  }
  columns_.resize(cells.size());
  std::vector<std::size_t> next = begins_;
  for (const Place& cell : cells) {
    columns_[next[cell.row]++] = cell.column;
  }
}

}  // namespace evq

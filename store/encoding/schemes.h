#pragma once
// The schemes themselves, one function a scheme, for the table and the chooser, and what their
// decoders share.

#include <algorithm>
#include <cstddef>

#include "store/encoding/encoding.h"

namespace evq {

const ColumnEncoding& constant_encoding();
const ColumnEncoding& dictionary_encoding();
const ColumnEncoding& packed_integers();
const ColumnEncoding& byte_planes();
const ColumnEncoding& run_length();
const ColumnEncoding& decimal_reals();
const ColumnEncoding& plain_reals();
const ColumnEncoding& bitmap_encoding();
const ColumnEncoding& string_frames();
const ColumnEncoding& light_frames();
const ColumnEncoding& packed_text();
const ColumnEncoding& time_text();

// The position of `row` among the requested rows; rows.count when it is not requested.
inline std::size_t find_row(const RowSet& rows, std::size_t row) {
  if (rows.list == nullptr) {
    return row >= rows.begin && row - rows.begin < rows.count ? row - rows.begin : rows.count;
  }
  const std::uint32_t* end = rows.list + rows.count;
  const std::uint32_t* at = std::lower_bound(rows.list, end, row);
  return at != end && *at == row ? static_cast<std::size_t>(at - rows.list) : rows.count;
}

// Hands the requested rows from position `i` on that lie in the decoded part [first, end) to
// `copy(offset in the part, count, position in the output)`; returns the position behind them.
template <class Copy>
std::size_t take_rows(const RowSet& rows, std::size_t i, std::size_t first, std::size_t end,
                      Copy copy) {
  if (rows.list == nullptr) {
    const std::size_t count = std::min(rows.count - i, end - rows[i]);
    copy(rows[i] - first, count, i);
    return i + count;
  }
  for (; i < rows.count && rows.list[i] < end; ++i) {
    copy(rows.list[i] - first, 1, i);
  }
  return i;
}

}  // namespace evq

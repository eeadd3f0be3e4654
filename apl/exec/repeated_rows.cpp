#include "apl/exec/repeated_rows.h"

#include <algorithm>

namespace evq {
namespace {

// How often a row comes on average where dictionaries are worth it.
constexpr std::size_t kRepeatsMin = 2;

}  // namespace

std::vector<Vector> repeat_rows(std::span<const Vector> columns,
                                std::span<const std::uint32_t> rows) {
  const std::uint32_t first = rows.empty() ? 0 : rows.front();
  const std::size_t entries = rows.empty() ? 0 : rows.back() - first + 1;
  const bool once = entries == rows.size() && std::ranges::adjacent_find(rows) == rows.end();
  std::shared_ptr<Code[]> codes;
  if (!rows.empty() && entries * kRepeatsMin <= rows.size()) {
    codes = make_codes(rows.size());
    std::ranges::transform(rows, codes.get(),
                           [first](std::uint32_t row) { return static_cast<Code>(row - first); });
  }
  std::vector<Vector> repeated;
  repeated.reserve(columns.size());
  for (const Vector& column : columns) {
    if (once) {
      repeated.push_back(column.slice(first, entries));
    } else if (codes != nullptr && column.is_flat()) {
      repeated.push_back(
          Vector::dictionary(column.slice(first, entries).shared_values(), codes, rows.size()));
    } else {
      repeated.push_back(column.gather(rows));
    }
  }
  return repeated;
}

}  // namespace evq

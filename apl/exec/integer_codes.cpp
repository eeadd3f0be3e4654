#include "apl/exec/integer_codes.h"

#include <algorithm>
#include <cstdint>

namespace evq {
namespace {

constexpr std::size_t kEntriesMax = 1024;
constexpr std::size_t kRowsPerEntryMin = 8;

}  // namespace

Vector code_close_integers(const Vector& vector) {
  const std::size_t rows = vector.size();
  const std::size_t entries_max = std::min(kEntriesMax, rows / kRowsPerEntryMin);
  if (!vector.is_flat() || entries_max == 0 || vector.may_have_nulls() ||
      physical_of(vector.type()) != Physical::kInt64) {
    return vector;
  }
  const auto* data = vector.values().data<std::int64_t>();
  // Most columns that spread show it in their first rows.
  std::int64_t least = data[0];
  std::int64_t greatest = data[0];
  const auto spread = [&] {
    return static_cast<std::uint64_t>(greatest) - static_cast<std::uint64_t>(least);
  };
  constexpr std::size_t kStep = 4096;
  for (std::size_t begin = 0; begin < rows; begin += kStep) {
    const std::size_t end = std::min(rows, begin + kStep);
    for (std::size_t i = begin; i < end; ++i) {
      least = std::min(least, data[i]);
      greatest = std::max(greatest, data[i]);
    }
    if (spread() >= entries_max) {
      return vector;
    }
  }
  const auto count = static_cast<std::size_t>(spread()) + 1;
  const auto entries = Values::make(vector.type(), count);
  auto* values = entries->mutable_data<std::int64_t>();
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = least + static_cast<std::int64_t>(i);
  }
  const std::shared_ptr<Code[]> codes = make_codes(rows);
  Code* to = codes.get();
  for (std::size_t i = 0; i < rows; ++i) {
    to[i] = static_cast<Code>(data[i] - least);
  }
  return Vector::dictionary(entries, codes, rows);
}

}  // namespace evq

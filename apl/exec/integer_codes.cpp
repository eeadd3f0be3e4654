#include "apl/exec/integer_codes.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace evq {
namespace {

constexpr std::size_t kEntriesMax = 1024;
constexpr std::size_t kRowsPerEntryMin = 8;
constexpr std::size_t kStep = 4096;  // most columns show in so many rows what they are not

// An entry for each number between the least and the greatest, unless they are too many.
std::optional<Vector> code_close(const Vector& vector, std::size_t entries_max) {
  const std::size_t rows = vector.size();
  const auto* data = vector.values().data<std::int64_t>();
  std::int64_t least = data[0];
  std::int64_t greatest = data[0];
  const auto spread = [&] {
    return static_cast<std::uint64_t>(greatest) - static_cast<std::uint64_t>(least);
  };
  for (std::size_t begin = 0; begin < rows; begin += kStep) {
    const std::size_t end = std::min(rows, begin + kStep);
    for (std::size_t i = begin; i < end; ++i) {
      least = std::min(least, data[i]);
      greatest = std::max(greatest, data[i]);
    }
    if (spread() >= entries_max) {
      return std::nullopt;
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

// An entry for each run of equal numbers, unless they are too many.
std::optional<Vector> code_runs(const Vector& vector, std::size_t entries_max) {
  const std::size_t rows = vector.size();
  const auto* data = vector.values().data<std::int64_t>();
  std::size_t runs = 1;
  for (std::size_t begin = 1; begin < rows; begin += kStep) {
    const std::size_t end = std::min(rows, begin + kStep);
    for (std::size_t i = begin; i < end; ++i) {
      runs += data[i] != data[i - 1] ? 1 : 0;
    }
    if (runs > entries_max) {
      return std::nullopt;
    }
  }
  const auto entries = Values::make(vector.type(), runs);
  auto* values = entries->mutable_data<std::int64_t>();
  const std::shared_ptr<Code[]> codes = make_codes(rows);
  Code* to = codes.get();
  std::size_t run = 0;
  values[0] = data[0];
  for (std::size_t i = 0; i < rows; ++i) {
    if (data[i] != values[run]) {
      values[++run] = data[i];
    }
    to[i] = static_cast<Code>(run);
  }
  return Vector::dictionary(entries, codes, rows);
}

}  // namespace

Vector code_integers(const Vector& vector) {
  const std::size_t entries_max = std::min(kEntriesMax, vector.size() / kRowsPerEntryMin);
  if (!vector.is_flat() || entries_max == 0 || vector.may_have_nulls() ||
      physical_of(vector.type()) != Physical::kInt64) {
    return vector;
  }
  std::optional<Vector> coded = code_close(vector, entries_max);
  if (!coded.has_value()) {
    coded = code_runs(vector, entries_max);
  }
  return coded.value_or(vector);
}

}  // namespace evq

#pragma once
// Slots of the keys that a GroupTable looks up side by side: function objects that fill in the
// slots of keys begin, begin + 1, … of a column. What they are made of must outlive them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "store/column/vector.h"

namespace evq {

// Gives the slots of all rows.
class RowSlots {
 public:
  explicit RowSlots(std::span<const Vector> keys) : keys_(keys) {}
  void operator()(std::size_t column, std::size_t begin, std::span<std::uint32_t> slots) const {
    const Vector& key = keys_[column];
    if (key.is_flat()) {
      std::iota(slots.begin(), slots.end(), static_cast<std::uint32_t>(begin));
    } else if (key.is_constant()) {
      std::ranges::fill(slots, 0);
    } else {
      std::copy_n(key.codes() + begin, slots.size(), slots.begin());
    }
  }

 private:
  std::span<const Vector> keys_;
};

// Gives the slots of the given rows.
class SomeRowSlots {
 public:
  SomeRowSlots(std::span<const Vector> keys, std::span<const std::uint32_t> rows)
      : keys_(keys), rows_(rows) {}
  void operator()(std::size_t column, std::size_t begin, std::span<std::uint32_t> slots) const {
    const Vector& key = keys_[column];
    const std::span<const std::uint32_t> rows = rows_.subspan(begin, slots.size());
    if (key.is_flat()) {
      std::ranges::copy(rows, slots.begin());
    } else if (key.is_constant()) {
      std::ranges::fill(slots, 0);
    } else {
      const Code* const codes = key.codes();
      std::ranges::transform(rows, slots.begin(),
                             [codes](std::uint32_t row) { return codes[row]; });
    }
  }

 private:
  std::span<const Vector> keys_;
  std::span<const std::uint32_t> rows_;
};

// Gives the slots of combinations of entries, by their numbers (key_combinations.h).
class CombinationSlots {
 public:
  CombinationSlots(std::span<const Vector> keys, std::span<const std::uint32_t> numbers)
      : numbers_(numbers), radixes_(keys.size(), 1), units_(keys.size(), 1) {
    std::uint32_t unit = 1;
    for (std::size_t column = keys.size(); column-- > 0;) {
      units_[column] = unit;
      if (keys[column].is_dictionary()) {
        radixes_[column] = static_cast<std::uint32_t>(keys[column].values().size());
      }
      unit *= radixes_[column];
    }
  }
  void operator()(std::size_t column, std::size_t begin, std::span<std::uint32_t> slots) const {
    for (std::size_t j = 0; j < slots.size(); ++j) {
      slots[j] = numbers_[begin + j] / units_[column] % radixes_[column];
    }
  }

 private:
  std::span<const std::uint32_t> numbers_;
  std::vector<std::uint32_t> radixes_;
  std::vector<std::uint32_t> units_;
};

}  // namespace evq

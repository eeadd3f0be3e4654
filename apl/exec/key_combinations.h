#pragma once
// The combinations of entries that may occur in a chunk whose key columns are all dictionaries or
// constants, by number: mixed-radix numbers of the rows' codes, the first key's most significant;
// constants have radix 1.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "store/column/vector.h"

namespace evq {

// How many there are; 0 when they are too many to look at one by one, for keys whose entries repeat
// too many to hold a table of, or a key is flat.
std::size_t combinations_of(std::span<const Vector> keys, std::size_t rows);

// Each row's combination.
void number_combinations(std::span<const Vector> keys, std::size_t rows,
                         std::vector<std::uint32_t>* numbers);

// The key whose codes are the numbers already, all others being constants; null if there is none.
const Vector* only_dictionary(std::span<const Vector> keys);

// Maps the combinations `numbers` back to the slot of each key.
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

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

}  // namespace evq

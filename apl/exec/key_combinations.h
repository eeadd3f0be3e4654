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

// Returns how many combinations may occur; 0 when a key is flat or they are too many to visit one
// by one, for keys with many equal entries: too many to keep a table of.
std::size_t combinations_of(std::span<const Vector> keys, std::size_t rows);

// Sets numbers[i] to the combination of row i.
void number_combinations(std::span<const Vector> keys, std::size_t rows,
                         std::vector<std::uint32_t>* numbers);

// Returns the key whose codes are the combination numbers: the only dictionary among constants;
// null if there is none.
const Vector* only_dictionary(std::span<const Vector> keys);

}  // namespace evq

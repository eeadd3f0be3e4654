#pragma once
// Numbers of which few are different, such as hours of the day, bins and rounded numbers, as
// dictionaries: what works by entry then need not look at every row. Pure; any thread.

#include "store/column/vector.h"

namespace evq {

// Returns the rows as a dictionary when they are flat integers or reals and its entries are few
// beside the rows; else `vector`. An entry may come several times.
Vector code_numbers(const Vector& vector);

}  // namespace evq

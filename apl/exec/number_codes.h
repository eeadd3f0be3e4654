#pragma once
// Numbers of which few are different, such as hours of the day, bins and rounded numbers, as
// dictionaries: what works by entry then need not look at every row. Pure; any thread.

#include "store/column/vector.h"

namespace evq {

// The same rows as a dictionary when they are flat integers or reals and its entries are few beside
// the rows; else `vector`. An entry may come several times; reals that are equal as keys of groups,
// -0.0 and 0.0 or one NaN and another, may become one.
Vector code_numbers(const Vector& vector);

}  // namespace evq

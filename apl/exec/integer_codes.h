#pragma once
// Integers that lie close together, such as hours of the day, or that stay the same for many rows,
// such as the hour of a sorted time, as dictionaries: what works by entry then need not look at
// every row. Pure; any thread.

#include "store/column/vector.h"

namespace evq {

// The same rows as a dictionary when they are flat integers, none of them null, and its entries are
// few beside the rows; else `vector`. An entry may come several times.
Vector code_integers(const Vector& vector);

}  // namespace evq

#pragma once
// Integers that lie close together, such as hours of the day, as dictionaries: what works by entry
// then need not look at every row. Pure; any thread.

#include "store/column/vector.h"

namespace evq {

// The same rows as a dictionary when they are flat integers, none of them null, of a range so small
// that its values are few beside the rows; else `vector`.
Vector code_close_integers(const Vector& vector);

}  // namespace evq

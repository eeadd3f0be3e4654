#pragma once
// Dynamic columns in the canonical form of store/column/dynamic.h, in which equal values have equal
// bytes: what tells groups, join keys and counted values apart. So {"a":1,"b":2} and {"b":2,"a":1}
// are one value there, as they are to ==.

#include "store/column/vector.h"

namespace evq {

// Returns `vector` in that form; itself when it is not dynamic or all its values are canonical.
Vector canonical_dynamics(const Vector& vector);

}  // namespace evq

#pragma once
// What the values of a dynamic column are, as a set of types, so that a field of several scalar
// types can be told from one of lists and objects. Pure functions; any thread.

#include <cstdint>

#include "store/column/vector.h"

namespace evq {

constexpr std::uint32_t type_bit(Type type) {
  return 1U << static_cast<unsigned>(type);
}

// A bit of such a set: some long is beyond kExactIntegerMax, where not every long is a double, so
// that longs and reals together must stay dynamic.
inline constexpr std::uint32_t kWideLongs = 1U << kTypeCount;

// The types of the values of a dynamic vector that are not null, and kWideLongs; kDynamic stands
// for arrays and bags.
std::uint32_t dynamic_kinds(const Vector& values);

}  // namespace evq

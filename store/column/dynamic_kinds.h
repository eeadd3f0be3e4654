#pragma once
// DynamicKinds: what the values of a dynamic column are, as a set of types, so that a field of
// several scalar types can be told from one of lists and objects. Pure functions; any thread.

#include <cstdint>

#include "store/column/vector.h"

namespace evq {

constexpr std::uint32_t type_bit(Type type) {
  return 1U << static_cast<unsigned>(type);
}

// The types of the values of a dynamic vector that are not null; kDynamic stands for arrays and
// bags.
std::uint32_t dynamic_kinds(const Vector& values);

}  // namespace evq

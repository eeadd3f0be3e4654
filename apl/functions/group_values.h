#pragma once
// dynamics_of_groups: the answers of groups as a column, for aggregates that answer with lists and
// bags. Any thread; nothing fails but memory.

#include <cstddef>

#include "store/column/dynamic.h"
#include "store/column/vector_builder.h"

namespace evq {

// Makes a value for each of `count` groups from `begin` on: `write(group, &builder)` writes it.
template <class Write>
Vector dynamics_of_groups(std::size_t begin, std::size_t count, const Write& write) {
  VectorBuilder values(Type::kDynamic);
  DynamicBuilder value;
  for (std::size_t group = begin; group < begin + count; ++group) {
    value.clear();
    write(group, &value);
    values.append_text(value.bytes());
  }
  return values.finish();
}

}  // namespace evq

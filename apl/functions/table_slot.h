#pragma once
// table_slot: where in a hash table a hash belongs that anybody can compute, as sketch_hash() is of
// every value: mixed with a secret of this process, so that nobody can choose values that all meet
// in one place. Slots of a table of another size are in another order, so what one table gives may
// be put into a smaller one as it comes.

#include <cstddef>
#include <cstdint>

#include "store/base/checksum.h"

namespace evq {

// Returns the index of the slot among `slots`, a power of two.
inline std::size_t table_slot(std::uint64_t hash, std::size_t slots) {
  static const std::uint64_t kSecret = random_seed();
  return split_mix(hash ^ kSecret) & (slots - 1);
}

}  // namespace evq

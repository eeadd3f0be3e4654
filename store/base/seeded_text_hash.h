#pragma once
// SeededTextHash: the hash of tables keyed by texts that somebody else chose (field names, values),
// each table with a random seed of its own, so that nobody can make keys collide. Views find what
// strings hold.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "store/base/checksum.h"

namespace evq {

struct SeededTextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return hash64(text, seed); }
  std::uint64_t seed = random_seed();
};

}  // namespace evq

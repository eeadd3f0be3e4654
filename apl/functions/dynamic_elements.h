#pragma once
// What functions over arrays share: an array's elements as views, arrays built from views, and the
// equality of values as == sees it (1 equals 1.0), also for hash tables. Views follow the buffer
// of the array they were taken from.

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "apl/functions/lift.h"
#include "store/base/checksum.h"
#include "store/column/dynamic.h"

namespace evq {

// The elements of an array, the values of a bag; none for scalars.
std::vector<DynamicView> elements_of(DynamicView container);
void add_array(std::span<const DynamicView> elements, DynamicBuilder* out);
// The null value when the array would be larger than a value may be, as one that holds the same
// element many times soon is.
DynamicBytes array_of(std::span<const DynamicView> elements);
// False when what the values hold is certainly too much for one value. Says so before it is built.
bool may_fit_together(std::span<const DynamicView> values);

// Equal by value, numbers whatever their types; arrays and bags by their contents.
inline bool same_dynamic(DynamicView a, DynamicView b) {
  return compare_dynamic(a, b) == 0;
}

// What a function that looks for `wanted` finds: the same value, or a number beside a timespan,
// which counts nanoseconds there as it does beside ==.
bool is_wanted(DynamicView element, DynamicView wanted);

// With a seed that nobody knows: values of events might be made to collide else.
struct SameDynamicHash {
  std::size_t operator()(DynamicView value) const {
    static const std::uint64_t kSeed = random_seed();
    return hash_dynamic(value, kSeed);
  }
};
struct SameDynamicEqual {
  bool operator()(DynamicView a, DynamicView b) const { return same_dynamic(a, b); }
};
using DynamicSet = std::unordered_set<DynamicView, SameDynamicHash, SameDynamicEqual>;

}  // namespace evq

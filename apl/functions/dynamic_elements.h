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

// Returns the elements of an array or the values of a bag; empty for scalars.
std::vector<DynamicView> elements_of(DynamicView container);
void add_array(std::span<const DynamicView> elements, DynamicBuilder* out);
// Encodes an array of `elements`; the null value when it would be larger than a value may be, as
// one that repeats an element many times soon is.
DynamicBytes array_of(std::span<const DynamicView> elements);
// Returns false when the values are certainly too large for one value: a check before it is built.
bool may_fit_together(std::span<const DynamicView> values);

// Whether two values are equal: numbers whatever their types; arrays and bags by their contents.
inline bool same_dynamic(DynamicView a, DynamicView b) {
  return compare_dynamic(a, b) == 0;
}

// Whether a function that searches for `wanted` finds `element`, or compares the two: equal values,
// and a number beside a timespan, which counts nanoseconds there as it does beside ==.
bool is_wanted(DynamicView element, DynamicView wanted);

// Hashes with a random seed: with a known one, values of events could be made to collide.
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

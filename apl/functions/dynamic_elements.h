#pragma once
// What functions over arrays share: an array's elements as views, arrays built from views, and the
// equality of values as == sees it (1 equals 1.0), also for hash tables. Views follow the buffer
// of the array they were taken from.

#include <cstddef>
#include <cstdint>
#include <span>

#include "apl/functions/lift.h"
#include "store/base/scratch.h"
#include "store/column/dynamic.h"

namespace evq {

using Elements = ScratchVector<DynamicView>;

// Returns the elements of an array or the values of a bag; empty for scalars.
Elements elements_of(DynamicView container);
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

// Different values, in the order in which they came: open addressing, with a random seed, since
// with a known one values of events could be made to collide.
class DynamicSet {
 public:
  // Whether `value` was not there yet.
  bool insert(DynamicView value);
  bool contains(DynamicView value) const;
  const Elements& values() const { return values_; }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t number = 0;  // of the value, from 1 on; 0: free
  };

  // The slot of an equal value, or the free one where it belongs.
  std::size_t slot_of(DynamicView value, std::uint32_t hash) const;
  void grow();

  Elements values_;
  ScratchVector<Slot> slots_;  // a power of two of them, or none; at most half are taken
};

}  // namespace evq

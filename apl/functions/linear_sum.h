#pragma once
// Sums and averages of x * scale + shift from the sum of x itself: what a plan asks of the bound
// aggregates of sum() and avg(). Pure; any thread.

#include <cstdint>
#include <memory>

#include "apl/functions/aggregate_function.h"

namespace evq {

// The form x * scale + shift of a long x. It is null where it overflows, and where x * scale does,
// as in a query that multiplies and then adds; but scale -1 means shift - x, which is one step.
struct LinearForm {
  static constexpr std::int64_t kScaleMax = std::int64_t{1} << 16;        // either sign
  static constexpr std::int64_t kShiftMax = (std::int64_t{1} << 62) - 1;  // either sign

  std::int64_t scale = 1;
  std::int64_t shift = 0;

  bool operator==(const LinearForm&) const = default;
  bool is_plain() const { return *this == LinearForm(); }
};

// The aggregate whose states, given x, answer what those of `aggregate` would, given the form's
// value; null when there is none. The form is within its bounds.
std::shared_ptr<const BoundAggregate> aggregate_of_linear(const BoundAggregate& aggregate,
                                                          const LinearForm& form);

}  // namespace evq

#pragma once
// The range of time that a query is about, for what is made to suit it: the width of bin_auto() and
// the seconds of rate().

#include <cstdint>
#include <optional>
#include <utility>

#include "apl/functions/function.h"

namespace evq {

// The extent in time of the data that a query reads. Any thread.
class TimeExtent {
 public:
  virtual ~TimeExtent() = default;
  // Returns the times of its oldest and its newest event, in nanoseconds since the epoch, the same
  // to whoever asks; nullopt when there is none.
  virtual std::optional<std::pair<std::int64_t, std::int64_t>> time_extent() const = 0;
};

struct KnownRange {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;  // not before the start
};

// Returns the query's time range; where that is open, its data's. nullopt when neither is known.
std::optional<KnownRange> known_time_range(const EvalContext& context);

}  // namespace evq

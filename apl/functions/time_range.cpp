#include "apl/functions/time_range.h"

namespace evq {

std::optional<KnownRange> known_time_range(const EvalContext& context) {
  const bool open_start = context.range_start_ns == kUnboundedStart;
  const bool open_end = context.range_end_ns == kUnboundedEnd;
  KnownRange range{context.range_start_ns, context.range_end_ns};
  if (open_start || open_end) {
    const auto bounds = context.extent != nullptr ? context.extent->time_extent() : std::nullopt;
    if (!bounds.has_value()) {
      return std::nullopt;
    }
    range.start_ns = open_start ? bounds->first : range.start_ns;
    range.end_ns = open_end ? bounds->second : range.end_ns;
  }
  return range.start_ns <= range.end_ns ? std::optional(range) : std::nullopt;
}

}  // namespace evq

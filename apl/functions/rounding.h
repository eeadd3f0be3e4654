#pragma once
// The width of automatic time bins, shared by bin_auto() and by whoever must know the width that
// it will use (rate(), charts).

#include <cstdint>

namespace evq {

struct EvalContext;

// Bins that an automatically chosen width gives at most, but for the one that the range cuts,
// unless a request asks for another number.
inline constexpr std::int64_t kAutoBinsDefault = 100;

// Returns the smallest round width that covers the query's range with about context.auto_bins bins;
// one hour when the range is open and nothing is known of its data.
std::int64_t auto_bin_ns(const EvalContext& context);

}  // namespace evq

#pragma once
// The width of automatic time bins, shared by bin_auto() and by whoever must know the width that
// it will use (rate(), charts). A pure function of the query's range.

#include <cstdint>

namespace evq {

// Bins that an automatically chosen width gives at most, but for the one that the range cuts.
inline constexpr std::int64_t kAutoBinsMax = 100;

// The smallest round width that covers the closed range [start, end] with about kAutoBinsMax
// bins; one hour when the range is open at either end.
std::int64_t auto_bin_ns(std::int64_t start_ns, std::int64_t end_ns);

}  // namespace evq

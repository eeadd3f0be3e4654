#include "apl/exec/direct_groups.h"

#include <algorithm>
#include <limits>

#include "store/base/allocation_meter.h"

namespace evq {
namespace {

// A hash table takes some 24 bytes a key besides the keys themselves, an array 4 for each key that
// might be. With fewer keys in its range, more of it is cleared than is read.
constexpr std::uint64_t kRangePerKeyMax = 8;
constexpr std::uint64_t kRangeMin = 4096;
constexpr std::uint64_t kRangeMax = std::uint64_t{1} << 25U;

std::uint64_t distance(std::int64_t least, std::int64_t greatest) {
  return static_cast<std::uint64_t>(greatest) - static_cast<std::uint64_t>(least);
}

// How far to go beyond an end of `size` keys that is `needed` short: keys that ascend, or descend,
// go on to. Not beyond `left`, all that there is.
std::uint64_t extension(std::uint64_t needed, std::uint64_t size, std::uint64_t left) {
  return needed == 0 ? 0 : std::min(std::max(needed, size), left);
}

}  // namespace

bool DirectGroups::cover(const KeyRange& range, std::size_t keys) {
  const std::uint64_t size = groups_.size();
  if (index_of(range.least) < size && index_of(range.greatest) < size) {
    return true;
  }
  const std::int64_t first = size == 0 ? range.least : first_;
  const auto last = static_cast<std::int64_t>(static_cast<std::uint64_t>(first) +
                                              std::max<std::uint64_t>(size, 1) - 1);
  const std::int64_t least = std::min(first, range.least);
  const std::int64_t greatest = std::max(last, range.greatest);
  const std::uint64_t reach = distance(least, greatest);
  if (reach >= kRangeMax || reach >= std::max(kRangeMin, keys * kRangePerKeyMax)) {
    return false;
  }
  using Limits = std::numeric_limits<std::int64_t>;
  const std::uint64_t below =
      extension(distance(least, first), size, distance(Limits::min(), first));
  const std::uint64_t above =
      extension(distance(last, greatest), size, distance(last, Limits::max()));
  const std::uint64_t grown = below + distance(first, last) + 1 + above;
  AllocationMeter::charge(grown * sizeof(std::uint32_t));
  LargeVector<std::uint32_t> groups(grown);
  std::ranges::copy(groups_, groups.begin() + static_cast<std::ptrdiff_t>(below));
  groups_ = std::move(groups);
  first_ = static_cast<std::int64_t>(static_cast<std::uint64_t>(first) - below);
  return true;
}

}  // namespace evq

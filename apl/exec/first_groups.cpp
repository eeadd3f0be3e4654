#include "apl/exec/first_groups.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace evq {
namespace {

// Of fewer nothing is expected to be gained.
constexpr std::size_t kRowsMin = 1024;
// With fewer, most rows may be of the groups that are asked for.
constexpr std::size_t kGroupsPerFirstMin = 4;
// Rows of fewer groups are grouped as soon as they are looked up among the first ones.
constexpr std::size_t kRowsPerGroupMax = 8;

}  // namespace

bool FirstGroups::may_tell(std::size_t rows) const {
  return count_.has_value() && rows >= kRowsMin && *count_ <= rows / kGroupsPerFirstMin;
}

void FirstGroups::find(std::span<const Vector> keys, std::size_t rows) {
  GroupTable all(spec_.key_types, spec_.context.random_seed);
  std::vector<std::uint32_t> groups(rows);
  all.assign(keys, rows, 0, groups.data());
  if (all.size() < *count_ * kGroupsPerFirstMin || all.size() * kRowsPerGroupMax < rows) {
    return;
  }
  std::vector<std::uint32_t> first(all.size());
  std::iota(first.begin(), first.end(), 0U);
  const auto end = first.begin() + static_cast<std::ptrdiff_t>(*count_);
  std::ranges::nth_element(first, end, {}, [&](std::uint32_t one) { return all.first_seen(one); });
  first.erase(end, first.end());
  table_ = std::make_unique<GroupTable>(spec_.key_types, spec_.context.random_seed);
  std::vector<GroupPair> pairs;
  table_->merge(all, first, &pairs);
  table_->own_texts();
  known_.store(table_.get(), std::memory_order_release);
}

RowList FirstGroups::rows_of(std::span<const Vector> keys, std::size_t rows) const {
  std::vector<std::uint32_t> groups(rows);
  known_.load(std::memory_order_acquire)->find(keys, rows, groups.data());
  RowList some;
  select_rows(rows, &some, [&](std::size_t row) { return groups[row] != GroupTable::kNoGroup; });
  return some;
}

}  // namespace evq

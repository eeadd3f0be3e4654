#include "apl/exec/row_groups.h"

#include <algorithm>

#include "store/column/ordering.h"

namespace evq {
namespace {

constexpr std::size_t kSlotsMin = 64;
constexpr std::size_t kSlotsPerGroupMin = 2;
constexpr std::size_t kGrowth = 4;

std::uint32_t tag_of(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash >> 32U);
}

}  // namespace

std::size_t RowGroups::group_of(std::size_t row) {
  poll_.add();
  if (hashes_.size() * kSlotsPerGroupMin >= slots_.size()) {
    grow();
  }
  std::uint64_t hash = seed_;
  for (const std::size_t key : keys_) {
    hash = hash_row(input_.column(key), row, hash);
  }
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  for (; slots_[at].group != 0; at = (at + 1) & mask) {
    const std::size_t group = slots_[at].group - 1;
    if (slots_[at].tag == tag_of(hash) && equal(first_rows_[group], row)) {
      return group;
    }
  }
  if (size() % kGroupsCharged == 0) {
    AllocationMeter::charge(kGroupsCharged * kGroupBytes);
  }
  first_rows_.push_back(static_cast<std::uint32_t>(row));
  hashes_.push_back(hash);
  slots_[at] = {tag_of(hash), static_cast<std::uint32_t>(hashes_.size())};
  return hashes_.size() - 1;
}

void RowGroups::grow() {
  slots_.assign(std::max(kSlotsMin, slots_.size() * kGrowth), Slot{});
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t group = 0; group < hashes_.size(); ++group) {
    std::size_t at = hashes_[group] & mask;
    while (slots_[at].group != 0) {
      at = (at + 1) & mask;
    }
    slots_[at] = {tag_of(hashes_[group]), static_cast<std::uint32_t>(group + 1)};
  }
}

bool RowGroups::equal(std::size_t a, std::size_t b) const {
  return std::ranges::all_of(keys_, [&](std::size_t key) {
    return rows_equal(input_.column(key), a, input_.column(key), b);
  });
}

}  // namespace evq

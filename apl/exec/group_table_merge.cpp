// Of GroupTable: taking in groups of another table, all at once or those of one part of the hashes.

#include <algorithm>

#include "apl/exec/group_table.h"
#include "store/base/allocation_meter.h"
#include "store/base/check.h"

namespace evq {

std::vector<std::vector<std::uint32_t>> GroupTable::by_hash(unsigned bits) const {
  std::vector<std::vector<std::uint32_t>> parts(std::size_t{1} << bits);
  for (std::vector<std::uint32_t>& part : parts) {
    part.reserve(size() / parts.size() + size() / parts.size() / 4);
  }
  PollCounter poll;
  for (std::uint32_t group = 0; group < size(); ++group) {
    poll.add();
    parts[part_of(hashes_[group], bits)].push_back(group);
  }
  return parts;
}

void GroupTable::merge_direct(const GroupTable& other, std::span<const std::uint32_t> groups,
                              std::vector<GroupPair>* pairs) {
  for (const std::uint32_t theirs : groups) {
    const std::uint32_t own = direct_group(other.keys_.row(theirs));
    first_seen_[own] = std::min(first_seen_[own], other.first_seen_[theirs]);
    pairs->push_back({theirs, own});
  }
}

std::uint32_t GroupTable::merge_one(const GroupTable& other, std::size_t other_group,
                                    std::size_t place) {
  const std::uint64_t hash = other.hashes_[other_group];
  const std::size_t slot = slot_of(hash, place, [&](std::size_t group) {
    return keys_.equals(group, other.keys_, other_group);
  });
  if (slots_[slot].group != 0) {
    const std::uint32_t group = slots_[slot].group - 1;
    first_seen_[group] = std::min(first_seen_[group], other.first_seen_[other_group]);
    return group;
  }
  keys_.append(other.keys_, other_group);
  insert(hash, slot);
  first_seen_.back() = other.first_seen_[other_group];
  return static_cast<std::uint32_t>(size() - 1);
}

void GroupTable::merge(const GroupTable& other, std::span<const std::uint32_t> groups,
                       std::vector<GroupPair>* pairs) {
  EVQ_CHECK(seed_ == other.seed_);
  order_max_ = std::max(order_max_, other.order_max_);
  keys_.share_texts(other.keys_);
  pairs->clear();
  pairs->reserve(groups.size());
  if (fit_direct(other)) {
    merge_direct(other, groups, pairs);
    return;
  }
  std::vector<std::uint64_t> hashes;
  Places places;
  for (std::size_t begin = 0; begin < groups.size(); begin += batch_max()) {
    const auto batch = groups.subspan(begin, std::min(batch_max(), groups.size() - begin));
    const std::size_t known = size();
    for (const std::uint32_t group : batch) {
      other.prefetch_group(group);
    }
    hashes.clear();
    for (const std::uint32_t group : batch) {
      hashes.push_back(other.hashes_[group]);
    }
    approach(hashes, &places);
    for (std::size_t j = 0; j < batch.size(); ++j) {
      pairs->push_back({batch[j], merge_one(other, batch[j], place_of(hashes[j], places, j))});
    }
    charge_keys(size() - known);
  }
}

}  // namespace evq

// Of GroupTable: groups of one integer key found by an array instead of the hash table. Groups have
// their hashes and keys as ever, so that the hash table can be made when it is needed: once keys
// lie too far apart, or for a merge.

#include <algorithm>
#include <bit>

#include "apl/exec/group_table.h"
#include "store/base/release_memory.h"

namespace evq {
namespace {

// The range of a column's values, of a dictionary that of its entries; nothing when all are null.
std::optional<KeyRange> range_of(const Vector& key, std::size_t rows) {
  const Values& values = key.values();
  const auto* data = values.data<std::int64_t>();
  const std::size_t count = key.is_flat() ? rows : values.size();
  if (!values.has_nulls() && count > 0) {
    KeyRange all{data[0], data[0]};
    for (std::size_t i = 1; i < count; ++i) {  // without a branch, for several at a time
      all.least = std::min(all.least, data[i]);
      all.greatest = std::max(all.greatest, data[i]);
    }
    return all;
  }
  std::optional<KeyRange> range;
  for (std::size_t i = 0; i < count; ++i) {
    if (!values.is_null(i)) {
      range = range.has_value()
                  ? KeyRange{std::min(range->least, data[i]), std::max(range->greatest, data[i])}
                  : KeyRange{data[i], data[i]};
    }
  }
  return range;
}

KeyRange both(const std::optional<KeyRange>& one, const KeyRange& other) {
  return one.has_value()
             ? KeyRange{std::min(one->least, other.least), std::max(one->greatest, other.greatest)}
             : other;
}

}  // namespace

void GroupTable::fit_direct(std::span<const Vector> keys, std::size_t rows) {
  if (!knows_range_) {
    return;
  }
  const std::optional<KeyRange> range = range_of(keys[0], rows);
  if (!range.has_value()) {
    return;
  }
  key_range_ = both(key_range_, *range);
  if (direct_ == nullptr) {
    enter_direct(rows);
  } else if (!direct_->cover(*range, size() + rows)) {
    leave_direct();
  }
}

void GroupTable::enter_direct(std::size_t rows) {
  auto direct = std::make_unique<DirectGroups>();
  if (!direct->cover(*key_range_, size() + rows)) {
    return;
  }
  direct_ = std::move(direct);
  for (std::size_t group = 0; group < size(); ++group) {
    *direct_->place(keys_.row(group)) = static_cast<std::uint32_t>(group + 1);
  }
  release_memory(slots_);
}

void GroupTable::leave_direct() {
  direct_.reset();
  knows_range_ = false;
  make_slots(std::bit_ceil(std::max(kFirstSlots, (size() + 1) * kSlotsPerGroupMin)));
}

// For keys that nobody looks at beforehand.
void GroupTable::forget_range() {
  if (direct_ != nullptr) {
    leave_direct();
  }
  knows_range_ = false;
}

std::uint32_t GroupTable::direct_group(const std::uint64_t* row) {
  std::uint32_t& group = *direct_->place(row);
  if (group == 0) {
    keys_.append(row);
    add_group(GroupKeys::hash_number(row, seed_));
    group = static_cast<std::uint32_t>(size());
  }
  return group - 1;
}

void GroupTable::resolve_direct(const KeyBatch& batch, std::uint32_t* groups) {
  for (std::size_t j = 0; j < batch.size; ++j) {
    groups[j] = direct_group(batch.rows + j * batch.stride);
  }
}

void GroupTable::assign_direct(const Vector& key, std::size_t rows, std::uint32_t* groups) {
  const auto* data = key.values().data<std::int64_t>();
  for (std::size_t i = 0; i < rows; ++i) {
    std::uint32_t group = (*direct_)[data[i]];
    if (group == 0) {
      const std::array<std::uint64_t, 2> row{0, static_cast<std::uint64_t>(data[i])};
      group = direct_group(row.data()) + 1;
    }
    groups[i] = group - 1;
  }
}

void GroupTable::find_direct(const KeyBatch& batch, std::uint32_t* groups) const {
  static_assert(kNoGroup == 0U - 1U);
  for (std::size_t j = 0; j < batch.size; ++j) {
    groups[j] = direct_->find(batch.rows + j * batch.stride) - 1;
  }
}

void GroupTable::find_direct(const Vector& key, std::size_t rows, std::uint32_t* groups) const {
  const auto* data = key.values().data<std::int64_t>();
  std::transform(data, data + rows, groups,
                 [this](std::int64_t value) { return direct_->find(value) - 1; });
}

bool GroupTable::fit_direct(const GroupTable& other) {
  if (direct_ == nullptr || !other.knows_range_) {
    forget_range();
    return false;
  }
  if (other.key_range_.has_value()) {
    if (!direct_->cover(*other.key_range_, size() + other.size())) {
      forget_range();
      return false;
    }
    key_range_ = both(key_range_, *other.key_range_);
  }
  return true;
}

}  // namespace evq

#pragma once
// DirectGroups: finds the groups of a GroupTable whose only key is an integer or a time, while the
// keys lie close together: an array over their range, indexed by the key without a hash or a
// comparison. One thread's to change; then any may look keys up. Fails as allocations do.

#include <cstddef>
#include <cstdint>

#include "store/base/large_pages.h"

namespace evq {

// A closed range of keys.
struct KeyRange {
  std::int64_t least = 0;
  std::int64_t greatest = 0;
};

class DirectGroups {
 public:
  // Extends the array to cover a range. False, and nothing changes, when the whole range would be
  // too wide for a table of `keys` keys.
  bool cover(const KeyRange& range, std::size_t keys);

  // The entry of a key, given as a row of two words as GroupKeys keeps it: its group + 1, or 0
  // while it has none. Null when the array does not cover the key.
  std::uint32_t* place(const std::uint64_t* row) {
    if (row[0] != 0) {
      return &null_group_;
    }
    const std::uint64_t index = index_of(static_cast<std::int64_t>(row[1]));
    return index < groups_.size() ? &groups_[index] : nullptr;
  }
  // The entry of a key that the array covers.
  std::uint32_t& operator[](std::int64_t key) { return groups_[index_of(key)]; }
  // Returns the group + 1 of any key, or 0 when it has none.
  std::uint32_t find(std::int64_t key) const {
    const std::uint64_t index = index_of(key);
    return index < groups_.size() ? groups_[index] : 0;
  }
  std::uint32_t find(const std::uint64_t* row) const {
    return row[0] != 0 ? null_group_ : find(static_cast<std::int64_t>(row[1]));
  }
  std::size_t size_bytes() const { return groups_.capacity() * sizeof(std::uint32_t); }

 private:
  std::uint64_t index_of(std::int64_t key) const {
    return static_cast<std::uint64_t>(key) - static_cast<std::uint64_t>(first_);
  }

  std::int64_t first_ = 0;  // the key of groups_[0]
  LargeVector<std::uint32_t> groups_;
  std::uint32_t null_group_ = 0;
};

}  // namespace evq

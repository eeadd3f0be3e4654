#pragma once
// RowGroups: numbers the rows of a whole input by the values of its key columns, 0, 1, 2, … in the
// order in which they are asked for. For operators that hold all their rows; streams of chunks have
// GroupTable. Under an AllocationMeter it ends when the query must, and the groups are charged as
// they come. One thread.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "store/base/allocation_meter.h"
#include "store/base/large_pages.h"
#include "store/column/chunk.h"

namespace evq {

class RowGroups {
 public:
  // `input` must outlive this. Nobody who does not know `seed` can choose keys that collide.
  RowGroups(const Chunk& input, std::vector<std::size_t> keys, std::uint64_t seed)
      : input_(input), keys_(std::move(keys)), seed_(seed) {}

  // Returns the row's group; size() grows by one when it is the first of its kind.
  std::size_t group_of(std::size_t row);
  std::size_t size() const { return first_rows_.size(); }
  // By group: the row that was asked for first.
  const std::vector<std::uint32_t>& first_rows() const { return first_rows_; }

 private:
  struct Slot {
    std::uint32_t tag = 0;    // the hash's upper half
    std::uint32_t group = 0;  // its number + 1, or 0 for a free slot
  };

  // Approximate bytes of a group, its lists in the callers included; and groups charged at once.
  static constexpr std::size_t kGroupBytes = 128;
  static constexpr std::size_t kGroupsCharged = 1024;

  bool equal(std::size_t a, std::size_t b) const;
  void grow();

  const Chunk& input_;
  const std::vector<std::size_t> keys_;
  const std::uint64_t seed_;
  LargeVector<Slot> slots_;            // by hash
  std::vector<std::uint64_t> hashes_;  // by group
  std::vector<std::uint32_t> first_rows_;
  PollCounter poll_;
};

}  // namespace evq

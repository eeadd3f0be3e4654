#pragma once
// GroupParts: the groups that one worker saw: together while they are few, then in parts by the
// hash of their keys. Since a key is in the same part of every worker, the workers merge theirs
// part by part, side by side (Leis et al., "Morsel-Driven Parallelism", 2014).
//
// Rows of many groups wait until there are thousands for each part, which its table and states
// serve once they are in a near cache. All workers add them to the same parts, so that no group is
// made twice; what waits at the end is taken in by whoever merges the part. Where rows may not
// wait, a worker has parts of its own. One thread's at a time.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "apl/exec/first_groups.h"
#include "apl/exec/group_states.h"
#include "apl/exec/parted_groups.h"
#include "apl/exec/parted_rows.h"
#include "store/base/memory_budget.h"

namespace evq {

class GroupParts {
 public:
  static constexpr unsigned kBits = PartedGroups::kBits;
  static constexpr std::size_t kCount = PartedGroups::kCount;
  // From so many groups on parting may pay: fewer may fit the cache as they are.
  static constexpr std::size_t kGroupsMin = std::size_t{1} << 15U;

  // What all workers share; it must outlive them.
  struct Shared {
    PartedGroups parts;  // get the rows of all workers that may wait
    FirstGroups first;   // rows of other groups are dropped
  };
  // `spec` and `shared` stay the caller's.
  GroupParts(const GroupStates::Spec& spec, Shared& shared);

  // The key columns of a chunk as GroupTable takes them.
  static std::vector<Vector> keys_of(const plan::Aggregate& op, const Chunk& chunk);

  // Adds a chunk; `order` is the place of its row 0 in the stream.
  Status add(Chunk chunk, std::uint64_t order);
  // Adds one whose keys are packed: of no shares and no first groups.
  Status add_packed(const Chunk& chunk, std::vector<Vector> keys, std::uint64_t order);
  // Settles, once after the last add(), all groups whose rows are not waiting, so that others may
  // merge from them.
  Status settle_to_merge();
  bool parted() const { return parts_ != nullptr; }
  // The worker's groups while they are not parted; empty afterwards.
  const GroupStates& together() const { return *together_; }
  std::unique_ptr<GroupStates> release_together() { return std::move(together_); }
  // The worker's own parts; null when it adds to the shared ones, or to none yet.
  PartedGroups* own_parts() { return own_parts_.get(); }
  // Adds the waiting rows of a part to `to`. Several threads may call this for different parts.
  Status take_in(std::size_t part, GroupStates* to) const;
  // Number of the worker's own groups, without those of the shared parts and of waiting rows.
  std::size_t size() const;

 private:
  struct WaitingRows {
    Chunk arguments;
    std::uint64_t order;  // the position of the chunk's first row
    PartedRows rows;
    std::vector<Vector> texts;  // columns that hold the texts of the rows' keys
    // How many rows each stands for, where groups are only counted; else empty.
    std::vector<std::uint32_t> counts;
  };
  using PartLists = std::vector<std::vector<std::uint32_t>>;

  static Status take_in(const WaitingRows& waiting, const PartedRows::Part& some, GroupStates* to);
  bool rows_may_wait() const { return spec_.waiting_rows_max > 0; }
  // Drops the chunk's rows whose keys are not of the wanted shares.
  Status keep_shares(Chunk* chunk);
  // Drops the chunk's rows of other than the first groups, once these are known.
  Status keep_first(Chunk* chunk);
  // Adds a chunk, whose keys are keys_.
  Status add_chunk(const Chunk& chunk, std::uint64_t order);
  // Makes keys_ those of some rows.
  void slice_keys(std::size_t begin, std::size_t count);
  Status add_together(const Chunk& chunk, std::uint64_t order);
  bool looks_first(const Chunk& chunk) const;
  static void empty_lists(PartLists* lists);
  static void list_by_part(std::span<const std::uint64_t> hashes, PartLists* lists);
  // Adds the chunk's rows from `begin` on; `order` is the place of its row 0 in the stream.
  Status add_to_parts(const Chunk& chunk, std::size_t begin, std::uint64_t order);
  // Adds some rows; `counts`, by row of the chunk, is how many rows each stands for (empty: one).
  Status add_rows(const Chunk& chunk, std::span<const std::uint32_t> rows, std::uint64_t order,
                  std::span<const std::uint32_t> counts = {});
  // Adds one row for each of the chunk's combinations of entries, with the number of its rows.
  Status add_counts(const Chunk& chunk, std::uint64_t order, std::size_t radix);
  Status take_in_all();
  Status add_combinations(const Chunk& chunk, std::uint64_t order, std::size_t radix);
  Status add_nulls(const Chunk& chunk, std::span<const std::uint32_t> rows, std::uint64_t order);
  void list_rows(std::size_t rows);
  bool part_pays() const;
  bool look_finds_many() const;
  Status part();

  const GroupStates::Spec& spec_;
  Shared& shared_;
  std::unique_ptr<GroupStates> together_;
  std::unique_ptr<PartedGroups> own_parts_;
  PartedGroups* parts_ = nullptr;  // own_parts_ or the shared ones, once parted
  std::uint64_t rows_ = 0;
  std::uint64_t chunks_ = 0;
  bool mostly_new_ = false;  // the last chunk added together had mostly new groups
  bool started_ = false;
  std::vector<Vector> keys_;
  std::vector<WaitingRows> waiting_;
  std::size_t waiting_rows_ = 0;
  MemoryLease lease_;  // for waiting rows
  // Combinations of the last chunk added by them: some 20 bytes a row, not charged.
  ChunkCombinations combinations_;
  std::vector<std::uint64_t> hashes_;  // by combination
  PartLists rows_of_part_;
  PartLists combinations_of_part_;
  std::vector<std::uint32_t> combination_of_row_;
  std::vector<std::uint32_t> groups_;  // by combination
};

}  // namespace evq

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
#include "apl/exec/sequence_rows.h"
#include "store/base/memory_budget.h"

namespace evq {

class GroupParts {
 public:
  static constexpr unsigned kBits = PartedGroups::kBits;
  static constexpr std::size_t kCount = PartedGroups::kCount;
  // Fewer groups may fit the cache as they are.
  static constexpr std::size_t kGroupsMin = std::size_t{1} << 15U;

  // What the workers have in common; the caller's.
  struct Shared {
    PartedGroups parts;  // to which rows that may wait are added
    FirstGroups first;   // rows of other groups are left out
  };
  // `spec` and `shared` stay the caller's.
  GroupParts(const GroupStates::Spec& spec, Shared& shared);

  Status add(Chunk chunk);
  // Once, after the last add(): others may merge from what is not waiting then.
  Status settle_to_merge();
  bool parted() const { return parts_ != nullptr; }
  // Its groups while they are not parted; none then.
  const GroupStates& together() const { return *together_; }
  std::unique_ptr<GroupStates> release_together() { return std::move(together_); }
  // Its own parts; null where there are none.
  PartedGroups* own_parts() { return own_parts_.get(); }
  // Adds the rows of a part that wait. Several threads may ask for different parts.
  Status take_in(std::size_t part, GroupStates* to) const;
  // Of groups that are its own and rows that do not wait.
  std::size_t size() const;

 private:
  struct WaitingRows {
    Chunk arguments;
    std::uint64_t order;  // the position of the chunk's first row
    PartedRows rows;
    std::vector<Vector> texts;  // the columns that the rows' keys have theirs from
    // How many rows each stands for, where all that is asked for is their number; else empty.
    std::vector<std::uint32_t> counts;
  };
  using PartLists = std::vector<std::vector<std::uint32_t>>;

  static Status take_in(const WaitingRows& waiting, const PartedRows::Part& some, GroupStates* to);
  bool rows_may_wait() const { return spec_.waiting_rows_max > 0; }
  // The columns of a chunk that groups are told by, as tables take them.
  void load_keys(const Chunk& chunk);
  // Its rows of the shares wanted.
  Status keep_shares(Chunk* chunk);
  // Its rows of the first groups, once they are known.
  Status keep_first(Chunk* chunk);
  Status add_chunk(const Chunk& chunk);
  Status add_together(const Chunk& chunk, std::uint64_t order);
  bool looks_first(const Chunk& chunk) const;
  static void empty_lists(PartLists* lists);
  static void list_by_part(std::span<const std::uint64_t> hashes, PartLists* lists);
  // Adds the rows from `begin` on, of which row 0 is the one numbered `order` of the stream.
  Status add_to_parts(const Chunk& chunk, std::size_t begin, std::uint64_t order);
  // `counts`, by row of the chunk, say how many rows each stands for; empty: for itself.
  Status add_rows(const Chunk& chunk, std::span<const std::uint32_t> rows, std::uint64_t order,
                  std::span<const std::uint32_t> counts = {});
  // The same of the chunk's combinations of entries.
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
  PartedGroups* parts_ = nullptr;  // its own or those of all, once parted
  SequenceRows sequence_rows_;
  std::uint64_t rows_ = 0;
  std::uint64_t chunks_ = 0;
  bool mostly_new_ = false;  // groups of the last chunk that was added together
  bool started_ = false;
  std::vector<Vector> keys_;
  std::vector<WaitingRows> waiting_;
  std::size_t waiting_rows_ = 0;
  MemoryLease lease_;  // of what waits
  // Of the last chunk of combinations: some 20 bytes a row, not charged.
  ChunkCombinations combinations_;
  std::vector<std::uint64_t> hashes_;  // of its combinations
  PartLists rows_of_part_;
  PartLists combinations_of_part_;
  std::vector<std::uint32_t> combination_of_row_;
  std::vector<std::uint32_t> groups_;  // of the combinations
};

}  // namespace evq

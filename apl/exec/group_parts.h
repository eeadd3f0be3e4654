#pragma once
// GroupParts: the groups that one worker saw: together while they are few, then in parts by the
// hash of their keys. A part with its states fits a near cache, and since a key is in the same part
// of every worker, the workers merge theirs part by part, side by side (Leis et al., "Morsel-Driven
// Parallelism", 2014). One thread's at a time.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "apl/exec/group_states.h"
#include "apl/exec/sequence_rows.h"

namespace evq {

class GroupParts {
 public:
  static constexpr unsigned kBits = 4;
  static constexpr std::size_t kCount = std::size_t{1} << kBits;
  // Fewer groups fit the cache as they are.
  static constexpr std::size_t kGroupsMin = std::size_t{1} << 15U;

  // `spec` stays the caller's.
  explicit GroupParts(const GroupStates::Spec& spec);

  Status add(const Chunk& chunk);
  // Once, after the last add().
  Status settle();
  // One, or kCount, which hold different groups.
  std::span<std::unique_ptr<GroupStates>> parts() { return parts_; }
  bool parted() const { return parts_.size() > 1; }
  std::size_t size() const;
  std::size_t state_bytes() const;

 private:
  using PartLists = std::vector<std::vector<std::uint32_t>>;

  // The columns of a chunk that groups are told by, as tables take them.
  void load_keys(const Chunk& chunk);
  // Its rows of the shares wanted.
  Status keep_shares(Chunk* chunk);
  Status add_chunk(const Chunk& chunk);
  static void empty_lists(PartLists* lists);
  static void list_by_part(std::span<const std::uint64_t> hashes, PartLists* lists);
  Status add_to_parts(const Chunk& chunk, std::uint64_t order);
  Status add_combinations(const Chunk& chunk, std::uint64_t order, std::size_t radix);
  Status add_nulls(const Chunk& chunk, std::uint64_t order);
  void list_rows_with_keys();
  void list_rows(std::size_t rows);
  bool part_pays() const;
  Status part();

  const GroupStates::Spec& spec_;
  std::vector<std::unique_ptr<GroupStates>> parts_;
  SequenceRows sequence_rows_;
  std::uint64_t rows_ = 0;
  std::uint64_t chunks_ = 0;
  std::vector<Vector> keys_;
  // Of the last chunk, once there are parts: some 20 bytes a row, not charged.
  ChunkCombinations combinations_;
  std::vector<std::uint64_t> hashes_;  // of its rows or combinations
  PartLists rows_of_part_;
  std::vector<std::uint32_t> null_rows_;
  PartLists combinations_of_part_;
  std::vector<std::uint32_t> combination_of_row_;
  std::vector<std::uint32_t> groups_;  // of the combinations
};

}  // namespace evq

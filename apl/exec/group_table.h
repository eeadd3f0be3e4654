#pragma once
// GroupTable: numbers the distinct combinations of key columns it is shown, 0, 1, 2, … One
// worker's; two tables of the same key types and seed can be merged.
//
// Rows reach the hash table in as few pieces as their shapes allow: of columns that are
// dictionaries each combination of entries comes once a chunk, or only once (combination_groups.h)
// where that would be nearly as often as rows come; of integers each run of equal values, of all
// others each row. Hashes are computed for many keys at once and the table's memory is asked for
// ahead, because in a large table every look-up would wait for it. Where integers lie close
// together an array takes the hash table's place (direct_groups.h).

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "apl/exec/chunk_combinations.h"
#include "apl/exec/combination_groups.h"
#include "apl/exec/direct_groups.h"
#include "apl/exec/group_keys.h"
#include "apl/functions/aggregate_function.h"
#include "store/base/large_pages.h"
#include "store/base/result.h"
#include "store/column/vector.h"

namespace evq {

// A subset of all keys by their hashes: those of shares [begin, end) out of kCount.
struct KeyShares {
  static constexpr unsigned kBits = 6;
  static constexpr std::uint32_t kCount = 1U << kBits;

  std::uint32_t begin = 0;
  std::uint32_t end = kCount;

  bool all() const { return end - begin == kCount; }
};

class GroupTable {
 public:
  GroupTable(const std::vector<Type>& key_types, std::uint64_t seed,
             KeyTexts texts = KeyTexts::kCopied);

  // Sets groups[i] to the group of row i, making new ones. `order` is the position of row 0 in the
  // stream, for first_seen().
  void assign(std::span<const Vector> keys, std::size_t rows, std::uint64_t order,
              std::uint32_t* groups);

  // The groups of a chunk's combinations of entries, and the number of rows of each.
  struct Counted {
    std::span<const std::uint32_t> groups;
    std::span<const std::uint32_t> counts;
  };
  // Assigns as assign() does and returns the counts where they come with it: for dictionary keys
  // with few combinations of entries. With `counts_do`, `groups` is then left as it was; else it
  // gets `rows` entries. The spans live until the next call.
  std::optional<Counted> assign_counted(std::span<const Vector> keys, std::size_t rows,
                                        std::uint64_t order, bool counts_do,
                                        std::vector<std::uint32_t>* groups);

  // Whether the last chunk's rows were found by their combinations of entries, with few look-ups.
  bool located() const { return located_; }

  // Hash the key of each row, or of each combination: equal in all tables of these key types and
  // seed.
  void hash(std::span<const Vector> keys, std::size_t rows, std::uint64_t* hashes) const;
  void hash(std::span<const Vector> keys, const ChunkCombinations& combinations,
            std::uint64_t* hashes) const;
  // Writes the keys of some rows as all tables of these key types and seed look them up:
  // loaded_words() each, the first of which is the hash. Texts stay where the columns have them.
  void load(std::span<const Vector> keys, std::span<const std::uint32_t> rows,
            std::uint64_t* loaded) const;
  std::size_t loaded_words() const { return 1 + keys_.row_words(); }
  // Sets groups[j] to the group of the j-th loaded key, that of row rows[j]; these ascend. `order`
  // is the position of row 0.
  void assign_loaded(const std::uint64_t* loaded, std::span<const std::uint32_t> rows,
                     std::uint64_t order, std::uint32_t* groups);
  // Sets groups[j] to the group of combination some[j]; `hashes` are by combination. Requires
  // combinations.find_first_rows().
  void assign_some(std::span<const Vector> keys, const ChunkCombinations& combinations,
                   std::span<const std::uint32_t> some, const std::uint64_t* hashes,
                   std::uint64_t order, std::uint32_t* groups);

  static constexpr std::uint32_t kNoGroup = 0xffffffff;
  // Sets groups[i] to the group of row i, or kNoGroup when its key has not been assigned one.
  void find(std::span<const Vector> keys, std::size_t rows, std::uint32_t* groups) const;

  // Returns the rows whose keys are of these shares, ascending.
  std::vector<std::uint32_t> rows_of(const KeyShares& shares, std::span<const Vector> keys,
                                     std::size_t rows) const;

  std::size_t size() const { return hashes_.size(); }
  // Makes room for this many groups at once, instead of growing as they come.
  void reserve(std::size_t groups);
  // Merges `groups` of `other`, whose texts live on with both; `pairs` gets their numbers there and
  // here.
  void merge(const GroupTable& other, std::span<const std::uint32_t> groups,
             std::vector<GroupPair>* pairs);
  // Merges keys that another table keeps in another form; `first_seen` is by row, and groups[i]
  // becomes the group of row i here.
  void merge(std::span<const Vector> keys, std::span<const std::uint64_t> first_seen,
             std::uint32_t* groups);
  // Copies texts that merge() shared, so that those of a large table need not live on.
  void own_texts() { keys_.own_texts(); }
  // Which of 2^bits parts a key with this hash is in; 0 < bits.
  static std::size_t part_of(std::uint64_t hash, unsigned bits) { return hash >> (64 - bits); }
  // Returns the groups of each of 2^bits parts, ascending. It ends when the query must, under an
  // AllocationMeter.
  std::vector<std::vector<std::uint32_t>> by_hash(unsigned bits) const;
  // Position in the stream of the first row of a group.
  std::uint64_t first_seen(std::size_t group) const { return first_seen_[group]; }
  // A key column of `groups`, in that order.
  Vector key(std::size_t column, std::span<const std::uint32_t> groups) const {
    return keys_.gather(column, groups);
  }
  std::size_t size_bytes() const;

 private:
  static constexpr std::size_t kFirstSlots = 64;
  static constexpr std::size_t kSlotsPerGroupMin = 2;
  // Keys looked up side by side: their slots, keys and texts stay in the nearest cache.
  static constexpr std::size_t kBatchMax = 128;

  struct Slot {
    std::uint32_t tag;    // the hash's upper half
    std::uint32_t group;  // + 1, or 0 for an empty slot
  };
  // The slots at which the look-ups of a batch's keys begin, valid while there are this many slots:
  // for each key the first one, from that of its hash on, that is free or has its tag.
  struct Places {
    std::size_t slots = 0;
    std::array<std::size_t, kBatchMax> of_key;
  };
  void approach(std::span<const std::uint64_t> hashes, Places* places) const;
  std::size_t place_of(std::uint64_t hash, const Places& places, std::size_t key) const {
    return slots_.size() == places.slots ? places.of_key[key] : hash & (slots_.size() - 1);
  }
  // Prefetches a group of a table whose groups are read in no order.
  void prefetch_group(std::size_t group) const {
    __builtin_prefetch(&hashes_[group]);
    __builtin_prefetch(&first_seen_[group]);
    keys_.prefetch_row(group);
  }
  // Finds the slot, from `place` on, of the group with this hash for which equal(group) holds, or
  // the free one where it would go.
  template <class Equal>
  std::size_t slot_of(std::uint64_t hash, std::size_t place, const Equal& equal) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = place;
    while (slots_[at].group != 0 &&
           (slots_[at].tag != tag_of(hash) || !equal(slots_[at].group - 1))) {
      at = (at + 1) & mask;
    }
    return at;
  }
  static std::uint32_t tag_of(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash >> 32U);
  }
  // Sets groups[j] to the group of key j; new ones have no first_seen yet.
  void resolve(KeyBatch& batch, std::uint32_t* groups);
  void resolve(KeyBatch& batch, std::span<const std::uint64_t> hashes, std::uint32_t* groups);
  void find_batch(const KeyBatch& batch, std::uint32_t* groups) const;
  // Adds a group, whose key is the last of keys_, in a free slot.
  void insert(std::uint64_t hash, std::size_t slot);
  // Returns this table's group with the key of a group of `other`; adds one if there is none.
  std::uint32_t merge_one(const GroupTable& other, std::size_t other_group, std::size_t place);
  void make_slots(std::size_t count);
  // Number of keys to look up at a time; fewer when they have very many columns.
  std::size_t batch_max() const;
  // Charges the keys of new groups if they have very many columns. Other keys are charged once a
  // chunk is through, by whoever owns the table.
  void charge_keys(std::size_t groups) const;
  // Whether dictionary texts are hashed ahead of their keys, or these have their hashes already.
  enum class Hashes : std::uint8_t { kAhead, kKnown };
  // Makes a batch for `count` keys at most.
  KeyBatch batch_of(std::span<const Vector> keys, std::size_t count, Hashes hashes) const;
  template <class FillSlots, class Take>
  void for_each_batch(std::span<const Vector> keys, std::size_t count, const FillSlots& fill_slots,
                      const Take& take, Hashes hashes = Hashes::kAhead) const;
  enum class Positions : std::uint8_t { kAscending, kUnordered };
  // Notes in first_seen_ that rows of `groups` lie at order + position_of(j); groups below `known`
  // were seen in earlier chunks.
  template <class PositionOf>
  void note_seen(std::span<const std::uint32_t> groups, std::size_t known, std::uint64_t order,
                 Positions positions, const PositionOf& position_of);

  // Before the keys of a chunk are looked up: changes to the array, extends it, or goes back to the
  // hash table.
  void fit_direct(std::span<const Vector> keys, std::size_t rows);
  // Whether all rows can be looked up in the array without a batch of keys.
  bool is_direct(std::span<const Vector> keys) const {
    return direct_ != nullptr && keys[0].is_flat() && !keys[0].values().has_nulls();
  }
  void enter_direct(std::size_t rows);
  void leave_direct();
  // Adds a group, whose key is the last of keys_; no slot gets it.
  void add_group(std::uint64_t hash);
  // Returns the group of a key that the array covers; adds one if there is none.
  std::uint32_t direct_group(const std::uint64_t* row);
  void resolve_direct(const KeyBatch& batch, std::uint32_t* groups);
  void assign_direct(const Vector& key, std::size_t rows, std::uint32_t* groups);
  void find_direct(const KeyBatch& batch, std::uint32_t* groups) const;
  void find_direct(const Vector& key, std::size_t rows, std::uint32_t* groups) const;
  // Whether the array covers, or can be extended to, all keys of `other`; if not, it is given up.
  bool fit_direct(const GroupTable& other);
  void forget_range();
  void merge_direct(const GroupTable& other, std::span<const std::uint32_t> groups,
                    std::vector<GroupPair>* pairs);

  template <class FillSlots>
  void hash_all(std::span<const Vector> keys, std::size_t count, const FillSlots& fill_slots,
                std::uint64_t* hashes) const;
  // Assigns groups to the combinations of entries and counts their rows; nothing, and none is
  // assigned, when the rows are to be assigned one by one.
  std::optional<Counted> count(std::span<const Vector> keys, std::size_t rows, std::uint64_t order);
  void assign_rest(bool counted, std::span<const Vector> keys, std::size_t rows,
                   std::uint64_t order, std::uint32_t* groups);
  void assign_rows(std::span<const Vector> keys, std::size_t rows, std::uint64_t order,
                   std::uint32_t* groups);
  void assign_sparse(std::span<const Vector> keys, std::size_t rows, std::uint64_t order,
                     std::uint32_t* groups);
  bool locate(std::span<const Vector> keys, std::size_t rows);
  void assign_located(std::span<const Vector> keys, std::size_t rows, std::uint32_t* groups);
  void assign_runs(const Vector& key, std::size_t rows, std::uint64_t order, std::uint32_t* groups);

  std::uint64_t seed_;
  GroupKeys keys_;
  LargeVector<std::uint64_t> hashes_;      // by group
  LargeVector<std::uint64_t> first_seen_;  // by group
  LargeVector<Slot> slots_;                // empty while there is an array
  std::unique_ptr<DirectGroups> direct_;
  // The range of all keys but null; nothing before the first. It is known while keys are looked at
  // before they come and do not lie too far apart, and always while there is an array.
  std::optional<KeyRange> key_range_;
  bool knows_range_;
  std::uint64_t order_max_ = 0;                            // of all chunks so far
  std::unique_ptr<CombinationGroups> combination_groups_;  // made when a chunk first uses them
  bool located_ = false;                                   // the last chunk used them
  ChunkCombinations combinations_;                         // of the last chunk that was counted
  std::vector<std::uint32_t> found_groups_;                // by combination, or by run
  // Scratch: the place of each row among the combination groups, or the rows at which runs begin,
  // or the rows that have a key.
  std::vector<std::uint32_t> row_numbers_;
};

}  // namespace evq

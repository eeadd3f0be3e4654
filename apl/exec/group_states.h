#pragma once
// GroupStates: the groups of an aggregation and the states of its aggregates: all that one worker
// saw, or one part of them. One thread's at a time; several may take in groups of one that no
// longer changes.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "apl/exec/group_table.h"
#include "apl/exec/packed_keys.h"
#include "apl/exec/parted_rows.h"
#include "apl/plan/plan.h"
#include "store/base/memory_budget.h"
#include "store/column/chunk.h"

namespace evq {

// When the groups of a worker are kept in parts (group_parts.h).
enum class Parting : std::uint8_t {
  kNever,
  kManyGroups,
  kAlways,
};

class GroupStates {
 public:
  struct Spec {
    const plan::Aggregate& op;
    const EvalContext& context;
    std::vector<Type> key_types;
    MemoryBudget* budget;
    KeyShares shares{};  // rows of other keys are left out
    Parting parting = Parting::kNever;
    // How many rows may wait in a worker until later rows of the stream were added; 0: none.
    std::size_t waiting_rows_max = 0;
    const PackedKeys* packed = nullptr;  // what `key_types` are packed by; null: they are not
  };
  // `spec` stays the caller's.
  explicit GroupStates(const Spec& spec);

  // Results of fewer than one of so many groups are made faster one by one than with all others.
  static constexpr std::size_t kGroupsPerOneMin = 32;

  // Adds the rows of a chunk; `keys` are its key columns as GroupTable takes them, `order` is the
  // place of its row 0 in the stream.
  Status add(const Chunk& chunk, std::span<const Vector> keys, std::uint64_t order);
  // Adds the rows `some` of a chunk, for which arguments_of() made `arguments`.
  Status add_some(const Chunk& arguments, std::uint64_t order, const PartedRows::Part& some);
  // Adds the rows `some`, of which each stands for as many rows as `counts` says. Requires
  // only_counts_rows().
  Status add_counted(std::uint64_t order, const PartedRows::Part& some,
                     std::span<const std::uint32_t> counts);
  // Adds `rows` of a chunk, which all have the key of the single row `first`, the first of them.
  Status add_same(const Chunk& chunk, std::uint64_t order, const PartedRows::Part& first,
                  std::span<const std::uint32_t> rows);
  // Some of a chunk's combinations, ascending, and the rows that have them, ascending.
  struct SomeCombinations {
    const ChunkCombinations& all;
    std::span<const std::uint32_t> numbers;
    const std::uint64_t* hashes;  // by combination
    // Where there are states that not only count:
    std::span<const std::uint32_t> rows;
    const std::uint32_t* of_row;  // the combination of each row of the chunk
    std::uint32_t* groups;        // room for the group of each combination
  };
  Status add_some(const Chunk& chunk, std::span<const Vector> keys, std::uint64_t order,
                  const SomeCombinations& some);
  // Returns how many groups the first `count` rows of the last added chunk belong to; nothing where
  // they were not looked up one by one.
  std::optional<std::size_t> groups_of_first_rows(std::size_t count) const;
  // Number of combinations of entries that the last chunk was added by; 0: by its rows.
  std::size_t counted_combinations() const { return combinations_; }
  // Whether the aggregates need nothing but the number of rows of each group.
  bool only_counts_rows() const { return counts_rows_; }
  // Picks `rows` of the columns that aggregates read; other columns become constant nulls.
  Result<Chunk> arguments_of(const Chunk& chunk, std::span<const std::uint32_t> rows) const;
  // Makes room for `groups` groups in all, which will probably come.
  Status reserve(std::size_t groups);
  // Settles all states after the last rows: results() may follow.
  Status settle();
  // Settles only the states that others cannot merge from before.
  Status settle_to_merge();
  // Merges the states of `groups` of `other`, which is settled at least to merge and whose rows
  // count as coming after those seen here. The other's keys may be packed where these are not.
  Status merge(const GroupStates& other, std::span<const std::uint32_t> groups);
  // Drops all groups but these few. The states must be settled.
  Status keep(std::span<const std::uint32_t> groups);

  // Number of groups; 1 when the aggregation has no keys.
  std::size_t size() const { return has_keys() ? table_.size() : 1; }
  const GroupTable& table() const { return table_; }
  // Lists the groups of each of 2^bits parts by the hashes that their keys have in `like`,
  // ascending.
  Status list_by_hash(unsigned bits, const GroupStates& like,
                      std::vector<std::vector<std::uint32_t>>* parts) const;
  // Bytes that the states hold, without the keys.
  std::size_t state_bytes() const;
  AggregateState& state(std::size_t aggregate) { return *states_[aggregate]; }
  // Returns a column for each result of each aggregate, with a row for each of `count` groups from
  // `begin` on. The states must be settled or merged into. Any thread.
  std::vector<Vector> results(std::size_t begin, std::size_t count) const;
  // Returns one of these columns for all groups.
  Vector result(std::size_t column) const { return result(column, 0, size()); }
  // Returns the key columns of the output for some groups, in that order.
  std::vector<Vector> keys(std::span<const std::uint32_t> groups) const;
  // Returns a column of the output, the keys and then the results, for some groups.
  Vector column(std::size_t column, std::span<const std::uint32_t> groups) const;

 private:
  // The same of groups [begin, begin + count).
  Vector result(std::size_t column, std::size_t begin, std::size_t count) const;
  Vector key(std::size_t column, std::span<const std::uint32_t> groups) const;
  // Finds or makes the groups that `groups` of `other` are here.
  void merge_keys(const GroupStates& other, std::span<const std::uint32_t> groups,
                  std::vector<GroupPair>* pairs);
  bool has_keys() const { return !spec_.op.groups.empty(); }
  // Runs `work` and charges what it allocates meanwhile.
  template <class Work>
  Status metered(const Work& work) const;
  void add_counts(const GroupTable::Counted& counted);
  // Adds `rows` of a chunk, of which only the arguments are picked, to their groups groups_.
  Status add_arguments(const Chunk& chunk, std::span<const std::uint32_t> rows);
  // Adds the rows to the states that do not only count; `groups` are those of the rows.
  Status add_to_states(const Chunk& chunk, const std::uint32_t* groups);
  Status add_rows(const Chunk& chunk, std::size_t begin, std::size_t count,
                  const std::uint32_t* groups);
  bool takes_rows(std::size_t state) const { return !counted_ || !states_[state]->counts_rows(); }
  bool has_much_text(const Chunk& chunk) const;
  std::size_t rows_at_once(const Chunk& chunk, std::size_t begin) const;
  // Charges what is held after rows were added; fails also when the query must end.
  Status charge();

  const Spec& spec_;
  GroupTable table_;
  std::vector<std::unique_ptr<AggregateState>> states_;
  MemoryLease lease_;
  bool counts_rows_ = true;
  std::size_t combinations_ = 0;          // of the last added chunk; 0: it was added by its rows
  bool counted_ = false;                  // the rows of the chunk at hand were counted by group
  std::vector<std::size_t> arg_columns_;  // of states that do not only count rows
  std::vector<Vector> args_;
  std::vector<std::uint32_t> groups_;
};

}  // namespace evq

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
    KeyShares shares{};  // groups of other keys are left out
    Parting parting = Parting::kNever;
    // Of a worker; 0: rows may not wait until others came that come after them in the stream.
    std::size_t waiting_rows_max = 0;
  };
  // `spec` stays the caller's.
  explicit GroupStates(const Spec& spec);

  // Adds rows whose `keys` are as tables take them, and the first of which is the one numbered
  // `order` of the stream.
  Status add(const Chunk& chunk, std::span<const Vector> keys, std::uint64_t order);
  // The same of some of the rows, whose arguments_of() are `arguments`.
  Status add_some(const Chunk& arguments, std::uint64_t order, const PartedRows::Part& some);
  // The same where each stands for as many rows as `counts` says, which is all that is asked for.
  Status add_counted(std::uint64_t order, const PartedRows::Part& some,
                     std::span<const std::uint32_t> counts);
  // The same of rows that all have the key of `first`, which is the first of them.
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
  // How many groups the first `count` rows of the last chunk that was added are in; nothing where
  // their groups were not looked up one by one.
  std::optional<std::size_t> groups_of_first_rows(std::size_t count) const;
  // How many combinations of entries the last chunk that was added came by; 0: by its rows.
  std::size_t counted_combinations() const { return combinations_; }
  // Whether all states ask for is the number of rows of each group.
  bool only_counts_rows() const { return counts_rows_; }
  // What states read of some of a chunk's rows: the columns in their places, the others empty.
  Result<Chunk> arguments_of(const Chunk& chunk, std::span<const std::uint32_t> rows) const;
  // Of groups that will probably come.
  Status reserve(std::size_t groups);
  // After the last rows.
  Status settle();
  // What that does as far as others who merge from here need it.
  Status settle_to_merge();
  // Takes in the states of `groups` of `other`, which is settled at least to merge and whose rows
  // count as coming after those seen here.
  Status merge(const GroupStates& other, std::span<const std::uint32_t> groups);
  // Forgets all groups but these, few of them. Of states that are settled.
  Status keep(std::span<const std::uint32_t> groups);

  // 1 when the aggregation has no keys.
  std::size_t size() const { return has_keys() ? table_.size() : 1; }
  const GroupTable& table() const { return table_; }
  // What the states hold, without the keys.
  std::size_t state_bytes() const;
  AggregateState& state(std::size_t aggregate) { return *states_[aggregate]; }
  // One column for each result of each aggregate, a row for each of `count` groups from `begin` on.
  // Of states that are settled or were merged into; any thread.
  std::vector<Vector> results(std::size_t begin, std::size_t count) const;
  // One of these columns, of all groups.
  Vector result(std::size_t column) const;

 private:
  bool has_keys() const { return !spec_.op.groups.empty(); }
  // Charges what `work` allocates while it does.
  template <class Work>
  Status metered(const Work& work) const;
  void add_counts(const GroupTable::Counted& counted);
  // Adds some rows of a chunk, of which only the arguments are picked; groups_ has their groups.
  Status add_arguments(const Chunk& chunk, std::span<const std::uint32_t> rows);
  // Adds the rows to the states that do not only count; `groups` are those of the rows.
  Status add_to_states(const Chunk& chunk, const std::uint32_t* groups);
  Status add_rows(const Chunk& chunk, std::size_t begin, std::size_t count,
                  const std::uint32_t* groups);
  bool takes_rows(std::size_t state) const { return !counted_ || !states_[state]->counts_rows(); }
  bool has_much_text(const Chunk& chunk) const;
  std::size_t rows_at_once(const Chunk& chunk, std::size_t begin) const;
  // For what is held, when rows were added; fails as well when the query must end.
  Status charge();

  const Spec& spec_;
  GroupTable table_;
  std::vector<std::unique_ptr<AggregateState>> states_;
  MemoryLease lease_;
  bool counts_rows_ = true;
  std::size_t combinations_ = 0;          // of the last chunk that was added, if it was counted
  bool counted_ = false;                  // the rows of the chunk at hand were counted by group
  std::vector<std::size_t> arg_columns_;  // that the other states read
  std::vector<Vector> args_;
  std::vector<std::uint32_t> groups_;
};

}  // namespace evq

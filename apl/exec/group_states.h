#pragma once
// GroupStates: the groups of an aggregation and the states of its aggregates: what one worker saw,
// or one part of the groups that all workers saw. One thread's at a time; several may take in
// groups of one that no longer changes.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "apl/exec/group_table.h"
#include "apl/exec/sequence_rows.h"
#include "apl/plan/plan.h"
#include "store/base/memory_budget.h"
#include "store/column/chunk.h"

namespace evq {

class GroupStates {
 public:
  struct Spec {
    const plan::Aggregate& op;
    const EvalContext& context;
    std::vector<Type> key_types;
    MemoryBudget* budget;
    KeyShares shares{};  // groups of other keys are left out
  };
  // `spec` stays the caller's.
  explicit GroupStates(const Spec& spec);

  Status add(const Chunk& chunk);
  // Once, after the last add().
  Status settle();
  // Takes in the states of `groups` of `other`, which is settled and whose rows count as coming
  // after those seen here.
  Status merge(const GroupStates& other, std::span<const std::uint32_t> groups);

  // 1 when the aggregation has no keys.
  std::size_t size() const { return has_keys() ? table_.size() : 1; }
  const GroupTable& table() const { return table_; }
  // What the states hold, without the keys.
  std::size_t state_bytes() const;
  AggregateState& state(std::size_t aggregate) { return *states_[aggregate]; }
  // One column for each result of each aggregate, a row a group.
  std::vector<Vector> results();

 private:
  // The columns of a chunk that groups are told by, as the table takes them.
  void load_keys(const Chunk& chunk);
  // Its rows of the shares wanted.
  Status keep_shares(Chunk* chunk);
  Status add_chunk(const Chunk& chunk);
  bool has_keys() const { return !spec_.op.groups.empty(); }
  // Adds some rows to the states that do not only count; `groups` are those of the rows.
  Status add_rows(const Chunk& chunk, std::size_t begin, std::size_t count,
                  const std::uint32_t* groups);
  bool takes_rows(std::size_t state) const { return !counted_ || !states_[state]->counts_rows(); }
  bool has_much_text(const Chunk& chunk) const;
  std::size_t rows_at_once(const Chunk& chunk, std::size_t begin) const;
  Status charge();

  const Spec& spec_;
  GroupTable table_;
  std::vector<std::unique_ptr<AggregateState>> states_;
  MemoryLease lease_;
  bool counts_rows_ = true;               // all states ask for is the number of rows of each group
  bool counted_ = false;                  // the rows of the chunk at hand were counted by group
  std::vector<std::size_t> arg_columns_;  // that the other states read
  SequenceRows sequence_rows_;
  std::vector<Vector> keys_;
  std::vector<Vector> args_;
  std::vector<std::uint32_t> groups_;
};

}  // namespace evq

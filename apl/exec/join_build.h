#pragma once
// The side of a hash join that is probed: BuildSide, and what makes it. It is built by one thread,
// then probed by all workers; only marks may be set meanwhile.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "apl/exec/executor.h"
#include "apl/exec/group_table.h"
#include "apl/exec/whole_input.h"
#include "store/base/large_pages.h"
#include "store/column/chunk.h"

namespace evq {

// The right side of a join, ready to be probed; or those of its rows that may be matched.
struct BuildSide {
  WholeInput input;  // all rows, then one row of nulls
  std::size_t rows = 0;
  std::unique_ptr<GroupTable> table;
  LargeVector<std::uint32_t> group_begin;  // rows of group g: group_rows[group_begin[g]…[g + 1])
  LargeVector<std::uint32_t> group_rows;
  bool unique_keys = false;  // no group has two rows
  std::vector<std::atomic<std::uint8_t>> matched;
  MemoryLease lists_lease;  // what is kept of each row besides

  const std::vector<Vector>& columns() const { return input.rows.columns(); }
  std::uint32_t null_row() const { return static_cast<std::uint32_t>(rows); }
  // A left row matched group_rows[at].
  void mark(std::uint32_t at) { matched[group_rows[at]].store(1, std::memory_order_relaxed); }
  bool is_marked(std::uint32_t at) const {
    return matched[group_rows[at]].load(std::memory_order_relaxed) != 0;
  }
  // When only the first row of a group was marked: marks the others.
  void spread_marks() {
    for (std::size_t group = 0; group < table->size(); ++group) {
      const std::uint32_t begin = group_begin[group];
      const std::uint32_t end = group_begin[group + 1];
      for (std::uint32_t at = begin; at < end && is_marked(begin); ++at) {
        mark(at);
      }
    }
  }
};

// The keys of a join by value: dynamics that are equal have equal bytes.
std::vector<Vector> key_columns(std::span<const Vector> columns,
                                const std::vector<std::size_t>& positions);
bool may_have_null_key(const Vector& key);
// A null key, as NaN, equals nothing, itself included.
bool has_null_key(std::span<const Vector> keys, std::size_t row);

// Runs `right` for its rows whose keys are of some shares. With the rows of the left side, which
// has those of all shares, only rows that match one of them are kept. kLimit when they do not fit
// the query's memory.
Status make_build_side(Executor& executor, const plan::Join& join,
                       const std::optional<Collected>& left, const plan::Node& right,
                       const KeyShares& shares, BuildSide* side);
// Keeps of a chunk the rows whose keys, the columns at `keys`, are of these shares.
Chunk rows_of_shares(const GroupTable& table, const KeyShares& shares,
                     const std::vector<std::size_t>& keys, Chunk chunk);

}  // namespace evq

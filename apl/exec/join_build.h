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
  // Of a group, places in the list of rows.
  struct Places {
    std::uint32_t begin;
    std::uint32_t end;

    bool empty() const { return begin == end; }
  };

  WholeInput input;  // all rows, then one row of nulls
  std::size_t rows = 0;
  std::unique_ptr<GroupTable> table;
  // Row g has the key of group g, and no other has: the lists that would say so are empty.
  bool row_per_group = false;
  LargeVector<std::uint32_t>
      group_begin;                        // places of group g: from group_begin[g] to that of g + 1
  LargeVector<std::uint32_t> group_rows;  // the list of rows
  bool unique_keys = false;               // no group has two rows
  std::vector<std::atomic<std::uint8_t>> matched;
  MemoryLease lists_lease;  // what is kept of each row besides

  const std::vector<Vector>& columns() const { return input.rows.columns(); }
  std::uint32_t null_row() const { return static_cast<std::uint32_t>(rows); }
  Places places_of(std::uint32_t group) const {
    return row_per_group ? Places{group, group + 1}
                         : Places{group_begin[group], group_begin[group + 1]};
  }
  std::uint32_t row_at(std::uint32_t place) const {
    return row_per_group ? place : group_rows[place];
  }
  // A left row matched the row at a place.
  void mark(std::uint32_t at) { matched[row_at(at)].store(1, std::memory_order_relaxed); }
  bool is_marked(std::uint32_t at) const {
    return matched[row_at(at)].load(std::memory_order_relaxed) != 0;
  }
  // When only the first row of a group was marked: marks the others.
  void spread_marks() {
    for (std::uint32_t group = 0; group < table->size(); ++group) {
      const Places places = places_of(group);
      for (std::uint32_t at = places.begin; at < places.end && is_marked(places.begin); ++at) {
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
// has those of all shares, only rows that match one of them are kept; `kept` are the keys that rows
// of the right side must have. kLimit when they do not fit the query's memory.
Status make_build_side(Executor& executor, const plan::Join& join,
                       const std::optional<Collected>& left, const plan::Node& right,
                       const KeyShares& shares, const std::vector<KeptKeys>& kept, BuildSide* side);
// Keeps of a chunk the rows whose keys, the columns at `keys`, are of these shares.
Chunk rows_of_shares(const GroupTable& table, const KeyShares& shares,
                     const std::vector<std::size_t>& keys, Chunk chunk);

}  // namespace evq

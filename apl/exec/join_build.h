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
#include "apl/exec/overflow_mark.h"
#include "apl/exec/whole_input.h"
#include "store/base/large_pages.h"
#include "store/column/chunk.h"

namespace evq {

// The right side of a join, ready to be probed; or those of its rows that may be matched.
struct BuildSide {
  // A group's range of places in the list of rows.
  struct Places {
    std::uint32_t begin;
    std::uint32_t end;

    bool empty() const { return begin == end; }
  };

  WholeInput input;  // all rows, then one row of nulls
  std::size_t rows = 0;
  std::unique_ptr<GroupTable> table;
  // Each group g consists of row g alone; both lists below are empty then.
  bool row_per_group = false;
  LargeVector<std::uint32_t>
      group_begin;                        // places of group g: from group_begin[g] to that of g + 1
  LargeVector<std::uint32_t> group_rows;  // the list of rows
  bool unique_keys = false;               // no group has two rows
  std::vector<std::atomic<std::uint8_t>> matched;  // of kinds that mark rows
  MemoryLease lists_lease;                         // for the table, the lists and the marks

  const std::vector<Vector>& columns() const { return input.rows.columns(); }
  std::uint32_t null_row() const { return static_cast<std::uint32_t>(rows); }
  Places places_of(std::uint32_t group) const {
    return row_per_group ? Places{group, group + 1}
                         : Places{group_begin[group], group_begin[group + 1]};
  }
  std::uint32_t row_at(std::uint32_t place) const {
    return row_per_group ? place : group_rows[place];
  }
  // Marks the row at a place as matched by a left row. Any thread.
  void mark(std::uint32_t at) { matched[row_at(at)].store(1, std::memory_order_relaxed); }

  // The next two look at all rows: under an AllocationMeter they end when the query must.
  // Lists the rows of each group; `groups` is by row, kNoGroup for rows that match nothing.
  void list_rows(const LargeVector<std::uint32_t>& groups);
  // Returns the rows that are not marked, ascending.
  std::vector<std::uint32_t> unmarked_rows() const;
};

// Returns the columns at `positions` as join keys: dynamics that are equal get equal bytes.
std::vector<Vector> key_columns(std::span<const Vector> columns,
                                const std::vector<std::size_t>& positions);
// Sets the groups of rows that match nothing to kNoGroup: unless the plan says otherwise, a key
// that is null or NaN equals nothing, itself included.
void forget_null_keys(const plan::Join& join, std::span<const Vector> keys, std::size_t rows,
                      std::uint32_t* groups);

// What a build side is made of.
struct BuildSpec {
  Executor& executor;
  const plan::Join& join;
  const plan::Node& right;
  const KeyShares& shares;  // of the keys whose rows are wanted
  const Demand& demand;     // of the right side's rows
  OverflowMark& overflow;   // set when the rows, or what is known of them, do not fit
};

// Runs the right side and builds `side` of its rows. With `left`, all rows of the left side, only
// rows that match one of them are kept, whatever their share. kLimit when they do not fit the
// query's memory.
Status make_build_side(const BuildSpec& spec, const std::optional<Collected>& left,
                       BuildSide* side);
// Returns the rows of a chunk whose keys, the columns at `keys`, are of these shares.
Chunk rows_of_shares(const GroupTable& table, const KeyShares& shares,
                     const std::vector<std::size_t>& keys, Chunk chunk);

}  // namespace evq

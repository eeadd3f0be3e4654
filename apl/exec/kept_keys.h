#pragma once
// Keys that rows must have to reach the result, as those of a join's other side: told to what runs
// below, so that other rows are dropped where they are read or before they are grouped.

#include <atomic>
#include <cstddef>
#include <span>
#include <vector>

#include "apl/exec/eval.h"
#include "apl/exec/group_table.h"
#include "apl/plan/plan.h"
#include "store/column/chunk.h"
#include "store/column/vector.h"

namespace evq {

// Tests which rows have a key of a table, which must outlive the test. Any thread.
class KeyTest {
 public:
  explicit KeyTest(const GroupTable& table) : table_(table) {}

  // Whether testing is worth it: false once most tested rows turned out to have a key.
  bool pays() const;
  // Returns the rows of a chunk whose keys, the columns at `positions`, are in the table; rows with
  // null keys or NaN may be among them, and all rows are where testing does not pay.
  RowList rows_with(std::span<const Vector> columns, const std::vector<std::size_t>& positions,
                    std::size_t rows) const;

 private:
  void count(std::size_t asked, std::size_t found) const;

  const GroupTable& table_;
  mutable std::atomic<std::size_t> asked_ = 0;
  mutable std::atomic<std::size_t> found_ = 0;
};

// Keys that rows of a node's output need: rows without one of them cannot reach the result.
struct KeptKeys {
  const KeyTest* test = nullptr;
  std::vector<std::size_t> columns;  // the keys
};

// Translates keys of a node's output to its inputs, from which rows without them may be dropped
// with the same outcome. Keys are left out where they are computed, or where other rows depend on
// rows without them.
std::vector<KeptKeys> keys_below(std::span<const KeptKeys> kept, const plan::Node& node);
// Translate keys of a join's output to its left and its right input. A key that the sides are
// joined on goes to both.
std::vector<KeptKeys> keys_of_left(std::span<const KeptKeys> kept, const plan::Node& join);
std::vector<KeptKeys> keys_of_right(std::span<const KeptKeys> kept, const plan::Node& join);
// Whether a scan or an aggregation in the plan of `node` would drop rows without these keys.
bool drops_rows(const KeptKeys& kept, const plan::Node& node);
// Returns the rows of a chunk that have the keys, or all where testing does not pay.
Chunk rows_with(std::span<const KeptKeys> kept, Chunk chunk);

}  // namespace evq

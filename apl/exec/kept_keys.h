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

// Whether rows have keys of a table, which must outlive it. Any thread.
class KeyTest {
 public:
  explicit KeyTest(const GroupTable& table) : table_(table) {}

  // False once most rows that were asked about turned out to have them.
  bool pays() const;
  // The rows of a chunk whose keys, the columns at `positions`, are in the table; null keys and
  // NaN may be among them, and all rows are where asking does not pay.
  RowList rows_with(std::span<const Vector> columns, const std::vector<std::size_t>& positions,
                    std::size_t rows) const;

 private:
  void count(std::size_t asked, std::size_t found) const;

  const GroupTable& table_;
  mutable std::atomic<std::size_t> asked_ = 0;
  mutable std::atomic<std::size_t> found_ = 0;
};

// Of a node's output: rows without such keys cannot reach the result.
struct KeptKeys {
  const KeyTest* test = nullptr;
  std::vector<std::size_t> columns;  // the keys
};

// What that makes of the node's inputs: rows that may be dropped from them, with the same outcome.
// Left out where the keys are computed, or other rows depend on those without them.
std::vector<KeptKeys> keys_below(std::span<const KeptKeys> kept, const plan::Node& node);
// Of a join, whose inputs differ. A key that the sides are joined on is one of both.
std::vector<KeptKeys> keys_of_left(std::span<const KeptKeys> kept, const plan::Node& join);
std::vector<KeptKeys> keys_of_right(std::span<const KeptKeys> kept, const plan::Node& join);
// Whether a scan or an aggregation drops them.
bool drops_rows(const KeptKeys& kept, const plan::Node& node);
// Of a chunk the rows that have the keys, or all where asking does not pay.
Chunk rows_with(std::span<const KeptKeys> kept, Chunk chunk);

}  // namespace evq

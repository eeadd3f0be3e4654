#pragma once
// FirstGroups: the groups of an aggregation that come first in the stream, where no others can
// reach the result: rows of other groups need not be grouped. They are found in the first chunk of
// the stream, if it has them all. Shared by the workers; one of them sees that chunk.

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "apl/exec/eval.h"
#include "apl/exec/group_states.h"
#include "apl/exec/group_table.h"

namespace evq {

class FirstGroups {
 public:
  // `count`: how many groups are asked for; nothing: all of them. `spec` must outlive this.
  FirstGroups(const GroupStates::Spec& spec, std::optional<std::size_t> count)
      : spec_(spec), count_(count) {}

  // Whether a first chunk of `rows` rows is long enough to find the first groups in.
  bool may_tell(std::size_t rows) const;
  // Finds the first groups in the first chunk, whose `keys` are as GroupTable takes them. known()
  // stays false when the chunk has too few groups.
  void find(std::span<const Vector> keys, std::size_t rows);
  // Whether find() found the groups. Any thread.
  bool known() const { return known_.load(std::memory_order_acquire) != nullptr; }
  // Returns the rows of the first groups, ascending. Requires known(). Any thread.
  RowList rows_of(std::span<const Vector> keys, std::size_t rows) const;

 private:
  const GroupStates::Spec& spec_;
  const std::optional<std::size_t> count_;
  std::unique_ptr<GroupTable> table_;
  std::atomic<const GroupTable*> known_{nullptr};  // the table once it is full
};

}  // namespace evq

#pragma once
// FirstGroups: which groups of an aggregation come first in the stream, where no others can reach
// the result: the rows of others need not be grouped. Told by the first chunk of the stream alone,
// if it has them all. Shared by the workers; one of them sees that chunk.

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
  // `count` of them are asked for; nothing: all groups are. `spec` stays the caller's.
  FirstGroups(const GroupStates::Spec& spec, std::optional<std::size_t> count)
      : spec_(spec), count_(count) {}

  // Whether so many rows, the stream's first, may tell.
  bool may_tell(std::size_t rows) const;
  // By their `keys`, as tables take them.
  void find(std::span<const Vector> keys, std::size_t rows);
  // Once it was found out; any thread.
  bool known() const { return known_.load(std::memory_order_acquire) != nullptr; }
  // The rows whose groups are among them, ascending. Any thread.
  RowList rows_of(std::span<const Vector> keys, std::size_t rows) const;

 private:
  const GroupStates::Spec& spec_;
  const std::optional<std::size_t> count_;
  std::unique_ptr<GroupTable> table_;
  std::atomic<const GroupTable*> known_{nullptr};  // the table once it is full
};

}  // namespace evq

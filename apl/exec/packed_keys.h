#pragma once
// PackedKeys: the key columns of an aggregation that have few values, as one integer: each column's
// values are numbered as they come, and the numbers of a row's values are put side by side. A group
// is then found, kept, moved and merged as one word, whatever the number and the length of its
// texts. All workers share the numbers, and a column has room for more of them than the chunk needs
// by which it was chosen; when one runs out, nothing more is packed.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "apl/exec/group_table.h"
#include "store/base/control.h"
#include "store/base/memory_budget.h"
#include "store/base/mutex.h"
#include "store/base/result.h"
#include "store/column/vector.h"

namespace evq {

class PackedKeys {
 public:
  enum class When : std::uint8_t {
    kItPays,
    kItCan,  // test configurations see numbers run out, too
  };
  // Where numbers and their values are charged, and what ends the query. Either may be null.
  struct Limits {
    MemoryBudget* budget;
    const QueryControl* control;
  };

  // Fewer rows do not tell whether packing pays.
  static constexpr std::size_t kRowsToTell = 8192;
  // Chooses the columns to pack by a chunk's keys, which are as GroupTable takes them; null when
  // fewer than two of them should be.
  static std::unique_ptr<PackedKeys> choose(std::span<const Vector> keys, std::size_t rows,
                                            When when, std::uint64_t seed, const Limits& limits);

  // The types of the keys as they are packed: the integer, then those of the other columns.
  std::vector<Type> types() const;
  // Whether numbers have run out, so that pack() refuses all keys. Any thread.
  bool full() const { return full_.load(std::memory_order_relaxed); }
  // Packs a chunk's keys. False, with `keys` unchanged, when a column has no number for one of its
  // values, now and from now on. Any thread.
  Result<bool> pack(std::size_t rows, std::vector<Vector>* keys);

  // Returns a key column as it was, for `groups` of a table whose keys are packed. Any thread, when
  // nobody packs any more.
  Vector unpack(std::size_t column, const GroupTable& table,
                std::span<const std::uint32_t> groups) const;

 private:
  struct Column {
    std::size_t index;  // among the keys
    unsigned bits;
    unsigned shift;
    std::unique_ptr<GroupTable> values;  // numbers them
  };

  PackedKeys(std::span<const Vector> keys, const std::vector<std::size_t>& packed,
             const std::vector<unsigned>& bits, std::uint64_t seed, const Limits& limits);
  // Sets numbers[i] to that of entry i of a key, or of row i where the key is flat. False when one
  // is too large for the column.
  bool number(const Column& column, const Vector& key, std::vector<std::uint32_t>* numbers)
      EVQ_REQUIRES(mutex_);
  Status charge() EVQ_REQUIRES(mutex_);
  static void add(const Vector& key, unsigned shift, std::span<const std::uint32_t> numbers,
                  std::span<std::int64_t> to);

  const Limits limits_;
  std::vector<Type> key_types_;
  std::vector<Column> columns_;      // packed
  std::vector<std::size_t> others_;  // indexes of the keys that are not
  std::atomic<bool> full_{false};
  Mutex mutex_;  // of the values in columns_ while keys are packed
  MemoryLease lease_ EVQ_GUARDED_BY(mutex_);
};

}  // namespace evq

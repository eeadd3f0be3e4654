#pragma once
// FreshRows: the rows of a small load on their way into a dataset, not yet encoded. Those of loads
// that wait for the same commit become JoinedRows: a block, when they are enough for one, else one
// fresh chunk, because what a chunk costs, now and when it is merged, depends more on its columns
// than on its rows. One thread; the rows may come from any.

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "store/base/result.h"
#include "store/base/seeded_text_hash.h"
#include "store/block/block_writer.h"
#include "store/column/row_runs.h"
#include "store/column/table.h"
#include "store/segment_cache.h"
#include "store/stored_form.h"

namespace evq {

class ThreadPool;

struct FreshRows {
  Table table;                  // as BatchBuilder makes it: `_time` comes first; in its order
  std::uint64_t raw_bytes = 0;  // of input
};

// Whether a batch may wait as it is for its commit. Larger ones are encoded by whoever parsed them:
// they gain little by company, and a queue of them would take much memory.
bool is_small(const FreshRows& rows, std::uint32_t block_rows);
// Whether is_small() may turn out true, told before the columns are made.
bool may_be_small(std::size_t rows, std::uint64_t raw_bytes, std::uint32_t block_rows);

class JoinedRows {
 public:
  explicit JoinedRows(std::uint32_t block_rows) : block_rows_(block_rows) {}

  // Adds a load, which must outlive this. Returns false and adds nothing when there is no room, or
  // when a field has another type here and no common type keeps every value exactly. The first load
  // is always taken.
  bool add(const FreshRows& load);
  // Whether the rows become a sealed block at once (block_size.h).
  bool is_block() const;
  // Encodes the rows, with the pool's threads when there is much to do. `decoded`, when given, is
  // set to what a fresh chunk will decode to; a block leaves it as it is.
  Result<StoredForm> encode(ThreadPool* pool, DecodedBlock* decoded = nullptr) const;

 private:
  struct Column {
    Field field;
    std::string_view name;  // the field's, as the first load that has it holds it
  };
  struct Load {
    const FreshRows* rows;
    std::vector<std::size_t> places;  // in its table, of the columns that were there with it

    // The load's values of a column; null when it has none.
    const Vector* find(std::size_t column) const;
  };

  std::size_t find(std::size_t guess, std::string_view name);
  bool accepts(std::size_t column, const Vector& values, Type* common) const;
  Vector join(std::size_t column, std::span<const RowRun> runs) const;
  ColumnSource in_time_order() const;
  Result<StoredForm> encode_as_block(const ColumnSource& columns, ThreadPool* pool) const;
  Result<StoredForm> encode_as_chunk(const ColumnSource& columns, ThreadPool* pool,
                                     DecodedBlock* decoded) const;
  Schema schema() const;

  std::uint64_t block_rows_;
  std::vector<Load> loads_;
  std::uint64_t rows_ = 0;
  std::uint64_t raw_bytes_ = 0;
  std::vector<Column> columns_;
  // Maps names to positions in columns_, of the first `numbered_`; look-ups add the others.
  std::unordered_map<std::string_view, std::size_t, SeededTextHash> numbers_;
  std::size_t numbered_ = 0;
};

}  // namespace evq

#pragma once
// RowSorter: collects rows of chunks and gives them back in the order of sort keys, all of them or
// the first `limit`. Rows that compare equal keep the order of the stream. The first two keys of
// every row are also kept as order-preserving 64-bit numbers, so that most comparisons, and the
// test whether a row can still be among the first `limit`, are one or two integer comparisons.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "apl/plan/plan.h"
#include "store/base/memory_budget.h"
#include "store/column/chunk.h"

namespace evq {

class RowSorter {
 public:
  static constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

  // Without keys the order is that of the stream. `operator_name` is for memory errors.
  RowSorter(const std::vector<plan::SortKey>& keys, std::size_t limit, MemoryBudget* budget,
            std::string_view operator_name);

  // Takes over the rows that can be among the first `limit`.
  Status add(Chunk chunk);
  // Puts the rows in order, after the last chunk.
  void sort();
  // Takes over all rows of another sorter with the same keys and limit. Both are sorted.
  Status add(RowSorter&& other);
  // The rows of a sorted one as chunks; it is empty afterwards.
  Result<std::vector<Chunk>> finish();

  std::size_t rows() const { return rows_; }
  // Once `limit` rows are held: no row whose first key is above this can be among the first.
  std::optional<std::uint64_t> threshold() const;

 private:
  struct Part {
    Chunk chunk;
    std::vector<std::uint64_t> first_keys;   // empty without keys
    std::vector<std::uint64_t> second_keys;  // empty without a second key
    std::vector<std::uint64_t> positions;    // in the stream
  };
  struct RowRef {
    std::uint64_t first_key;
    std::uint64_t second_key;  // the position where there is none
    std::uint32_t part;
    std::uint32_t row;
  };

  // The numbers of key `index` of all rows; none where there is no such key.
  std::vector<std::uint64_t> key_numbers(const Chunk& chunk, std::size_t index) const;
  // Whether rows whose numbers of key `index` are both `number` have the same value there.
  bool tells(std::size_t index, std::uint64_t number) const;
  // Row numbers of a chunk with these first keys (empty without keys).
  std::vector<std::uint32_t> candidates(const std::vector<std::uint64_t>& first_keys,
                                        std::size_t rows) const;
  bool before(const RowRef& a, const RowRef& b) const;
  std::vector<RowRef> all_rows() const;
  void sort_rows(std::vector<RowRef>* rows) const;
  // Drops all rows but the first `limit`.
  Status compact();
  std::vector<Chunk> gather(std::span<const RowRef> rows, bool keep_positions,
                            std::vector<std::uint64_t>* positions) const;
  // Books what is held; `added` is the only part that is new.
  Status charge(const Part& added);
  Status charge_all();

  std::vector<plan::SortKey> keys_;
  std::size_t limit_;
  MemoryLease lease_;
  std::vector<Part> parts_;
  std::vector<RowRef> sorted_;  // of all parts, once sorted
  std::size_t rows_ = 0;
  std::size_t bytes_ = 0;
  std::optional<std::uint64_t> threshold_;
};

// For each row an unsigned number that orders like the row's value under `order`, or nearly: equal
// numbers may stand for different values (long strings, dynamics, the extremes of a type).
void sort_numbers(const Vector& column, SortOrder order, std::vector<std::uint64_t>* out);
// True when equal numbers stand for equal values, as far as `number` is concerned.
bool is_exact_sort_number(Type type, std::uint64_t number);

}  // namespace evq

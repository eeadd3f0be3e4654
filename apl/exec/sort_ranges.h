#pragma once
// Rows in order, a part of the order at a time, for sorts that do not fit into memory: the input
// runs once for a sample of its keys, then again for each range between some of these, so that what
// comes out of one range after the other is the whole order. Nothing is written to a disk.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "apl/exec/executor.h"
#include "apl/plan/plan.h"
#include "store/column/chunk.h"

namespace evq {

// A sample of a stream's keys, one row in so many, in order.
struct KeySample {
  Chunk keys;             // a column for each sort key
  std::size_t rows = 0;   // of the stream
  std::size_t bytes = 0;  // of the stream, about as a sort holds it
};
Result<KeySample> sample_keys(Executor& executor, const plan::Node& node,
                              const std::vector<plan::SortKey>& keys);

// A range of the order: the rows from sample key `begin` on and before sample key `end`; without
// one it is open on that side. Any thread; the sample must outlive the range.
class SortRange {
 public:
  SortRange(const std::vector<plan::SortKey>& keys, const KeySample& sample,
            std::optional<std::size_t> begin, std::optional<std::size_t> end);

  // Returns the rows of `chunk` that are in the range.
  Chunk keep(Chunk chunk) const;
  // Splits the range in about two halves; nothing when all sample keys in it are equal.
  std::optional<std::pair<SortRange, SortRange>> halves() const;

 private:
  struct Bound {
    std::size_t row = 0;  // number of its key in the sample
    std::uint64_t number = 0;
  };
  std::optional<Bound> bound_at(std::optional<std::size_t> row) const;
  // Whether the key of a chunk's row, with this number, comes before that of a bound.
  bool is_before(const Chunk& chunk, std::size_t row, std::uint64_t number,
                 const Bound& bound) const;
  bool equal_in_sample(std::size_t a, std::size_t b) const;

  const std::vector<plan::SortKey>* keys_;
  const KeySample* sample_;
  std::optional<Bound> begin_;
  std::optional<Bound> end_;
};

// Splits the whole order into ascending ranges, each of about `bytes_max` of the sort's bytes as
// far as the sample tells.
std::vector<SortRange> sort_ranges(const std::vector<plan::SortKey>& keys, const KeySample& sample,
                                   std::size_t bytes_max);

}  // namespace evq

#pragma once
// FrequentItems: the most frequent byte strings of a stream in bounded memory, by Misra-Gries in
// batches (the deterministic form of Space-Saving). All counts are exact while at most `capacity`
// different items were added. When there are more, the median count is taken off every counter and
// counters at zero are dropped. What was taken off in all is error(): every true count lies in
// [count - error, count], an item not listed occurred at most error() times, and
// error() <= 2 * total / capacity. Merging adds totals and errors, so the bound holds for any
// split.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "apl/functions/value_hash.h"

namespace evq {

class FrequentItems {
 public:
  struct Item {
    std::string_view bytes;
    std::uint64_t count = 0;  // an upper bound
    std::uint64_t error = 0;  // by how much it may be too high
  };

  explicit FrequentItems(std::size_t capacity) : capacity_(capacity) {}

  void add(std::string_view bytes, std::uint64_t count);
  void merge(const FrequentItems& other);

  bool is_exact() const { return error_ == 0; }
  std::uint64_t error() const { return error_; }
  std::uint64_t total() const { return total_; }
  // The `k` items of largest count, in that order; equal counts by bytes. Views follow this object.
  std::vector<Item> top(std::size_t k) const;

  // Memory held outside the object itself.
  std::size_t size_bytes() const { return counts_.size() * kNodeBytes + text_bytes_; }

 private:
  static constexpr std::size_t kNodeBytes = 80;

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view bytes) const { return sketch_hash(bytes); }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(std::string_view a, std::string_view b) const { return a == b; }
  };

  void count_item(std::string_view bytes, std::uint64_t count);
  void purge();

  std::size_t capacity_;
  std::unordered_map<std::string, std::uint64_t, Hash, Equal> counts_;
  std::uint64_t error_ = 0;
  std::uint64_t total_ = 0;
  std::size_t text_bytes_ = 0;
};

}  // namespace evq

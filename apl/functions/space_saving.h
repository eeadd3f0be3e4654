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
#include <vector>

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
  std::size_t size_bytes() const {
    return entries_.capacity() * sizeof(Entry) + slots_.capacity() * sizeof(std::uint32_t) +
           text_.capacity();
  }

 private:
  // The item's bytes are text_[offset, offset + size).
  struct Entry {
    std::uint64_t hash = 0;
    std::uint64_t count = 0;
    std::size_t offset = 0;
    std::size_t size = 0;
  };

  std::string_view bytes_of(const Entry& entry) const {
    const std::string_view text = text_;
    return text.substr(entry.offset, entry.size);
  }
  void count_item(std::string_view bytes, std::uint64_t hash, std::uint64_t count);
  void purge();
  // Makes room for twice as many entries as there are.
  void rebuild_slots();

  std::size_t capacity_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_;  // by hash: an entry's number + 1, or 0
  std::string text_;
  std::uint64_t error_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace evq

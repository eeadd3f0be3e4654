#pragma once
// BoundedSet: different values by their canonical dynamic bytes; beyond a limit those with the
// smallest hashes, so that what is left out does not depend on the order of rows. One worker's.
//
// Values whose hash is too large are refused at once. Few values are looked through, more have a
// hash table; callers with many values or many sets ask for their memory ahead.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/column/dynamic.h"

namespace evq {

class BoundedSet {
 public:
  // Adds a value. `hash` is its sketch_hash(), `items_max` the same in all calls.
  void add(std::string_view bytes, std::uint64_t hash, std::size_t items_max);
  // Prefetches the memory that adding or reading touches: first the object, then what it points to.
  void prefetch_self() const {
    __builtin_prefetch(&items_);
    __builtin_prefetch(&slots_);
  }
  void prefetch(std::uint64_t hash) const;
  void prefetch_items() const;
  void merge(const BoundedSet& other, std::size_t items_max);
  // Returns the kept items in order of value, as views into this object. Where they are more than
  // `items_max` or `bytes_max` bytes, those with the smallest hashes.
  std::vector<DynamicView> sorted(std::size_t items_max, std::size_t bytes_max) const;
  // Memory held outside the object itself.
  std::size_t size_bytes() const {
    return items_.capacity() * sizeof(Item) + slots_.capacity() * sizeof(Slot) + text_.capacity();
  }

 private:
  // An item, whose bytes are text_ from `begin` up to the next item's `begin`.
  struct Item {
    std::uint64_t hash = 0;
    std::size_t begin = 0;
  };
  struct Slot {
    std::uint32_t tag = 0;   // the hash's upper half
    std::uint32_t item = 0;  // its number + 1, or 0 for a free slot
  };

  std::string_view bytes_of(std::size_t item) const {
    const std::size_t end = item + 1 < items_.size() ? items_[item + 1].begin : text_.size();
    return std::string_view(text_).substr(items_[item].begin, end - items_[item].begin);
  }
  bool is_item(std::size_t item, std::string_view bytes, std::uint64_t hash) const {
    return items_[item].hash == hash && bytes_of(item) == bytes;
  }
  bool contains(std::string_view bytes, std::uint64_t hash) const;
  void enter(std::uint64_t hash, std::size_t item);
  // Grows the hash table for `items` items; few items are searched without one.
  void make_slots(std::size_t items);
  // Returns the indexes of the `count` items with the smallest hashes, in order of hash.
  std::vector<std::uint32_t> smallest(std::size_t count) const;
  void shrink(std::size_t items_max);

  std::vector<Item> items_;
  std::string text_;
  std::vector<Slot> slots_;  // by hash; empty while items are few
  std::uint64_t largest_ = UINT64_MAX;
};

}  // namespace evq

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
  // `hash` is the value's sketch_hash(), `items_max` the same in all calls.
  void add(std::string_view bytes, std::uint64_t hash, std::size_t items_max);
  // Ask for the memory that adding or reading takes: first of the object, then of what it holds.
  void prefetch_self() const {
    __builtin_prefetch(&items_);
    __builtin_prefetch(&slots_);
  }
  void prefetch(std::uint64_t hash) const;
  void prefetch_items() const;
  void merge(const BoundedSet& other, std::size_t items_max);
  // The items kept, by value, of at most `bytes_max` bytes in all: of more, those of least hash.
  // Views follow this object.
  std::vector<DynamicView> sorted(std::size_t items_max, std::size_t bytes_max) const;
  // Memory held outside the object itself.
  std::size_t size_bytes() const {
    return items_.capacity() * sizeof(Item) + slots_.capacity() * sizeof(Slot) + text_.capacity();
  }

 private:
  // Its bytes are those of text_ from `begin` on, up to where the next item's begin.
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
  // Makes room for `items`, when they are more than are looked through.
  void make_slots(std::size_t items);
  // The numbers of the `count` items of least hash, in that order.
  std::vector<std::uint32_t> smallest(std::size_t count) const;
  void shrink(std::size_t items_max);

  std::vector<Item> items_;
  std::string text_;
  std::vector<Slot> slots_;  // by hash; empty while items are few
  std::uint64_t largest_ = UINT64_MAX;
};

}  // namespace evq

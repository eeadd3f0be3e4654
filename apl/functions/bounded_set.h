#pragma once
// BoundedSet: different values by their canonical dynamic bytes; beyond a limit those with the
// smallest hashes, so that what is left out does not depend on the order of rows. One worker's.
//
// Of very many sets most have few values: these are nothing but their bytes, in the object itself
// where it is one number, and are looked through. More have an index, with a hash table; values
// whose hash is too large it refuses at once. Callers with many values or many sets ask for their
// memory ahead.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
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
    __builtin_prefetch(&text_);
    __builtin_prefetch(&index_);
  }
  void prefetch(std::uint64_t hash) const;
  void prefetch_items() const;
  void merge(const BoundedSet& other, std::size_t items_max);
  // Returns the kept items in order of value, as views into this object. Where they are more than
  // `items_max` or `bytes_max` bytes, those with the smallest hashes.
  std::vector<DynamicView> sorted(std::size_t items_max, std::size_t bytes_max) const;
  // Memory held outside the object itself.
  std::size_t size_bytes() const {
    const std::size_t within = std::string().capacity();  // of a short text
    return (text_.capacity() > within ? text_.capacity() : 0) +
           (index_ != nullptr ? index_->size_bytes() : 0);
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

  struct Index {
    std::vector<Item> items;
    std::vector<Slot> slots;  // by hash
    std::uint64_t largest = UINT64_MAX;

    std::size_t size_bytes() const {
      return sizeof(Index) + items.capacity() * sizeof(Item) + slots.capacity() * sizeof(Slot);
    }
    void enter(std::uint64_t hash, std::size_t item);
    // Grows the hash table for `count` items.
    void make_slots(std::size_t count);
  };

  std::string_view bytes_of(std::span<const Item> items, std::size_t item) const {
    const std::size_t end = item + 1 < items.size() ? items[item + 1].begin : text_.size();
    return std::string_view(text_).substr(items[item].begin, end - items[item].begin);
  }
  bool few_contain(std::string_view bytes) const;
  bool contains(std::string_view bytes, std::uint64_t hash) const;
  // The items without an index, in the order in which they lie.
  std::vector<Item> few_items() const;
  void make_index();
  // Returns the indexes of the `count` items with the smallest hashes, in order of hash.
  std::vector<std::uint32_t> smallest(std::span<const Item> items, std::size_t count) const;
  void shrink(std::size_t items_max);

  std::string text_;              // the items' bytes, one after the other
  std::size_t few_ = 0;           // items, while there is no index
  std::unique_ptr<Index> index_;  // null while items are few
};

}  // namespace evq

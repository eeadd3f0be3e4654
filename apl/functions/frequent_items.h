#pragma once
// FrequentItems: the most frequent byte strings of a stream in bounded memory. All counts are exact
// while at most `capacity` different items were added.
//
// When there are more, three summaries work together. Frequent items are found by Misra-Gries in
// batches (the deterministic form of Space-Saving): the median counter is taken off all of them and
// those at zero are dropped, so that every item that occurred more than 2 * total / capacity times
// keeps its counter. How often they occurred is asked of a count-min sketch (Cormode and
// Muthukrishnan 2005), which only ever adds: a count is never too low, and too high by more than
// error() for less than 1 item in 1,000. Rarer items are represented by a sample, the items of
// least hash.
//
// Counts depend on the multiset of items alone, whatever the order of adding and merging and the
// split among objects that are merged; and so does the list: items that the sketch counts above
// certain_above(), and the sample. An item that the sketch counts too high by so much that it gets
// above that threshold may still have a counter or not; that takes as many collisions as the sketch
// has rows, each with at least four times a cell's fair share of all items, which one item in
// 250,000 has in the worst of distributions.
//
// What listed items have occurred is put into the sketch when they are dropped or settle() is
// called, so that an item that comes often costs a look-up each time and a sketch's memory once.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/large_pages.h"

namespace evq {

class FrequentItems {
 public:
  struct Item {
    std::string_view bytes;
    std::uint64_t count = 0;  // never too low
    std::uint64_t error = 0;  // by how much it may be too high
  };

  explicit FrequentItems(std::size_t capacity) : capacity_(capacity) {}

  void add(std::string_view bytes, std::uint64_t count) { add(bytes, hash_of(bytes), count); }
  // Adds an item by its hash_of(), for callers that ask for the memory of many items ahead: first
  // with prefetch_slot(), then with prefetch_item().
  void add(std::string_view bytes, std::uint64_t hash, std::uint64_t count);
  static std::uint64_t hash_of(std::string_view bytes);
  void prefetch_slot(std::uint64_t hash) const;
  void prefetch_item(std::uint64_t hash) const;
  // Adds the counts of `other`, which must be settled; this is settled when it returns.
  void merge(const FrequentItems& other);
  // Must be called after the last add(), before anything but total() and size_bytes() is asked.
  void settle();
  // Calls visit(items) with this object or, when it is not settled, with a settled copy.
  template <class Visit>
  void with_settled(const Visit& visit) const {
    if (is_settled()) {
      visit(*this);
    } else {
      FrequentItems settled = *this;
      settled.settle();
      visit(settled);
    }
  }

  bool is_exact() const { return cells_.empty(); }
  // Returns how much too high counts may be, for all but 1 item in 1,000; 0 while exact.
  std::uint64_t error() const;
  // Returns the count above which every item is listed; others are of the sample. 0 while exact.
  std::uint64_t certain_above() const;
  std::uint64_t total() const { return total_; }
  // Returns the count of any item, listed or not.
  std::uint64_t count_of(std::string_view bytes) const;
  // Returns the `k` listed items of largest count, in that order; equal counts by bytes. Views
  // follow this object.
  std::vector<Item> top(std::size_t k) const;

  // Memory held outside the object itself.
  std::size_t size_bytes() const {
    return entries_.capacity() * sizeof(Entry) + slots_.capacity() * sizeof(Slot) +
           cells_.capacity() * sizeof(std::uint64_t) + text_.capacity() +
           sample_.capacity() * sizeof(Sampled) + sample_text_.capacity();
  }

 private:
  // The item's bytes are text_[offset, offset + size).
  struct Entry {
    std::uint64_t hash = 0;
    std::uint64_t count = 0;       // exact, or what purges have left of it
    std::uint64_t unsketched = 0;  // part of the count that is not in the sketch
    std::size_t offset = 0;
    std::size_t size = 0;
  };

  std::string_view bytes_of(const Entry& entry) const {
    const std::string_view text = text_;
    return text.substr(entry.offset, entry.size);
  }
  struct Slot {
    std::uint32_t tag = 0;    // the hash's upper half
    std::uint32_t entry = 0;  // its number + 1, or 0 for a free slot
  };
  // An item of the sample; its bytes are sample_text_[offset, offset + size).
  struct Sampled {
    std::uint64_t hash = 0;
    std::size_t offset = 0;
    std::size_t size = 0;
  };
  std::string_view bytes_of(const Sampled& item) const {
    const std::string_view text = sample_text_;
    return text.substr(item.offset, item.size);
  }

  // Returns the index of the slot that has the item's entry, or of the free one where it would go.
  // There must be slots.
  std::size_t slot_of(std::string_view bytes, std::uint64_t hash) const;
  // Returns the index + 1 of the item's entry; 0 when it has none.
  std::uint32_t entry_of(std::string_view bytes, std::uint64_t hash) const;
  // Adds `count` to an item, of which `unsketched` is not in the sketch yet.
  void count_item(std::string_view bytes, std::uint64_t hash, std::uint64_t count,
                  std::uint64_t unsketched);
  bool is_settled() const { return is_exact() || !unsketched_; }
  // Shrinks the list to the capacity.
  void shrink();
  void purge();
  // Makes room for twice as many entries as there are.
  void rebuild_slots();
  void open_sketch();
  // Puts what is unsketched of entries with at most `count` into the sketch and the sample.
  void sketch_entries(std::uint64_t count);
  // Keeps the item while it may be among those of least hash.
  void add_to_sample(std::uint64_t hash, std::string_view bytes);
  std::size_t sample_max() const;
  // Keeps only the distinct items with the smallest hashes, sample_max() at most.
  void tidy_sample();
  void add_to_sketch(std::uint64_t hash, std::uint64_t count);
  std::uint64_t sketch_count(std::uint64_t hash) const;

  std::size_t capacity_;
  std::vector<Entry> entries_;
  LargeVector<Slot> slots_;  // by hash
  std::string text_;
  LargeVector<std::uint64_t> cells_;  // the sketch, row by row; empty while counts are exact
  std::vector<Sampled> sample_;       // likewise; settled, in order of hash and then of bytes
  std::size_t sample_tidy_ = 0;       // how many of the first are in that order
  std::string sample_text_;
  std::uint64_t sample_hash_max_ = ~std::uint64_t{0};  // of items that may be in the sample
  bool unsketched_ = false;                            // some entry is
  std::uint64_t total_ = 0;
};

}  // namespace evq

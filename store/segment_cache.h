#pragma once
// SegmentCache: decoded columns, headers and token filters of blocks, kept across queries up to a
// budget of bytes; the least recently used go first. Blocks never change and their ids are never
// reused, so an entry never goes stale; those of removed blocks age out.
//
// The budget may grow with what is read, to three quarters of what the largest dataset has on disk:
// so much is what a few of its columns come to when they are decoded.
//
// Columns of which only a few rows were decoded are remembered by name alone, so that one asked
// for again can be decoded whole and kept. Such a column that nobody wanted before it had to go
// makes room for others for good: a working set beyond the budget would decode all of it each time.
//
// A reader (a query's snapshot) never pushes out what it used itself: of a working set beyond the
// budget, read over and over, a part stays instead of none.
// Any thread.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "store/base/mutex.h"
#include "store/block/block_reader.h"
#include "store/block/format.h"
#include "store/column/vector.h"

namespace evq {

struct SegmentKey {
  std::uint64_t file = 0;
  std::uint64_t block = 0;
  std::uint64_t column = 0;  // position, kHeaderColumn, or position | kFilterBit
  friend bool operator==(const SegmentKey&, const SegmentKey&) = default;
};

// The reader number of callers that may push out any entry.
inline constexpr std::uint64_t kNoReader = 0;

inline constexpr std::uint64_t kHeaderColumn = ~std::uint64_t{0};
inline constexpr std::uint64_t kFilterBit = std::uint64_t{1} << 62;

// A block as it was before it was encoded.
struct DecodedBlock {
  std::shared_ptr<const BlockHeader> header;
  std::vector<Vector> columns;  // in the header's order
};

class SegmentCache {
 public:
  // A budget of 0 keeps nothing. It grows up to `grown_max`.
  explicit SegmentCache(std::size_t bytes_max, std::size_t grown_max = 0)
      : bytes_max_(bytes_max), grown_max_(bytes_max == 0 ? 0 : grown_max) {}

  bool keeps_nothing() const { return bytes_max_.load(std::memory_order_relaxed) == 0; }
  // Grows the budget for a dataset with `stored_bytes` bytes of blocks.
  void grow_for(std::uint64_t stored_bytes);

  // A number for one reader.
  std::uint64_t new_reader() { return ++readers_; }

  std::optional<Vector> find_column(const SegmentKey& key, std::uint64_t reader = kNoReader);
  void put_column(const SegmentKey& key, const Vector& column, std::uint64_t reader = kNoReader);
  // Notes that a few rows of an uncached column are wanted. True when it is worth decoding whole
  // for put_column(): it was wanted before, and did not go unused when it was last cached.
  bool note_few_rows(const SegmentKey& key, std::uint64_t reader = kNoReader);
  std::shared_ptr<const BlockHeader> find_header(const SegmentKey& key,
                                                 std::uint64_t reader = kNoReader);
  void put_header(const SegmentKey& key, std::shared_ptr<const BlockHeader> header,
                  std::uint64_t reader = kNoReader);
  // The bytes of a filter, verified by whoever puts them here.
  std::optional<SharedBytes> find_filter(const SegmentKey& key, std::uint64_t reader = kNoReader);
  void put_filter(const SegmentKey& key, const SharedBytes& filter,
                  std::uint64_t reader = kNoReader);
  // Caches a block that was just written, so that its merge and its readers need not read it.
  void put_block(std::uint64_t file, std::uint64_t block, const DecodedBlock& decoded);
  // Drops a removed block from the cache; snapshots that still have it read it from the file.
  void forget_block(std::uint64_t file, std::uint64_t block, std::size_t columns);
  std::size_t size_bytes() const;

 private:
  // The history of reads of a few rows of a column.
  enum class FewRows : std::uint8_t {
    kNever,     // a header, a filter, or a column that was read whole
    kOnce,      // no column, only the fact; put_column() makes it kDecoded
    kDecoded,   // a column decoded whole because few rows were wanted twice, and not used since:
                // find_column() makes it kNever, evict_last() kDeclined
    kDeclined,  // no column, only the fact that it was left unused; put_column() makes it kNever
  };
  struct Entry {
    SegmentKey key;
    std::uint64_t reader = kNoReader;  // that used it last
    std::size_t size_bytes = 0;
    Vector column;
    std::shared_ptr<const BlockHeader> header;
    SharedBytes filter;
    FewRows few_rows = FewRows::kNever;

    bool is_only_noted() const {
      return few_rows == FewRows::kOnce || few_rows == FewRows::kDeclined;
    }
  };
  struct KeyHash {
    std::size_t operator()(const SegmentKey& key) const;
  };
  static Entry make_entry(const SegmentKey& key, std::uint64_t reader, std::size_t held_bytes);
  Entry* find(const SegmentKey& key, std::uint64_t reader) EVQ_REQUIRES(mutex_);
  bool make_room(const Entry& entry, std::list<Entry>* evicted) EVQ_REQUIRES(mutex_);
  // Moves the least recently used entry, or its column, to `evicted`, to be destroyed unlocked.
  void evict_last(std::list<Entry>* evicted) EVQ_REQUIRES(mutex_);
  void put(Entry entry);

  std::atomic<std::size_t> bytes_max_;
  const std::size_t grown_max_;
  std::atomic<std::uint64_t> readers_{kNoReader};
  mutable Mutex mutex_;
  std::size_t size_bytes_ EVQ_GUARDED_BY(mutex_) = 0;
  std::list<Entry> entries_ EVQ_GUARDED_BY(mutex_);  // most recently used first
  std::unordered_map<SegmentKey, std::list<Entry>::iterator, KeyHash> index_ EVQ_GUARDED_BY(mutex_);
};

}  // namespace evq

#pragma once
// SegmentCache: decoded columns and headers of blocks, kept across queries up to a budget of bytes;
// the least recently used go first. Blocks never change and their ids are never reused, so an
// entry never goes stale; those of removed blocks age out. Any thread.

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <unordered_map>

#include "store/base/mutex.h"
#include "store/block/format.h"
#include "store/column/vector.h"

namespace evq {

struct SegmentKey {
  std::uint64_t file = 0;
  std::uint64_t block = 0;
  std::uint64_t column = 0;  // position, or kHeaderColumn
  friend bool operator==(const SegmentKey&, const SegmentKey&) = default;
};

inline constexpr std::uint64_t kHeaderColumn = ~std::uint64_t{0};

class SegmentCache {
 public:
  // A budget of 0 keeps nothing.
  explicit SegmentCache(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  std::optional<Vector> find_column(const SegmentKey& key);
  void put_column(const SegmentKey& key, const Vector& column);
  std::shared_ptr<const BlockHeader> find_header(const SegmentKey& key);
  void put_header(const SegmentKey& key, std::shared_ptr<const BlockHeader> header);
  std::size_t size_bytes() const;

 private:
  struct Entry {
    SegmentKey key;
    std::size_t size_bytes = 0;
    Vector column;
    std::shared_ptr<const BlockHeader> header;
  };
  struct KeyHash {
    std::size_t operator()(const SegmentKey& key) const;
  };
  const Entry* find(const SegmentKey& key) EVQ_REQUIRES(mutex_);
  void put(Entry entry);

  const std::size_t bytes_max_;
  mutable Mutex mutex_;
  std::size_t size_bytes_ EVQ_GUARDED_BY(mutex_) = 0;
  std::list<Entry> entries_ EVQ_GUARDED_BY(mutex_);  // most recently used first
  std::unordered_map<SegmentKey, std::list<Entry>::iterator, KeyHash> index_ EVQ_GUARDED_BY(mutex_);
};

}  // namespace evq

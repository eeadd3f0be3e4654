#include "store/segment_cache.h"

#include <utility>

#include "store/base/checksum.h"

namespace evq {

namespace {

// Of an entry itself, its place in the list and in the index.
constexpr std::size_t kEntryBytes = 200;
// Of a column's header in memory, names and bounds included, roughly.
constexpr std::size_t kColumnHeaderBytes = 250;

}  // namespace

std::size_t SegmentCache::KeyHash::operator()(const SegmentKey& key) const {
  return hash64(key.file, hash64(key.block, key.column));
}

const SegmentCache::Entry* SegmentCache::find(const SegmentKey& key) {
  const auto at = index_.find(key);
  if (at == index_.end()) {
    return nullptr;
  }
  entries_.splice(entries_.begin(), entries_, at->second);
  return &*at->second;
}

std::optional<Vector> SegmentCache::find_column(const SegmentKey& key) {
  if (bytes_max_ == 0) {
    return std::nullopt;
  }
  const MutexLock lock(mutex_);
  const Entry* entry = find(key);
  return entry == nullptr ? std::nullopt : std::optional<Vector>(entry->column);
}

std::shared_ptr<const BlockHeader> SegmentCache::find_header(const SegmentKey& key) {
  if (bytes_max_ == 0) {
    return nullptr;
  }
  const MutexLock lock(mutex_);
  const Entry* entry = find(key);
  return entry == nullptr ? nullptr : entry->header;
}

void SegmentCache::put_column(const SegmentKey& key, const Vector& column) {
  Entry entry;
  entry.key = key;
  entry.size_bytes = column.size_bytes() + kEntryBytes;
  entry.column = column;
  put(std::move(entry));
}

void SegmentCache::put_header(const SegmentKey& key, std::shared_ptr<const BlockHeader> header) {
  Entry entry;
  entry.key = key;
  entry.size_bytes = header->columns.size() * kColumnHeaderBytes + kEntryBytes;
  entry.header = std::move(header);
  put(std::move(entry));
}

void SegmentCache::put(Entry entry) {
  if (entry.size_bytes > bytes_max_) {
    return;
  }
  std::list<Entry> evicted;  // destroyed after the lock is gone
  const MutexLock lock(mutex_);
  if (index_.contains(entry.key)) {
    return;
  }
  while (size_bytes_ + entry.size_bytes > bytes_max_) {
    size_bytes_ -= entries_.back().size_bytes;
    index_.erase(entries_.back().key);
    evicted.splice(evicted.begin(), entries_, std::prev(entries_.end()));
  }
  size_bytes_ += entry.size_bytes;
  entries_.push_front(std::move(entry));
  index_.emplace(entries_.front().key, entries_.begin());
}

std::size_t SegmentCache::size_bytes() const {
  const MutexLock lock(mutex_);
  return size_bytes_;
}

}  // namespace evq

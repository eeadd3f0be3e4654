#include "store/segment_cache.h"

#include <algorithm>
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

void SegmentCache::grow_for(std::uint64_t stored_bytes) {
  const std::uint64_t share = stored_bytes - stored_bytes / 4;
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(share, grown_max_));
  std::size_t known = bytes_max_.load(std::memory_order_relaxed);
  while (known < wanted && !bytes_max_.compare_exchange_weak(known, wanted)) {
  }
}

SegmentCache::Entry SegmentCache::make_entry(const SegmentKey& key, std::uint64_t reader,
                                             std::size_t held_bytes) {
  Entry entry;
  entry.key = key;
  entry.reader = reader;
  entry.size_bytes = held_bytes + kEntryBytes;
  return entry;
}

SegmentCache::Entry* SegmentCache::find(const SegmentKey& key, std::uint64_t reader) {
  const auto at = index_.find(key);
  if (at == index_.end()) {
    return nullptr;
  }
  entries_.splice(entries_.begin(), entries_, at->second);
  at->second->reader = reader;
  return &*at->second;
}

std::optional<Vector> SegmentCache::find_column(const SegmentKey& key, std::uint64_t reader) {
  if (keeps_nothing()) {
    return std::nullopt;
  }
  const MutexLock lock(mutex_);
  Entry* entry = find(key, reader);
  if (entry == nullptr || entry->is_only_noted()) {
    return std::nullopt;
  }
  entry->few_rows = FewRows::kNever;
  return entry->column;
}

std::shared_ptr<const BlockHeader> SegmentCache::find_header(const SegmentKey& key,
                                                             std::uint64_t reader) {
  if (keeps_nothing()) {
    return nullptr;
  }
  const MutexLock lock(mutex_);
  const Entry* entry = find(key, reader);
  return entry == nullptr ? nullptr : entry->header;
}

void SegmentCache::put_column(const SegmentKey& key, const Vector& column, std::uint64_t reader) {
  Entry entry = make_entry(key, reader, column.size_bytes());
  entry.column = column;
  put(std::move(entry));
}

bool SegmentCache::note_few_rows(const SegmentKey& key, std::uint64_t reader) {
  if (keeps_nothing()) {
    return false;
  }
  {
    const MutexLock lock(mutex_);
    if (const Entry* known = find(key, reader)) {
      return known->few_rows != FewRows::kDeclined;
    }
  }
  Entry entry = make_entry(key, reader, 0);
  entry.few_rows = FewRows::kOnce;
  put(std::move(entry));
  return false;
}

void SegmentCache::put_header(const SegmentKey& key, std::shared_ptr<const BlockHeader> header,
                              std::uint64_t reader) {
  Entry entry = make_entry(key, reader, header->columns.size() * kColumnHeaderBytes);
  entry.header = std::move(header);
  put(std::move(entry));
}

std::optional<SharedBytes> SegmentCache::find_filter(const SegmentKey& key, std::uint64_t reader) {
  if (keeps_nothing()) {
    return std::nullopt;
  }
  const MutexLock lock(mutex_);
  const Entry* entry = find(key, reader);
  return entry == nullptr ? std::nullopt : std::optional(entry->filter);
}

void SegmentCache::put_filter(const SegmentKey& key, const SharedBytes& filter,
                              std::uint64_t reader) {
  Entry entry = make_entry(key, reader, filter.view.size());
  entry.filter = filter;
  put(std::move(entry));
}

void SegmentCache::put_block(std::uint64_t file, std::uint64_t block, const DecodedBlock& decoded) {
  if (keeps_nothing()) {
    return;
  }
  put_header({file, block, kHeaderColumn}, decoded.header);
  for (std::size_t column = 0; column < decoded.columns.size(); ++column) {
    put_column({file, block, column}, decoded.columns[column]);
  }
}

void SegmentCache::forget_block(std::uint64_t file, std::uint64_t block, std::size_t columns) {
  std::list<Entry> forgotten;  // destroyed after the lock is gone
  const MutexLock lock(mutex_);
  const auto forget = [&](std::uint64_t column) EVQ_REQUIRES(mutex_) {
    const auto known = index_.find({file, block, column});
    if (known != index_.end()) {
      size_bytes_ -= known->second->size_bytes;
      forgotten.splice(forgotten.begin(), entries_, known->second);
      index_.erase(known);
    }
  };
  forget(kHeaderColumn);
  for (std::uint64_t column = 0; column < columns; ++column) {
    forget(column);
    forget(column | kFilterBit);
  }
}

void SegmentCache::put(Entry entry) {
  if (entry.size_bytes > bytes_max_) {
    return;
  }
  std::list<Entry> evicted;  // destroyed after the lock is gone
  std::list<Entry> made;
  made.push_back(std::move(entry));
  Entry& added = made.front();
  const MutexLock lock(mutex_);
  // Making room may take the note away.
  const auto noted = index_.find(added.key);
  const bool noted_once = noted != index_.end() && noted->second->few_rows == FewRows::kOnce;
  if (!make_room(added, &evicted)) {
    return;
  }
  // The last that may fail for want of memory; from here on entries only move.
  const auto [place, is_new] = index_.try_emplace(added.key, made.begin());
  if (noted_once) {
    added.few_rows = FewRows::kDecoded;
  }
  if (!is_new) {  // only noted until now
    size_bytes_ -= place->second->size_bytes;
    evicted.splice(evicted.begin(), entries_, place->second);
    place->second = made.begin();
  }
  size_bytes_ += added.size_bytes;
  entries_.splice(entries_.begin(), made);
}

// False when it is there already, or would push out what its own reader used.
bool SegmentCache::make_room(const Entry& entry, std::list<Entry>* evicted) {
  const auto known = index_.find(entry.key);
  if (known != index_.end() && (!known->second->is_only_noted() || entry.is_only_noted())) {
    return false;
  }
  while (size_bytes_ + entry.size_bytes > bytes_max_) {
    if (entry.reader != kNoReader && entries_.back().reader == entry.reader) {
      return false;
    }
    evict_last(evicted);
  }
  return true;
}

void SegmentCache::evict_last(std::list<Entry>* evicted) {
  const auto last = std::prev(entries_.end());
  if (last->few_rows != FewRows::kDecoded) {
    size_bytes_ -= last->size_bytes;
    index_.erase(last->key);
    evicted->splice(evicted->begin(), entries_, last);
    return;
  }
  // Only the fact stays, as the most recent entry.
  evicted->emplace_front();
  std::swap(evicted->front().column, last->column);
  size_bytes_ -= last->size_bytes;
  last->size_bytes = kEntryBytes;
  last->few_rows = FewRows::kDeclined;
  entries_.splice(entries_.begin(), entries_, last);
  size_bytes_ += kEntryBytes;
}

std::size_t SegmentCache::size_bytes() const {
  const MutexLock lock(mutex_);
  return size_bytes_;
}

}  // namespace evq

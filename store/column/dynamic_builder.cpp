#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <utility>

#include "store/base/allocation_meter.h"
#include "store/base/check.h"
#include "store/base/checksum.h"
#include "store/base/limits.h"
#include "store/base/scratch.h"
#include "store/column/dynamic.h"

// Building dynamic bytes. A container's sizes are written as zeros and filled in at its end.
// Repeated keys are noticed by a 64-bit filter over the open bag's keys: only when two keys share
// a bit are the finished entries compared, by sorting their hashes, so hostile keys cost
// O(n log n) and ordinary small bags nothing.

namespace evq {
namespace {

constexpr std::size_t kHeaderBytes = 9;
constexpr std::size_t kSizeBytes = 4;
constexpr std::size_t kBuilderBytesMin = 64;
// Below this many entries comparing all pairs is cheaper than sorting hashes.
constexpr std::size_t kPairwiseEntriesMax = 16;

struct BuiltEntry {
  std::uint64_t hash;
  std::size_t position;
  std::string_view key;
  std::string_view value;
};

void store_size(std::size_t size, char* place) {
  EVQ_CHECK(size <= std::numeric_limits<std::uint32_t>::max());
  const auto narrow = static_cast<std::uint32_t>(size);
  std::memcpy(place, &narrow, sizeof(narrow));
}

// A cheap hash of a key: its size and the bytes at its ends and middle.
std::uint64_t key_bit(std::string_view key) {
  if (key.empty()) {
    return 1;
  }
  const auto byte = [key](std::size_t i) {
    return static_cast<std::uint64_t>(static_cast<unsigned char>(key[i]));
  };
  const std::uint64_t mixed =
      (key.size() << 24) ^ (byte(0) << 16) ^ (byte(key.size() / 2) << 8) ^ byte(key.size() - 1);
  return std::uint64_t{1} << ((mixed * 0x9E3779B97F4A7C15ULL) >> 58);
}

bool has_equal_pair(const ScratchVector<BuiltEntry>& entries) {
  for (std::size_t i = 1; i < entries.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (entries[i].key == entries[j].key) {
        return true;
      }
    }
  }
  return false;
}

bool key_order(const BuiltEntry& a, const BuiltEntry& b) {
  if (a.hash != b.hash) {
    return a.hash < b.hash;
  }
  const int order = a.key.compare(b.key);
  return order != 0 ? order < 0 : a.position < b.position;
}

// Leaves of each key one entry: at the first one's position, with the last one's value. False
// when all keys differ; the entries are then in no particular order.
bool merge_equal_keys(ScratchVector<BuiltEntry>* entries) {
  if (entries->size() <= kPairwiseEntriesMax && !has_equal_pair(*entries)) {
    return false;
  }
  for (BuiltEntry& entry : *entries) {
    entry.hash = hash64(entry.key, 0);
  }
  std::sort(entries->begin(), entries->end(), key_order);
  std::size_t kept = 0;
  for (std::size_t i = 1; i < entries->size(); ++i) {
    BuiltEntry& last = (*entries)[kept];
    const BuiltEntry& next = (*entries)[i];
    if (last.hash == next.hash && last.key == next.key) {
      last.value = next.value;
    } else {
      (*entries)[++kept] = next;
    }
  }
  if (kept + 1 == entries->size()) {
    return false;
  }
  entries->resize(kept + 1);
  std::sort(entries->begin(), entries->end(),
            [](const BuiltEntry& a, const BuiltEntry& b) { return a.position < b.position; });
  return true;
}

}  // namespace

void DynamicBuilder::count_element() {
  if (!open_.empty() && !open_.back().bag) {
    ++open_.back().count;
  }
}

char* DynamicBuilder::extend(std::size_t size) {
  if (size > buffer_.size() - size_) {
    grow(size_ + size);
  }
  char* place = buffer_.data() + size_;
  size_ += size;
  return place;
}

// What no value of a function may be is charged for, so that it ends with an error and not with the
// memory; what no header can say the size of cannot be built at all.
void DynamicBuilder::grow(std::size_t size) {
  if (size > std::numeric_limits<std::uint32_t>::max()) {
    throw std::bad_alloc();
  }
  const std::size_t room = std::max({kBuilderBytesMin, 2 * buffer_.size(), size});
  if (room > kStringValueBytesMax) {
    AllocationMeter::charge(room);
  }
  buffer_.resize(room);
}

void DynamicBuilder::add_tag(DynamicTag tag) {
  count_element();
  *extend(1) = static_cast<char>(tag);
}

void DynamicBuilder::append_text(std::string_view text) {
  char* place = extend(kSizeBytes + text.size());
  store_size(text.size(), place);
  std::copy(text.begin(), text.end(), place + kSizeBytes);
}

void DynamicBuilder::add_fixed(DynamicTag tag, std::uint64_t bits) {
  count_element();
  char* place = extend(1 + sizeof(bits));
  *place = static_cast<char>(tag);
  std::memcpy(place + 1, &bits, sizeof(bits));
}

void DynamicBuilder::add_null() {
  add_tag(DynamicTag::kNull);
}

void DynamicBuilder::add_bool(bool value) {
  add_tag(value ? DynamicTag::kTrue : DynamicTag::kFalse);
}

void DynamicBuilder::add_long(std::int64_t value) {
  add_fixed(DynamicTag::kLong, static_cast<std::uint64_t>(value));
}

void DynamicBuilder::add_real(double value) {
  add_fixed(DynamicTag::kReal, std::bit_cast<std::uint64_t>(value));
}

void DynamicBuilder::add_datetime(std::int64_t nanoseconds) {
  add_fixed(DynamicTag::kDatetime, static_cast<std::uint64_t>(nanoseconds));
}

void DynamicBuilder::add_timespan(std::int64_t nanoseconds) {
  add_fixed(DynamicTag::kTimespan, static_cast<std::uint64_t>(nanoseconds));
}

void DynamicBuilder::add_string(std::string_view value) {
  count_element();
  char* place = extend(1 + kSizeBytes + value.size());
  *place = static_cast<char>(DynamicTag::kString);
  store_size(value.size(), place + 1);
  std::copy(value.begin(), value.end(), place + 1 + kSizeBytes);
}

void DynamicBuilder::add_value(const Value& value) {
  if (value.is_null()) {
    return add_null();
  }
  switch (value.type()) {
    case Type::kNull:
      return add_null();
    case Type::kBool:
      return add_bool(value.as_bool());
    case Type::kLong:
      return add_long(value.as_integer());
    case Type::kReal:
      return add_real(value.as_real());
    case Type::kString:
      return add_string(value.as_text());
    case Type::kDatetime:
      return add_datetime(value.as_integer());
    case Type::kTimespan:
      return add_timespan(value.as_integer());
    case Type::kDynamic:
      return add_encoded(DynamicView(value.as_text()));
  }
}

void DynamicBuilder::add_encoded(DynamicView value) {
  if (value.bytes().empty()) {
    return add_null();
  }
  count_element();
  const std::string_view bytes = value.bytes();
  std::copy(bytes.begin(), bytes.end(), extend(bytes.size()));
}

void DynamicBuilder::begin(DynamicTag tag) {
  count_element();
  const bool bag = tag == DynamicTag::kBag;
  open_.push_back(
      {.start = size_, .count = 0, .bag = bag, .duplicate_keys_possible = false, .seen = 0});
  *extend(kHeaderBytes) = static_cast<char>(tag);
}

void DynamicBuilder::key(std::string_view name) {
  EVQ_DCHECK(!open_.empty() && open_.back().bag);
  Open& bag = open_.back();
  const std::uint64_t bit = key_bit(name);
  bag.duplicate_keys_possible = bag.duplicate_keys_possible || (bag.seen & bit) != 0;
  bag.seen |= bit;
  ++bag.count;
  append_text(name);
}

void DynamicBuilder::end(DynamicTag tag) {
  EVQ_CHECK(!open_.empty() && open_.back().bag == (tag == DynamicTag::kBag));
  Open container = open_.back();
  open_.pop_back();
  if (container.duplicate_keys_possible) {
    drop_duplicate_keys(container.start, &container.count);
  }
  char* header = buffer_.data() + container.start;
  store_size(size_ - container.start - kHeaderBytes, header + 1);
  store_size(container.count, header + 1 + kSizeBytes);
}

void DynamicBuilder::drop_duplicate_keys(std::size_t start, std::uint32_t* count) {
  ScratchVector<BuiltEntry> entries;
  entries.reserve(*count);
  // The entries can be walked once the count is in place.
  store_size(*count, buffer_.data() + start + 1 + kSizeBytes);
  const std::string_view bag(buffer_.data() + start, size_ - start);
  DynamicView::Iterator iterator{DynamicView(bag)};
  while (iterator.next()) {
    entries.push_back({.hash = 0,
                       .position = entries.size(),
                       .key = iterator.key(),
                       .value = iterator.value().bytes()});
  }
  if (!merge_equal_keys(&entries)) {
    return;
  }
  const std::string old(bag);
  const std::string_view old_bytes = old;
  const auto copy_of = [old_bytes, bag](std::string_view part) {
    return old_bytes.substr(static_cast<std::size_t>(part.data() - bag.data()), part.size());
  };
  size_ = start + kHeaderBytes;
  for (const BuiltEntry& entry : entries) {
    append_text(copy_of(entry.key));
    const std::string_view value = copy_of(entry.value);
    std::copy(value.begin(), value.end(), extend(value.size()));
  }
  *count = static_cast<std::uint32_t>(entries.size());
}

std::string_view DynamicBuilder::bytes() const {
  EVQ_DCHECK(open_.empty());
  return {buffer_.data(), size_};
}

std::string DynamicBuilder::take() {
  EVQ_CHECK(open_.empty());
  buffer_.resize(std::exchange(size_, 0));
  return std::exchange(buffer_, {});
}

void DynamicBuilder::clear() {
  size_ = 0;
  open_.clear();
}

DynamicBuilder::Mark DynamicBuilder::mark() const {
  return {.size = size_, .depth = open_.size(), .count = open_.empty() ? 0 : open_.back().count};
}

void DynamicBuilder::return_to(const Mark& mark) {
  EVQ_CHECK(mark.depth <= open_.size() && mark.size <= size_);
  size_ = mark.size;
  open_.resize(mark.depth);
  if (!open_.empty()) {
    open_.back().count = mark.count;
  }
}

}  // namespace evq

// FrequentItems: counting, purging by the median, and the ranking.

#include "apl/functions/space_saving.h"

#include <algorithm>
#include <bit>

#include "apl/functions/value_hash.h"

namespace evq {
namespace {

constexpr std::size_t kSlotsMin = 16;

}  // namespace

void FrequentItems::count_item(std::string_view bytes, std::uint64_t hash, std::uint64_t count) {
  if (entries_.size() * 2 >= slots_.size()) {
    rebuild_slots();
  }
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  for (; slots_[at] != 0; at = (at + 1) & mask) {
    Entry& entry = entries_[slots_[at] - 1];
    if (entry.hash == hash && bytes_of(entry) == bytes) {
      entry.count += count;
      return;
    }
  }
  entries_.push_back({hash, count, text_.size(), bytes.size()});
  text_.append(bytes);
  slots_[at] = static_cast<std::uint32_t>(entries_.size());
}

void FrequentItems::rebuild_slots() {
  slots_.assign(std::max(kSlotsMin, std::bit_ceil(entries_.size() * 4)), 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    std::size_t at = entries_[i].hash & mask;
    while (slots_[at] != 0) {
      at = (at + 1) & mask;
    }
    slots_[at] = static_cast<std::uint32_t>(i + 1);
  }
}

void FrequentItems::add(std::string_view bytes, std::uint64_t count) {
  count_item(bytes, sketch_hash(bytes), count);
  total_ += count;
  while (entries_.size() > capacity_) {
    purge();
  }
}

// Takes the median off: at least half of the counters pay it, which bounds error() by the total.
void FrequentItems::purge() {
  std::vector<std::uint64_t> counts;
  counts.reserve(entries_.size());
  for (const Entry& entry : entries_) {
    counts.push_back(entry.count);
  }
  const auto middle = counts.begin() + static_cast<std::ptrdiff_t>(counts.size() / 2);
  std::ranges::nth_element(counts, middle);
  const std::uint64_t median = *middle;
  std::erase_if(entries_, [median](const Entry& entry) { return entry.count <= median; });
  // The texts that stay move down, in the order in which they lie.
  std::size_t end = 0;
  for (Entry& entry : entries_) {
    entry.count -= median;
    std::copy_n(text_.begin() + static_cast<std::ptrdiff_t>(entry.offset), entry.size,
                text_.begin() + static_cast<std::ptrdiff_t>(end));
    entry.offset = end;
    end += entry.size;
  }
  text_.resize(end);
  rebuild_slots();
  error_ += median;
}

void FrequentItems::merge(const FrequentItems& other) {
  for (const Entry& entry : other.entries_) {
    count_item(other.bytes_of(entry), entry.hash, entry.count);
  }
  error_ += other.error_;
  total_ += other.total_;
  while (entries_.size() > capacity_) {
    purge();
  }
}

std::vector<FrequentItems::Item> FrequentItems::top(std::size_t k) const {
  std::vector<Item> items;
  items.reserve(entries_.size());
  for (const Entry& entry : entries_) {
    items.push_back({bytes_of(entry), entry.count + error_, error_});
  }
  const auto middle = items.begin() + static_cast<std::ptrdiff_t>(std::min(k, items.size()));
  std::ranges::partial_sort(items, middle, [](const Item& a, const Item& b) {
    return a.count != b.count ? a.count > b.count : a.bytes < b.bytes;
  });
  items.erase(middle, items.end());
  return items;
}

}  // namespace evq

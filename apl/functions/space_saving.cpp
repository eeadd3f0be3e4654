// FrequentItems: counting, purging by the median, and the ranking.

#include "apl/functions/space_saving.h"

#include <algorithm>

namespace evq {

void FrequentItems::count_item(std::string_view bytes, std::uint64_t count) {
  const auto at = counts_.find(bytes);
  if (at != counts_.end()) {
    at->second += count;
    return;
  }
  counts_.emplace(bytes, count);
  text_bytes_ += bytes.size();
}

void FrequentItems::add(std::string_view bytes, std::uint64_t count) {
  count_item(bytes, count);
  total_ += count;
  while (counts_.size() > capacity_) {
    purge();
  }
}

// Takes the median off: at least half of the counters pay it, which bounds error() by the total.
void FrequentItems::purge() {
  std::vector<std::uint64_t> counts;
  counts.reserve(counts_.size());
  for (const auto& [bytes, count] : counts_) {
    counts.push_back(count);
  }
  const auto middle = counts.begin() + static_cast<std::ptrdiff_t>(counts.size() / 2);
  std::ranges::nth_element(counts, middle);
  const std::uint64_t median = *middle;
  for (auto at = counts_.begin(); at != counts_.end();) {
    if (at->second <= median) {
      text_bytes_ -= at->first.size();
      at = counts_.erase(at);
    } else {
      at->second -= median;
      ++at;
    }
  }
  error_ += median;
}

void FrequentItems::merge(const FrequentItems& other) {
  for (const auto& [bytes, count] : other.counts_) {
    count_item(bytes, count);
  }
  error_ += other.error_;
  total_ += other.total_;
  while (counts_.size() > capacity_) {
    purge();
  }
}

std::vector<FrequentItems::Item> FrequentItems::top(std::size_t k) const {
  std::vector<Item> items;
  items.reserve(counts_.size());
  for (const auto& [bytes, count] : counts_) {
    items.push_back({bytes, count + error_, error_});
  }
  const auto middle = items.begin() + static_cast<std::ptrdiff_t>(std::min(k, items.size()));
  std::ranges::partial_sort(items, middle, [](const Item& a, const Item& b) {
    return a.count != b.count ? a.count > b.count : a.bytes < b.bytes;
  });
  items.erase(middle, items.end());
  return items;
}

}  // namespace evq

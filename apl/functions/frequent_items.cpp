// FrequentItems: counting, purging by the median, the sketch, the sample, and the ranking.

#include "apl/functions/frequent_items.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>
#include <utility>

#include "apl/functions/table_slot.h"
#include "apl/functions/value_hash.h"
#include "store/base/check.h"

namespace evq {
namespace {

constexpr std::size_t kSlotsMin = 16;
// An estimate is too high by more than error() only where all rows say so: by Markov's inequality
// for one item in e^8.
constexpr std::size_t kSketchRows = 8;
// One item is sampled for so many counters.
constexpr std::size_t kCountersPerSampled = 8;
// So many times as many items are sampled as are to be before those too many are dropped.
constexpr std::size_t kSampleSlack = 2;
// Cells of a sketch are asked for so many items ahead.
constexpr std::size_t kAhead = 8;

std::uint32_t tag_of(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash >> 32U);
}

// The cell of a hash in each row of a sketch, by double hashing over a width that is a power of
// two.
class SketchCells {
 public:
  SketchCells(std::uint64_t hash, std::size_t cells)
      : width_(cells / kSketchRows), at_(hash), step_((hash >> 32) | 1) {}

  template <class Visit>
  void visit(const Visit& visit) const {
    for (std::size_t row = 0; row < kSketchRows; ++row) {
      visit(row * width_ + ((at_ + row * step_) & (width_ - 1)));
    }
  }

 private:
  std::size_t width_;
  std::uint64_t at_;
  std::uint64_t step_;
};

}  // namespace

std::size_t FrequentItems::slot_of(std::string_view bytes, std::uint64_t hash) const {
  EVQ_DCHECK(!slots_.empty());
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = table_slot(hash, slots_.size());
  for (; slots_[at].entry != 0; at = (at + 1) & mask) {
    if (slots_[at].tag != tag_of(hash)) {
      continue;
    }
    const Entry& entry = entries_[slots_[at].entry - 1];
    if (entry.hash == hash && bytes_of(entry) == bytes) {
      return at;
    }
  }
  return at;
}

std::uint32_t FrequentItems::entry_of(std::string_view bytes, std::uint64_t hash) const {
  return slots_.empty() ? 0 : slots_[slot_of(bytes, hash)].entry;
}

void FrequentItems::count_item(std::string_view bytes, std::uint64_t hash, std::uint64_t count,
                               std::uint64_t unsketched) {
  if (entries_.size() * 2 > slots_.size() || slots_.empty()) {
    rebuild_slots();
  }
  const std::size_t at = slot_of(bytes, hash);
  if (slots_[at].entry != 0) {
    Entry& entry = entries_[slots_[at].entry - 1];
    entry.count += count;
    entry.unsketched += unsketched;
    return;
  }
  entries_.push_back({hash, count, unsketched, text_.size(), bytes.size()});
  text_.append(bytes);
  slots_[at] = {tag_of(hash), static_cast<std::uint32_t>(entries_.size())};
}

void FrequentItems::rebuild_slots() {
  slots_.assign(std::max(kSlotsMin, std::bit_ceil(entries_.size() * 4)), Slot{});
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    std::size_t at = table_slot(entries_[i].hash, slots_.size());
    while (slots_[at].entry != 0) {
      at = (at + 1) & mask;
    }
    slots_[at] = {tag_of(entries_[i].hash), static_cast<std::uint32_t>(i + 1)};
  }
}

std::uint64_t FrequentItems::hash_of(std::string_view bytes) {
  return sketch_hash(bytes);
}

void FrequentItems::prefetch_slot(std::uint64_t hash) const {
  if (!slots_.empty()) {
    __builtin_prefetch(&slots_[table_slot(hash, slots_.size())]);
  }
}

void FrequentItems::prefetch_item(std::uint64_t hash) const {
  if (!slots_.empty()) {
    const Slot slot = slots_[table_slot(hash, slots_.size())];
    if (slot.entry != 0) {
      __builtin_prefetch(&entries_[slot.entry - 1]);
    }
  }
}

void FrequentItems::add(std::string_view bytes, std::uint64_t hash, std::uint64_t count) {
  count_item(bytes, hash, count, count);
  total_ += count;
  unsketched_ = true;
  shrink();
}

void FrequentItems::settle() {
  if (!is_settled()) {
    sketch_entries(std::numeric_limits<std::uint64_t>::max());
    tidy_sample();
    unsketched_ = false;
  }
}

void FrequentItems::shrink() {
  if (entries_.size() <= capacity_) {
    return;
  }
  if (is_exact()) {
    open_sketch();
  }
  while (entries_.size() > capacity_) {
    purge();
  }
}

// Takes the median off: at least half of the counters pay it, which bounds what is taken off in all
// by the total.
void FrequentItems::purge() {
  std::vector<std::uint64_t> counts;
  counts.reserve(entries_.size());
  for (const Entry& entry : entries_) {
    counts.push_back(entry.count);
  }
  const auto middle = counts.begin() + static_cast<std::ptrdiff_t>(counts.size() / 2);
  std::ranges::nth_element(counts, middle);
  const std::uint64_t median = *middle;
  sketch_entries(median);
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
}

// The counts are still exact and all of them unsketched.
void FrequentItems::open_sketch() {
  cells_.resize(kSketchRows * std::bit_ceil(capacity_));
  unsketched_ = true;
}

void FrequentItems::sketch_entries(std::uint64_t count) {
  const auto waits = [count](const Entry& entry) {
    return entry.count <= count && entry.unsketched != 0;
  };
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (i + kAhead < entries_.size() && waits(entries_[i + kAhead])) {
      SketchCells(entries_[i + kAhead].hash, cells_.size()).visit([&](std::size_t cell) {
        __builtin_prefetch(&cells_[cell], 1);
      });
    }
    Entry& entry = entries_[i];
    if (waits(entry)) {
      add_to_sketch(entry.hash, entry.unsketched);
      add_to_sample(entry.hash, bytes_of(entry));
      entry.unsketched = 0;
    }
  }
}

std::size_t FrequentItems::sample_max() const {
  return std::max<std::size_t>(1, capacity_ / kCountersPerSampled);
}

void FrequentItems::add_to_sample(std::uint64_t hash, std::string_view bytes) {
  if (hash > sample_hash_max_) {
    return;
  }
  sample_.push_back({hash, sample_text_.size(), bytes.size()});
  sample_text_.append(bytes);
  if (sample_.size() >= kSampleSlack * sample_max()) {
    tidy_sample();
  }
}

// An item that was dropped more than once is there more than once.
void FrequentItems::tidy_sample() {
  const auto same = [this](const Sampled& a, const Sampled& b) {
    return a.hash == b.hash && bytes_of(a) == bytes_of(b);
  };
  const auto before = [this](const Sampled& a, const Sampled& b) {
    return a.hash != b.hash ? a.hash < b.hash : bytes_of(a) < bytes_of(b);
  };
  const auto added = sample_.begin() + static_cast<std::ptrdiff_t>(sample_tidy_);
  std::sort(added, sample_.end(), before);
  std::inplace_merge(sample_.begin(), added, sample_.end(), before);
  sample_.erase(std::unique(sample_.begin(), sample_.end(), same), sample_.end());
  if (sample_.size() >= sample_max()) {
    sample_.resize(sample_max());
    sample_hash_max_ = sample_.back().hash;
  }
  sample_tidy_ = sample_.size();
  std::string text;
  for (Sampled& item : sample_) {
    const std::string_view bytes = bytes_of(item);
    item.offset = text.size();
    text.append(bytes);
  }
  sample_text_ = std::move(text);
}

void FrequentItems::add_to_sketch(std::uint64_t hash, std::uint64_t count) {
  SketchCells(hash, cells_.size()).visit([&](std::size_t cell) { cells_[cell] += count; });
}

std::uint64_t FrequentItems::sketch_count(std::uint64_t hash) const {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  SketchCells(hash, cells_.size()).visit([&](std::size_t cell) {
    least = std::min(least, cells_[cell]);
  });
  return least;
}

void FrequentItems::merge(const FrequentItems& other) {
  EVQ_DCHECK(other.is_settled());
  if (is_exact() && !other.is_exact()) {
    open_sketch();
  }
  for (std::size_t cell = 0; cell < other.cells_.size(); ++cell) {
    cells_[cell] += other.cells_[cell];
  }
  for (const Entry& entry : other.entries_) {
    count_item(other.bytes_of(entry), entry.hash, entry.count, other.is_exact() ? entry.count : 0);
  }
  unsketched_ = unsketched_ || other.is_exact();
  for (const Sampled& item : other.sample_) {
    add_to_sample(item.hash, other.bytes_of(item));
  }
  tidy_sample();
  total_ += other.total_;
  shrink();
  settle();
}

std::uint64_t FrequentItems::error() const {
  if (is_exact()) {
    return 0;
  }
  const std::size_t width = cells_.size() / kSketchRows;
  return static_cast<std::uint64_t>(
      std::ceil(std::numbers::e * static_cast<double>(total_) / static_cast<double>(width)));
}

std::uint64_t FrequentItems::certain_above() const {
  return is_exact() ? 0 : 2 * total_ / capacity_ + 1 + error();
}

std::uint64_t FrequentItems::count_of(std::string_view bytes) const {
  EVQ_DCHECK(is_settled());
  const std::uint64_t hash = sketch_hash(bytes);
  if (!is_exact()) {
    return sketch_count(hash);
  }
  const std::uint32_t entry = entry_of(bytes, hash);
  return entry == 0 ? 0 : entries_[entry - 1].count;
}

std::vector<FrequentItems::Item> FrequentItems::top(std::size_t k) const {
  EVQ_DCHECK(is_settled());
  const std::uint64_t error = this->error();
  const std::uint64_t certain = certain_above();
  std::vector<Item> items;
  items.reserve(is_exact() ? entries_.size() : sample_.size());
  for (const Entry& entry : entries_) {
    const std::uint64_t count = is_exact() ? entry.count : sketch_count(entry.hash);
    if (count > certain) {
      items.push_back({bytes_of(entry), count, std::min(error, count)});
    }
  }
  for (const Sampled& item : sample_) {
    const std::string_view bytes = bytes_of(item);
    const std::uint64_t count = sketch_count(item.hash);
    if (count <= certain || entry_of(bytes, item.hash) == 0) {
      items.push_back({bytes, count, std::min(error, count)});
    }
  }
  const auto middle = items.begin() + static_cast<std::ptrdiff_t>(std::min(k, items.size()));
  std::ranges::partial_sort(items, middle, [](const Item& a, const Item& b) {
    return a.count != b.count ? a.count > b.count : a.bytes < b.bytes;
  });
  items.erase(middle, items.end());
  return items;
}

}  // namespace evq

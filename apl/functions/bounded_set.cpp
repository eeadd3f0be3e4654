#include "apl/functions/bounded_set.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "apl/functions/table_slot.h"
#include "store/column/text_order.h"

namespace evq {
namespace {

// So many times the items that are kept may be held before those of larger hash are dropped.
constexpr std::size_t kSlack = 2;
// So many items are looked through.
constexpr std::size_t kItemsWithoutSlots = 8;
// Of so many strings a list to sort them by costs more than it saves.
constexpr std::size_t kComparedMax = 16;

std::uint32_t tag_of(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash >> 32U);
}

void sort_strings(std::vector<DynamicView>* views) {
  std::vector<OrderedText> texts;
  texts.reserve(views->size());
  for (std::size_t i = 0; i < views->size(); ++i) {
    texts.push_back({0, (*views)[i].as_string(), i});
  }
  sort_texts(texts);
  const std::vector<DynamicView> unordered = *views;
  std::ranges::transform(texts, views->begin(),
                         [&](const OrderedText& text) { return unordered[text.number]; });
}

void sort_values(std::vector<DynamicView>* views) {
  if (views->size() > kComparedMax && std::ranges::all_of(*views, &DynamicView::is_string)) {
    sort_strings(views);
  } else {
    std::ranges::sort(*views,
                      [](DynamicView a, DynamicView b) { return compare_dynamic(a, b) < 0; });
  }
}

}  // namespace

bool BoundedSet::contains(std::string_view bytes, std::uint64_t hash) const {
  if (slots_.empty()) {
    for (std::size_t item = 0; item < items_.size(); ++item) {
      if (is_item(item, bytes, hash)) {
        return true;
      }
    }
    return false;
  }
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = table_slot(hash, slots_.size()); slots_[at].item != 0;
       at = (at + 1) & mask) {
    if (slots_[at].tag == tag_of(hash) && is_item(slots_[at].item - 1, bytes, hash)) {
      return true;
    }
  }
  return false;
}

void BoundedSet::enter(std::uint64_t hash, std::size_t item) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = table_slot(hash, slots_.size());
  while (slots_[at].item != 0) {
    at = (at + 1) & mask;
  }
  slots_[at] = {tag_of(hash), static_cast<std::uint32_t>(item + 1)};
}

void BoundedSet::make_slots(std::size_t items) {
  if (items <= kItemsWithoutSlots || items * 2 <= slots_.size()) {
    return;
  }
  slots_.assign(std::bit_ceil(items * 3), Slot{});
  for (std::size_t item = 0; item < items_.size(); ++item) {
    enter(items_[item].hash, item);
  }
}

void BoundedSet::add(std::string_view bytes, std::uint64_t hash, std::size_t items_max) {
  if (hash > largest_ || items_max == 0 || contains(bytes, hash)) {
    return;
  }
  make_slots(items_.size() + 1);
  items_.push_back({hash, text_.size()});
  text_.append(bytes);
  if (!slots_.empty()) {
    enter(hash, items_.size() - 1);
  }
  if (items_.size() > kSlack * items_max) {
    shrink(items_max);
  }
}

void BoundedSet::prefetch(std::uint64_t hash) const {
  if (slots_.empty()) {
    prefetch_items();
  } else {
    __builtin_prefetch(&slots_[table_slot(hash, slots_.size())]);
  }
}

void BoundedSet::prefetch_items() const {
  __builtin_prefetch(items_.data());
  __builtin_prefetch(text_.data());
}

void BoundedSet::merge(const BoundedSet& other, std::size_t items_max) {
  constexpr std::size_t kAhead = 8;
  for (std::size_t item = 0; item < other.items_.size(); ++item) {
    prefetch(other.items_[std::min(item + kAhead, other.items_.size() - 1)].hash);
    add(other.bytes_of(item), other.items_[item].hash, items_max);
  }
}

std::vector<std::uint32_t> BoundedSet::smallest(std::size_t count) const {
  std::vector<std::uint32_t> kept(items_.size());
  std::iota(kept.begin(), kept.end(), 0U);
  const auto before = [this](std::uint32_t a, std::uint32_t b) {
    return items_[a].hash != items_[b].hash
               ? items_[a].hash < items_[b].hash
               : compare_dynamic(DynamicView(bytes_of(a)), DynamicView(bytes_of(b))) < 0;
  };
  count = std::min(count, kept.size());
  const auto end = kept.begin() + static_cast<std::ptrdiff_t>(count);
  if (count < kept.size()) {
    std::ranges::nth_element(kept, end, before);
  }
  std::sort(kept.begin(), end, before);
  kept.resize(count);
  return kept;
}

// Items move down in the order in which they lie.
void BoundedSet::shrink(std::size_t items_max) {
  largest_ = items_[smallest(items_max).back()].hash;
  std::size_t kept = 0;
  std::size_t end = 0;
  for (std::size_t item = 0; item < items_.size(); ++item) {
    const std::string_view bytes = bytes_of(item);
    if (items_[item].hash <= largest_) {
      std::copy(bytes.begin(), bytes.end(), text_.begin() + static_cast<std::ptrdiff_t>(end));
      items_[kept++] = {items_[item].hash, end};
      end += bytes.size();
    }
  }
  items_.resize(kept);
  text_.resize(end);
  slots_.clear();
  make_slots(items_.size());
}

std::vector<DynamicView> BoundedSet::sorted(std::size_t items_max, std::size_t bytes_max) const {
  std::vector<DynamicView> views;
  if (items_.size() <= items_max && text_.size() <= bytes_max) {
    views.reserve(items_.size());
    for (std::size_t item = 0; item < items_.size(); ++item) {
      views.emplace_back(bytes_of(item));
    }
  } else {
    std::size_t bytes = 0;
    for (const std::uint32_t item : smallest(items_max)) {
      bytes += bytes_of(item).size();
      if (bytes <= bytes_max) {
        views.emplace_back(bytes_of(item));
      }
    }
  }
  sort_values(&views);
  return views;
}

}  // namespace evq

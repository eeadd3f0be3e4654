#include "apl/functions/bounded_set.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "apl/functions/table_slot.h"
#include "apl/functions/value_hash.h"
#include "store/column/text_order.h"

namespace evq {
namespace {

// So many times the items that are kept may be held before those of larger hash are dropped.
constexpr std::size_t kSlack = 2;
// So many items are looked through.
constexpr std::size_t kFewMax = 8;
// Of so many strings a list to sort them by costs more than it saves.
constexpr std::size_t kComparedMax = 16;

std::uint32_t tag_of(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash >> 32U);
}

// Calls visit(place, bytes) for each of the values that lie one after the other.
template <class Visit>
void for_each_value(std::string_view text, const Visit& visit) {
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view bytes = text.substr(at, dynamic_size(text.substr(at)));
    visit(at, bytes);
    at += bytes.size();
  }
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
    std::ranges::sort(*views, [](DynamicView a, DynamicView b) {
      const bool longs = a.tag() == DynamicTag::kLong && b.tag() == DynamicTag::kLong;
      return longs ? a.as_integer() < b.as_integer() : compare_dynamic(a, b) < 0;
    });
  }
}

}  // namespace

// A value's bytes tell where it ends, so that one which begins with another is that.
bool BoundedSet::few_contain(std::string_view bytes) const {
  const std::string_view text = text_;
  for (std::size_t at = 0; at < text.size(); at += dynamic_size(text.substr(at))) {
    if (text.compare(at, bytes.size(), bytes) == 0) {
      return true;
    }
  }
  return false;
}

bool BoundedSet::contains(std::string_view bytes, std::uint64_t hash) const {
  const std::vector<Slot>& slots = index_->slots;
  const std::size_t mask = slots.size() - 1;
  for (std::size_t at = table_slot(hash, slots.size()); slots[at].item != 0; at = (at + 1) & mask) {
    const std::size_t item = slots[at].item - 1;
    if (slots[at].tag == tag_of(hash) && index_->items[item].hash == hash &&
        bytes_of(index_->items, item) == bytes) {
      return true;
    }
  }
  return false;
}

void BoundedSet::Index::enter(std::uint64_t hash, std::size_t item) {
  const std::size_t mask = slots.size() - 1;
  std::size_t at = table_slot(hash, slots.size());
  while (slots[at].item != 0) {
    at = (at + 1) & mask;
  }
  slots[at] = {tag_of(hash), static_cast<std::uint32_t>(item + 1)};
}

void BoundedSet::Index::make_slots(std::size_t count) {
  if (count * 2 <= slots.size()) {
    return;
  }
  slots.assign(std::bit_ceil(count * 3), Slot{});
  for (std::size_t item = 0; item < items.size(); ++item) {
    enter(items[item].hash, item);
  }
}

std::vector<BoundedSet::Item> BoundedSet::few_items() const {
  std::vector<Item> items;
  items.reserve(few_ + 1);  // an index is about to get one more
  for_each_value(text_, [&](std::size_t at, std::string_view bytes) {
    items.push_back({sketch_hash(DynamicView(bytes)), at});
  });
  return items;
}

void BoundedSet::make_index() {
  index_ = std::make_unique<Index>();
  index_->items = few_items();
  index_->make_slots(few_ + 1);
}

void BoundedSet::add(std::string_view bytes, std::uint64_t hash, std::size_t items_max) {
  if (items_max == 0) {
    return;
  }
  if (index_ == nullptr) {
    if (few_contain(bytes)) {
      return;
    }
    if (few_ < std::min(kFewMax, items_max)) {
      text_.append(bytes);
      ++few_;
      return;
    }
    make_index();
  } else if (hash > index_->largest || contains(bytes, hash)) {
    return;
  }
  std::vector<Item>& items = index_->items;
  index_->make_slots(items.size() + 1);
  items.push_back({hash, text_.size()});
  text_.append(bytes);
  index_->enter(hash, items.size() - 1);
  if (items.size() > kSlack * items_max) {
    shrink(items_max);
  }
}

void BoundedSet::prefetch(std::uint64_t hash) const {
  if (index_ == nullptr) {
    prefetch_items();
  } else {
    __builtin_prefetch(&index_->slots[table_slot(hash, index_->slots.size())]);
  }
}

void BoundedSet::prefetch_items() const {
  __builtin_prefetch(text_.data());
  if (index_ != nullptr) {
    __builtin_prefetch(index_->items.data());
  }
}

void BoundedSet::merge(const BoundedSet& other, std::size_t items_max) {
  if (other.index_ == nullptr) {
    if (text_.empty()) {
      text_ = other.text_;
      few_ = other.few_;
      return;
    }
    for_each_value(other.text_, [&](std::size_t, std::string_view bytes) {
      add(bytes, sketch_hash(DynamicView(bytes)), items_max);
    });
    return;
  }
  constexpr std::size_t kAhead = 8;
  const std::vector<Item>& items = other.index_->items;
  for (std::size_t item = 0; item < items.size(); ++item) {
    prefetch(items[std::min(item + kAhead, items.size() - 1)].hash);
    add(other.bytes_of(items, item), items[item].hash, items_max);
  }
}

std::vector<std::uint32_t> BoundedSet::smallest(std::span<const Item> items,
                                                std::size_t count) const {
  std::vector<std::uint32_t> kept(items.size());
  std::iota(kept.begin(), kept.end(), 0U);
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return items[a].hash != items[b].hash ? items[a].hash < items[b].hash
                                          : compare_dynamic(DynamicView(bytes_of(items, a)),
                                                            DynamicView(bytes_of(items, b))) < 0;
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
  std::vector<Item>& items = index_->items;
  index_->largest = items[smallest(items, items_max).back()].hash;
  std::size_t kept = 0;
  std::size_t end = 0;
  for (std::size_t item = 0; item < items.size(); ++item) {
    const std::string_view bytes = bytes_of(items, item);
    if (items[item].hash <= index_->largest) {
      std::copy(bytes.begin(), bytes.end(), text_.begin() + static_cast<std::ptrdiff_t>(end));
      items[kept++] = {items[item].hash, end};
      end += bytes.size();
    }
  }
  items.resize(kept);
  text_.resize(end);
  index_->slots.clear();
  index_->make_slots(items.size());
}

std::vector<DynamicView> BoundedSet::sorted(std::size_t items_max, std::size_t bytes_max) const {
  std::vector<DynamicView> views;
  if (index_ == nullptr && text_.size() <= bytes_max) {
    views.reserve(few_);
    for_each_value(text_, [&](std::size_t, std::string_view bytes) { views.emplace_back(bytes); });
    sort_values(&views);
    return views;
  }
  const std::vector<Item> few = index_ == nullptr ? few_items() : std::vector<Item>();
  const std::span<const Item> items = index_ == nullptr ? few : index_->items;
  if (items.size() <= items_max && text_.size() <= bytes_max) {
    views.reserve(items.size());
    for (std::size_t item = 0; item < items.size(); ++item) {
      views.emplace_back(bytes_of(items, item));
    }
  } else {
    std::size_t bytes = 0;
    for (const std::uint32_t item : smallest(items, items_max)) {
      bytes += bytes_of(items, item).size();
      if (bytes <= bytes_max) {
        views.emplace_back(bytes_of(items, item));
      }
    }
  }
  sort_values(&views);
  return views;
}

}  // namespace evq

#include "apl/functions/bounded_set.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <span>

namespace evq {
namespace {

// So many times the items that are kept may be held before those of larger hash are dropped.
constexpr std::size_t kSlack = 2;
// So many items are looked through.
constexpr std::size_t kItemsWithoutSlots = 8;

std::uint32_t tag_of(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash >> 32U);
}

// ---- sorting

// A text, and eight of its bytes as a number that has their order.
struct KeyedText {
  std::uint64_t key;
  std::string_view text;
  std::string_view bytes;  // of the item
};

constexpr std::size_t kKeyBytes = sizeof(std::uint64_t);
constexpr std::size_t kTextsMin = 16;  // of fewer each pair is compared whole
constexpr unsigned kRoundsMax = 16;

std::uint64_t key_at(std::string_view text, std::size_t at) {
  std::uint64_t key = 0;
  std::memcpy(&key, text.data() + at, std::min(kKeyBytes, text.size() - at));
  return __builtin_bswap64(key);
}

std::size_t common_prefix(std::string_view a, std::string_view b) {
  const auto [end, other] = std::ranges::mismatch(a, b);
  return static_cast<std::size_t>(end - a.begin());
}

// Sorts different texts that are equal up to `depth`: by the eight bytes after what they have in
// common, then those that are equal in these by the next eight.
void sort_texts(std::span<KeyedText> texts, std::size_t depth, unsigned round) {
  const bool keyed = texts.size() >= kTextsMin && round < kRoundsMax;
  std::size_t common = texts.front().text.size();
  for (std::size_t i = 1; keyed && i < texts.size(); ++i) {
    common =
        std::min(common, depth + common_prefix(texts.front().text.substr(depth, common - depth),
                                               texts[i].text.substr(depth)));
  }
  if (!keyed) {
    std::ranges::sort(texts, {}, &KeyedText::text);
    return;
  }
  for (KeyedText& text : texts) {
    text.key = key_at(text.text, common);
  }
  std::ranges::sort(texts, {}, &KeyedText::key);
  const std::size_t next = common + kKeyBytes;
  for (std::size_t begin = 0; begin < texts.size();) {
    std::size_t end = begin;
    bool ended = false;  // a text that ended may have got zeros that another has
    for (; end < texts.size() && texts[end].key == texts[begin].key; ++end) {
      ended = ended || texts[end].text.size() < next;
    }
    const std::span<KeyedText> equal = texts.subspan(begin, end - begin);
    if (equal.size() > 1) {
      sort_texts(equal, ended ? common : next, ended ? kRoundsMax : round + 1);
    }
    begin = end;
  }
}

void sort_strings(std::vector<DynamicView>* views) {
  std::vector<KeyedText> texts;
  texts.reserve(views->size());
  for (const DynamicView view : *views) {
    texts.push_back({0, view.as_string(), view.bytes()});
  }
  sort_texts(texts, 0, 0);
  std::ranges::transform(texts, views->begin(),
                         [](const KeyedText& text) { return DynamicView(text.bytes); });
}

void sort_values(std::vector<DynamicView>* views) {
  if (views->size() > 1 && std::ranges::all_of(*views, &DynamicView::is_string)) {
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
  for (std::size_t at = hash & mask; slots_[at].item != 0; at = (at + 1) & mask) {
    if (slots_[at].tag == tag_of(hash) && is_item(slots_[at].item - 1, bytes, hash)) {
      return true;
    }
  }
  return false;
}

void BoundedSet::enter(std::uint64_t hash, std::size_t item) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
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
  if (!slots_.empty()) {
    __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]);
  }
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

#include "apl/functions/dynamic_elements.h"

#include <algorithm>
#include <utility>

#include "store/base/checksum.h"
#include "store/base/limits.h"

namespace evq {
namespace {

// Each level takes this much at least: its header.
constexpr std::size_t kLevelBytes = 9;

constexpr std::size_t kSetSlotsMin = 16;

std::uint32_t hash_of(DynamicView value) {
  static const std::uint64_t kSeed = random_seed();
  return static_cast<std::uint32_t>(hash_dynamic(value, kSeed));
}

bool within_depth(DynamicView value, std::size_t levels) {
  if ((!value.is_array() && !value.is_bag()) || value.bytes().size() < levels * kLevelBytes) {
    return true;
  }
  if (levels == 0) {
    return false;
  }
  DynamicView::Iterator each(value);
  while (each.next()) {
    if (!within_depth(each.value(), levels - 1)) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool is_wanted(DynamicView element, DynamicView wanted) {
  if (element.type() == Type::kTimespan && wanted.is_number()) {
    std::swap(element, wanted);
  }
  if (wanted.type() != Type::kTimespan || !element.is_number()) {
    return same_dynamic(element, wanted);
  }
  return element.tag() == DynamicTag::kLong
             ? element.as_integer() == wanted.as_integer()
             : compare_long_with_real(wanted.as_integer(), element.as_real()) == 0;
}

Elements elements_of(DynamicView container) {
  Elements elements;
  elements.reserve(container.size());
  DynamicView::Iterator each(container);
  while (each.next()) {
    elements.push_back(each.value());
  }
  return elements;
}

void add_array(std::span<const DynamicView> elements, DynamicBuilder* out) {
  out->begin_array();
  for (const DynamicView& element : elements) {
    out->add_encoded(element);
  }
  out->end_array();
}

bool may_fit_together(std::span<const DynamicView> values) {
  std::size_t bytes = 0;
  for (const DynamicView& value : values) {
    bytes += value.bytes().size() - std::min(value.bytes().size(), kLevelBytes);
  }
  return bytes <= kStringValueBytesMax;
}

DynamicBytes array_of(std::span<const DynamicView> elements) {
  if (!may_fit_together(elements)) {
    return {};
  }
  DynamicBuilder out;
  add_array(elements, &out);
  return {out.take()};
}

bool DynamicSet::insert(DynamicView value) {
  if (2 * values_.size() >= slots_.size()) {
    grow();
  }
  const std::uint32_t hash = hash_of(value);
  Slot& slot = slots_[slot_of(value, hash)];
  if (slot.number != 0) {
    return false;
  }
  values_.push_back(value);
  slot = {hash, static_cast<std::uint32_t>(values_.size())};
  return true;
}

bool DynamicSet::contains(DynamicView value) const {
  return !slots_.empty() && slots_[slot_of(value, hash_of(value))].number != 0;
}

std::size_t DynamicSet::slot_of(DynamicView value, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].number != 0 &&
         (slots_[at].hash != hash || !same_dynamic(values_[slots_[at].number - 1], value))) {
    at = (at + 1) & mask;
  }
  return at;
}

void DynamicSet::grow() {
  ScratchVector<Slot> slots(std::max(kSetSlotsMin, 2 * slots_.size()));
  const std::size_t mask = slots.size() - 1;
  for (const Slot& taken : slots_) {
    std::size_t at = taken.hash & mask;
    while (taken.number != 0 && slots[at].number != 0) {
      at = (at + 1) & mask;
    }
    if (taken.number != 0) {
      slots[at] = taken;
    }
  }
  slots_ = std::move(slots);
}

bool within_dynamic_limits(DynamicView value) {
  return value.bytes().size() <= kStringValueBytesMax && value.size() <= kListItemsMax &&
         within_depth(value, kDynamicDepthMax);
}

}  // namespace evq

#include "apl/functions/dynamic_elements.h"

#include <algorithm>
#include <utility>

#include "store/base/allocation_meter.h"
#include "store/base/limits.h"

namespace evq {
namespace {

// Each level takes this much at least: its header.
constexpr std::size_t kLevelBytes = 9;

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

std::vector<DynamicView> elements_of(DynamicView container) {
  std::vector<DynamicView> elements;
  if (container.size() > kListItemsMax) {  // of an event, then
    AllocationMeter::charge(container.size() * sizeof(DynamicView));
  }
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

bool within_dynamic_limits(DynamicView value) {
  return value.bytes().size() <= kStringValueBytesMax && value.size() <= kListItemsMax &&
         within_depth(value, kDynamicDepthMax);
}

}  // namespace evq

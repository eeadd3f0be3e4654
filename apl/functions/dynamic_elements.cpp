#include "apl/functions/dynamic_elements.h"

#include <cmath>

#include "store/base/limits.h"

namespace evq {
namespace {

bool within_depth(DynamicView value, std::size_t levels) {
  if (!value.is_array() && !value.is_bag()) {
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

std::vector<DynamicView> elements_of(DynamicView container) {
  std::vector<DynamicView> elements;
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

DynamicBytes array_of(std::span<const DynamicView> elements) {
  DynamicBuilder out;
  add_array(elements, &out);
  return {out.take()};
}

bool within_dynamic_limits(DynamicView value) {
  return value.bytes().size() <= kStringValueBytesMax && value.size() <= kListItemsMax &&
         within_depth(value, kDynamicDepthMax);
}

}  // namespace evq

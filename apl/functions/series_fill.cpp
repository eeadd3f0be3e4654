// Functions that fill the gaps of a series. Elements are copied as they are, so integers stay
// integers; only the line between two numbers needs reals. A gap is a null, or an element that
// equals the placeholder given.

#include <array>
#include <optional>

#include "apl/functions/dynamic_elements.h"
#include "apl/functions/number_series.h"
#include "apl/functions/registry.h"

namespace evq {
namespace {

using MaybeArray = std::optional<DynamicBytes>;
using Placeholder = std::optional<DynamicView>;

bool is_gap(DynamicView value, const Placeholder& placeholder) {
  return value.is_null() || (placeholder.has_value() && same_dynamic(value, *placeholder));
}

MaybeArray fill_const(DynamicView array, DynamicView filler, Placeholder placeholder) {
  if (!array.is_array()) {
    return std::nullopt;
  }
  std::vector<DynamicView> elements = elements_of(array);
  for (DynamicView& element : elements) {
    if (is_gap(element, placeholder)) {
      element = filler;
    }
  }
  return array_of(elements);
}

// Walks from one end to the other and repeats the last element that was no gap.
template <class Iterator>
void repeat_last(Iterator begin, Iterator end, const Placeholder& placeholder) {
  DynamicView last;
  for (; begin != end; ++begin) {
    if (!is_gap(*begin, placeholder)) {
      last = *begin;
    } else if (!last.is_null()) {
      *begin = last;
    }
  }
}

MaybeArray fill_forward(DynamicView array, Placeholder placeholder) {
  if (!array.is_array()) {
    return std::nullopt;
  }
  std::vector<DynamicView> elements = elements_of(array);
  repeat_last(elements.begin(), elements.end(), placeholder);
  return array_of(elements);
}
MaybeArray fill_backward(DynamicView array, Placeholder placeholder) {
  if (!array.is_array()) {
    return std::nullopt;
  }
  std::vector<DynamicView> elements = elements_of(array);
  repeat_last(elements.rbegin(), elements.rend(), placeholder);
  return array_of(elements);
}

MaybeArray fill_linear(DynamicView array, Placeholder placeholder, std::optional<bool> edges,
                       std::optional<DynamicView> constant) {
  if (!array.is_array()) {
    return std::nullopt;
  }
  NumberSeries series;
  std::size_t first = array.size();
  std::size_t last = 0;
  DynamicView::Iterator each(array);
  while (each.next()) {
    const DynamicView value = each.value();
    const bool number = value.is_number() && !is_gap(value, placeholder);
    if (number) {
      first = std::min(first, series.size());
      last = series.size();
    }
    series.values.push_back(number ? std::optional(value.as_real()) : std::nullopt);
  }
  const std::vector<double> filled = series.filled();
  const double fallback = constant.has_value() && constant->is_number() ? constant->as_real() : 0.0;
  DynamicBuilder out;
  out.begin_array();
  for (std::size_t i = 0; i < filled.size(); ++i) {
    const bool edge = i < first || i > last;
    if (first == filled.size()) {
      out.add_real(fallback);  // no number at all
    } else if (edge && !edges.value_or(true)) {
      out.add_null();
    } else {
      out.add_real(filled[i]);
    }
  }
  out.end_array();
  return DynamicBytes{out.take()};
}

constexpr std::string_view kFillReturns = "An array; null when the first argument is no array.";

constexpr std::array<ScalarFunction, 4> kSeriesFillFunctions = {{
    {.name = "series_fill_backward",
     .category = "series",
     .summary = "Fills each gap with the next value.",
     .params = {{{"series", "An array."},
                 {"[placeholder]", "A value that counts as a gap besides null."}}},
     .returns = kFillReturns,
     .examples = {{{"print series_fill_backward(dynamic([null, 1, null, 3, null]))",
                    "[1,1,3,3,null]"}}},
     .overloads = {lift<fill_backward>()}},
    {.name = "series_fill_const",
     .category = "series",
     .summary = "Fills each gap with one value.",
     .params = {{{"series", "An array."},
                 {"value", "The value to fill with."},
                 {"[placeholder]", "A value that counts as a gap besides null."}}},
     .returns = kFillReturns,
     .examples = {{{"print series_fill_const(dynamic([1, null, 3]), 0)", "[1,0,3]"}}},
     .overloads = {lift<fill_const>()}},
    {.name = "series_fill_forward",
     .category = "series",
     .summary = "Fills each gap with the value before it.",
     .params = {{{"series", "An array."},
                 {"[placeholder]", "A value that counts as a gap besides null."}}},
     .returns = kFillReturns,
     .examples = {{{"print series_fill_forward(dynamic([null, 1, null, 3]))", "[null,1,1,3]"}}},
     .overloads = {lift<fill_forward>()}},
    {.name = "series_fill_linear",
     .category = "series",
     .summary = "Fills the gaps along the line between the numbers around them.",
     .params = {{{"series", "An array of numbers."},
                 {"[placeholder]", "A value that counts as a gap besides null."},
                 {"[edges]",
                  "Whether gaps at the ends take the nearest number, true when left out."},
                 {"[constant]", "The value of a series without any number, 0 when left out."}}},
     .returns = "An array of reals; null when the first argument is no array.",
     .examples = {{{"print series_fill_linear(dynamic([null, 1, null, 3, null]))", "[1,1,2,3,3]"}}},
     .overloads = {lift<fill_linear>()}},
}};

}  // namespace

std::span<const ScalarFunction> series_fill_functions() {
  return kSeriesFillFunctions;
}

}  // namespace evq

// Functions that fill the gaps of a series. Elements are copied as they are, so integers stay
// integers; only the line between two numbers needs reals, and that between two times is of times.
// A gap is a null, or an element that equals the placeholder given.

#include <array>
#include <optional>
#include <span>
#include <vector>

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

// The type that all values are of besides gaps when that is datetime or timespan.
std::optional<DynamicTag> tag_of_times(std::span<const DynamicView> elements,
                                       const Placeholder& placeholder) {
  std::optional<DynamicTag> tag;
  for (const DynamicView& element : elements) {
    if (is_gap(element, placeholder)) {
      continue;
    }
    if (tag.has_value() && element.tag() != *tag) {
      return std::nullopt;
    }
    tag = element.tag();
  }
  const bool times = tag == DynamicTag::kDatetime || tag == DynamicTag::kTimespan;
  return times ? tag : std::nullopt;
}

// Of numbers, or of times by their distances from the first one, which a real tells better.
class FilledLine {
 public:
  FilledLine(std::span<const DynamicView> elements, const Placeholder& placeholder)
      : elements_(elements), times_(tag_of_times(elements, placeholder)) {
    for (const DynamicView& element : elements) {
      const bool gap = is_gap(element, placeholder);
      series_.values.push_back(gap ? std::nullopt : number(element));
      if (series_.values.back().has_value()) {
        first_ = std::min(first_, series_.size() - 1);
        last_ = series_.size() - 1;
      }
    }
    filled_ = series_.filled();
  }

  bool has_numbers() const { return first_ < series_.size(); }
  bool is_edge(std::size_t i) const { return i < first_ || i > last_; }
  void add(std::size_t i, DynamicBuilder* out) const {
    if (!times_.has_value()) {
      out->add_real(filled_[i]);
    } else if (series_.values[i].has_value()) {
      out->add_encoded(elements_[i]);
    } else {
      const auto ns = static_cast<std::int64_t>(static_cast<long double>(*origin_) +
                                                static_cast<long double>(filled_[i]));
      *times_ == DynamicTag::kDatetime ? out->add_datetime(ns) : out->add_timespan(ns);
    }
  }

 private:
  std::optional<double> number(DynamicView element) {
    if (!times_.has_value()) {
      return series_number(element);
    }
    const std::int64_t ns = element.as_integer();
    origin_ = origin_.value_or(ns);
    return static_cast<double>(static_cast<long double>(ns) - static_cast<long double>(*origin_));
  }

  std::span<const DynamicView> elements_;
  std::optional<DynamicTag> times_;
  std::optional<std::int64_t> origin_;
  NumberSeries series_;
  std::size_t first_ = SIZE_MAX;  // number
  std::size_t last_ = 0;
  std::vector<double> filled_;
};

MaybeArray fill_linear(DynamicView array, Placeholder placeholder, std::optional<bool> edges,
                       std::optional<DynamicView> constant) {
  if (!array.is_array()) {
    return std::nullopt;
  }
  const std::vector<DynamicView> elements = elements_of(array);
  const FilledLine line(elements, placeholder);
  const double fallback = constant.has_value() && constant->is_number() ? constant->as_real() : 0.0;
  DynamicBuilder out;
  out.begin_array();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (!line.has_numbers()) {
      out.add_real(fallback);
    } else if (line.is_edge(i) && !edges.value_or(true)) {
      out.add_encoded(elements[i]);
    } else {
      line.add(i, &out);
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
                  "Whether gaps at the ends take the nearest number, true when left out; else they "
                  "stay as they are."},
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

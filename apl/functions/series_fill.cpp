// Functions that fill the gaps of a series. Elements are copied as they are, so integers stay
// integers; only the line between two numbers needs reals, and that between two times is of times.
// A gap is a null, or an element that equals the placeholder given.

#include <array>
#include <optional>
#include <span>

#include "apl/functions/dynamic_elements.h"
#include "apl/functions/number_series.h"
#include "apl/functions/registry.h"

namespace evq {
namespace {

using Placeholder = std::optional<DynamicView>;

bool is_gap(DynamicView value, const Placeholder& placeholder) {
  return value.is_null() || (placeholder.has_value() && same_dynamic(value, *placeholder));
}

MaybeDynamic fill_const(DynamicView array, DynamicView filler, Placeholder placeholder) {
  if (!array.is_array()) {
    return std::nullopt;
  }
  Elements elements = elements_of(array);
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

MaybeDynamic fill_forward(DynamicView array, Placeholder placeholder) {
  if (!array.is_array()) {
    return std::nullopt;
  }
  Elements elements = elements_of(array);
  repeat_last(elements.begin(), elements.end(), placeholder);
  return array_of(elements);
}
MaybeDynamic fill_backward(DynamicView array, Placeholder placeholder) {
  if (!array.is_array()) {
    return std::nullopt;
  }
  Elements elements = elements_of(array);
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

__extension__ using Int128 = __int128;

// Nanoseconds of times, exactly, whatever lies between them.
std::int64_t time_between(std::int64_t left, std::int64_t right, std::size_t step,
                          std::size_t steps) {
  const Int128 distance = static_cast<Int128>(right) - left;
  return static_cast<std::int64_t>(left + distance * static_cast<Int128>(step) /
                                              static_cast<Int128>(steps));
}

// Of numbers, or of times.
class FilledLine {
 public:
  FilledLine(std::span<const DynamicView> elements, const Placeholder& placeholder)
      : elements_(elements), times_(tag_of_times(elements, placeholder)) {
    NumberSeries series;
    ScratchVector<std::optional<std::int64_t>> times;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const bool gap = is_gap(elements[i], placeholder);
      series.values.push_back(gap || times_.has_value() ? std::nullopt
                                                        : series_number(elements[i]));
      times.push_back(gap || !times_.has_value() ? std::nullopt
                                                 : std::optional(elements[i].as_integer()));
      if (series.values.back().has_value() || times.back().has_value()) {
        first_ = std::min(first_, i);
        last_ = i;
      }
    }
    numbers_ = series.filled();
    ns_ = fill_gaps(times, time_between);
  }

  bool has_numbers() const { return first_ < elements_.size(); }
  bool is_edge(std::size_t i) const { return i < first_ || i > last_; }
  void add(std::size_t i, DynamicBuilder* out) const {
    if (times_ == DynamicTag::kDatetime) {
      out->add_datetime(ns_[i]);
    } else if (times_ == DynamicTag::kTimespan) {
      out->add_timespan(ns_[i]);
    } else {
      out->add_real(numbers_[i]);
    }
  }

 private:
  std::span<const DynamicView> elements_;
  std::optional<DynamicTag> times_;
  std::size_t first_ = SIZE_MAX;  // number or time
  std::size_t last_ = 0;
  Numbers numbers_;
  ScratchVector<std::int64_t> ns_;
};

MaybeDynamic fill_linear(DynamicView array, Placeholder placeholder, std::optional<bool> edges,
                         std::optional<DynamicView> constant) {
  if (!array.is_array()) {
    return std::nullopt;
  }
  const Elements elements = elements_of(array);
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

constexpr ParameterDoc kPlaceholder{
    "[placeholder]", "A value that counts as a gap besides null; none when it is null or left out.",
    true};
constexpr std::string_view kFillReturns = "An array; null when the first argument is no array.";

constexpr std::array<ScalarFunction, 4> kSeriesFillFunctions = {{
    {.name = "series_fill_backward",
     .category = "series",
     .summary = "Fills each gap with the next value.",
     .params = {{{"series", "An array."}, kPlaceholder}},
     .returns = kFillReturns,
     .examples = {{{"print series_fill_backward(dynamic([null, 1, null, 3, null]))",
                    "[1,1,3,3,null]"}}},
     .overloads = {lift<fill_backward>()},
     .result_name = ResultName::kArgument},
    {.name = "series_fill_const",
     .category = "series",
     .summary = "Fills each gap with one value.",
     .params = {{{"series", "An array."}, {"value", "The value to fill with."}, kPlaceholder}},
     .returns = kFillReturns,
     .examples = {{{"print series_fill_const(dynamic([1, null, 3]), 0)", "[1,0,3]"}}},
     .overloads = {lift<fill_const>()},
     .result_name = ResultName::kArgument},
    {.name = "series_fill_forward",
     .category = "series",
     .summary = "Fills each gap with the value before it.",
     .params = {{{"series", "An array."}, kPlaceholder}},
     .returns = kFillReturns,
     .examples = {{{"print series_fill_forward(dynamic([null, 1, null, 3]))", "[null,1,1,3]"}}},
     .overloads = {lift<fill_forward>()},
     .result_name = ResultName::kArgument},
    {.name = "series_fill_linear",
     .category = "series",
     .summary = "Fills the gaps along the line between the numbers around them.",
     .params = {{{"series", "An array of numbers."},
                 kPlaceholder,
                 {"[edges]",
                  "Whether gaps at the ends take the nearest number, true when left out; else they "
                  "stay as they are."},
                 {"[constant]",
                  "The value of a series without any number, 0 when null or left out.", true}}},
     .returns = "An array of reals; null when the first argument is no array.",
     .examples = {{{"print series_fill_linear(dynamic([null, 1, null, 3, null]))", "[1,1,2,3,3]"}}},
     .overloads = {lift<fill_linear>()},
     .result_name = ResultName::kArgument},
}};

}  // namespace

std::span<const ScalarFunction> series_fill_functions() {
  return kSeriesFillFunctions;
}

}  // namespace evq

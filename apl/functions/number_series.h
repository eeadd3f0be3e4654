#pragma once
// NumberSeries: an array of numbers as a vector of doubles with gaps, which is what the series
// functions compute with, and the way back. Timespans count as their nanoseconds; other elements
// become gaps. Infinities and NaN are numbers while computing and gaps in the result's JSON.

#include <cstddef>
#include <optional>

#include "apl/functions/lift.h"
#include "store/base/scratch.h"
#include "store/column/dynamic.h"

namespace evq {

using Numbers = ScratchVector<double>;
using NumbersWithGaps = ScratchVector<std::optional<double>>;

// Returns the values with each gap filled by `between(left, right, step, steps)` of its neighbours,
// 0 < step < steps, and at the ends by the nearest value; T() when there are no values.
template <class T, class Between>
ScratchVector<T> fill_gaps(const ScratchVector<std::optional<T>>& values, const Between& between) {
  ScratchVector<T> filled(values.size());
  std::optional<std::size_t> before;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i].has_value()) {
      continue;
    }
    filled[i] = *values[i];
    for (std::size_t j = before.has_value() ? *before + 1 : 0; j < i; ++j) {
      filled[j] = before.has_value() ? between(filled[*before], filled[i], j - *before, i - *before)
                                     : filled[i];
    }
    before = i;
  }
  for (std::size_t j = before.value_or(values.size()) + 1; j < values.size(); ++j) {
    filled[j] = filled[*before];
  }
  return filled;
}

struct NumberSeries {
  NumbersWithGaps values;
  bool integers = true;    // every number was a long
  bool timespans = false;  // every number was a timespan, and there was one

  std::size_t size() const { return values.size(); }
  // Reads an array; nullopt when it is none.
  static std::optional<NumberSeries> read(DynamicView array);
  // Returns the numbers without the gaps.
  Numbers present() const;
  // Returns the numbers, gaps filled along a line between their neighbours and at the ends with the
  // nearest number, 0 when there are none.
  Numbers filled() const;
};

void add_number(std::optional<double> value, DynamicBuilder* out);
void add_numbers(const Numbers& values, DynamicBuilder* out);
// Reads one element: a long, real or timespan; nullopt for others.
std::optional<double> series_number(DynamicView value);
DynamicBytes series_of(const NumbersWithGaps& values);
// Makes an array of timespans of nanoseconds.
DynamicBytes timespans_of(const NumbersWithGaps& values);
DynamicBytes series_of(const Numbers& values);

// The mean and sample variance (n - 1; 0 for one number), computed in two passes.
struct SeriesMoments {
  double mean = 0;
  double variance = 0;
};
SeriesMoments moments_of(const Numbers& values);

}  // namespace evq

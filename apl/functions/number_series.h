#pragma once
// NumberSeries: an array of numbers as a vector of doubles with gaps, which is what the series
// functions compute with, and the way back. Elements that are no numbers become gaps; infinities
// and NaN are numbers while computing and gaps in the result's JSON.

#include <cstddef>
#include <optional>
#include <vector>

#include "apl/functions/lift.h"
#include "store/column/dynamic.h"

namespace evq {

struct NumberSeries {
  std::vector<std::optional<double>> values;
  bool integers = true;  // every number was a long

  std::size_t size() const { return values.size(); }
  // Nothing when `array` is no array.
  static std::optional<NumberSeries> read(DynamicView array);
  // The numbers without the gaps.
  std::vector<double> present() const;
  // The numbers, gaps filled along a line between their neighbours and at the ends with the
  // nearest number, 0 when there are none.
  std::vector<double> filled() const;
};

void add_number(std::optional<double> value, DynamicBuilder* out);
void add_numbers(const std::vector<double>& values, DynamicBuilder* out);
DynamicBytes series_of(const std::vector<std::optional<double>>& values);
DynamicBytes series_of(const std::vector<double>& values);

// Mean and sample variance (n - 1; 0 for one number) in two passes.
struct Moments {
  double mean = 0;
  double variance = 0;
};
Moments moments_of(const std::vector<double>& values);

}  // namespace evq

#pragma once
// The line that fits a series best by least squares, x being the index; shared by the functions
// that give it and by those that take a trend out of a series.

#include <cstddef>
#include <optional>

#include "apl/functions/number_series.h"

namespace evq {

struct Line {
  double slope = 0;
  double intercept = 0;
  double rsquare = 0;
  double variance = 0;           // of the series
  double residual_variance = 0;  // of the residuals
  Numbers fit;                   // at every place of the series, also at gaps
};

// Fits over the places that have a number; nullopt when they are fewer than two.
std::optional<Line> fit_line(const NumberSeries& series);

}  // namespace evq

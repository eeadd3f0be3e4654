#pragma once
// What the pictures of chart.h have in common: the range of the values, the scale of an axis with
// its round labels, and texts that fit. All functions are pure.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal/chart.h"

namespace evq {

constexpr std::size_t kChartWidthMin = 24;

struct ChartRange {
  double low = 0;
  double high = 1;
};

bool is_drawable(double value);
// Limits a value to those whose differences do not overflow; others are drawn at the edge.
double bounded(double value);
// Returns the range of all finite values, with zero where it is wanted or not far away; an empty
// one is widened so that it can be divided.
ChartRange range_of(const std::vector<ChartSeries>& series, bool with_zero);
// Returns `range` with the ends that the options name instead of its own.
ChartRange chosen_range(ChartRange range, const ChartOptions& options);

// A vertical axis of some rows: its ends and, for each row from the top, its label or nothing.
struct ChartScale {
  ChartRange range;
  std::vector<std::string> labels;
};
// Makes the scale of an axis. At least two rows have labels unless numbers cannot tell its steps
// apart. Ends that the options do not name are widened to whole steps.
ChartScale scale_of(const std::vector<ChartSeries>& series, const ChartOptions& options,
                    std::size_t rows);

// Cuts a label to what is visible of it in at most `width` cells.
std::string label_text(std::string_view label, std::size_t width, bool unicode);
std::string padded(const std::string& text, std::size_t width, bool right);
// Lists the names of the series behind their marks, as many a line as fit; nothing for one without
// a name. `marks` are taken in turn; without any each series has its own of chart_canvas.h.
std::string legend(const std::vector<ChartSeries>& series, std::span<const std::string_view> marks,
                   const ChartOptions& options);

}  // namespace evq

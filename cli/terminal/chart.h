#pragma once
// Pictures of numbers for a terminal: series over an axis as lines or as points, bars for
// categories, and sparklines. Braille dots and block elements where the terminal has Unicode, plain
// characters otherwise. Numbers that are not finite are gaps. Labels may be any bytes. All
// functions are pure; a text ends with a line break unless it is empty.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evq {

struct ChartSeries {
  std::string name;  // shown in the legend; a single series without a name has none
  std::vector<double> values;
  std::vector<double> places = {};  // of the values on a horizontal axis of numbers; or empty
};

struct ChartOptions {
  std::size_t width = 80;     // of the whole picture, labels included; too small ones are raised
  std::size_t height = 16;    // rows of the plot itself
  std::size_t lines_max = 0;  // of the whole picture; a plot gets fewer rows, but five. 0: no limit
  bool unicode = true;
  bool color = false;
  bool area = false;    // fills what is under the first series
  bool joined = false;  // lines from point to point where values have places, which then ascend
  // Ends of the axis of values instead of those that the values need; nothing is drawn beyond.
  std::optional<double> low = std::nullopt;
  std::optional<double> high = std::nullopt;
  bool shares = false;  // bars say which part of the whole they are
  // Sparklines have a scale of their own each, so that small series show their shape, too.
  bool own_scales = false;
};

// Draws values number i of all series above label number i; labels are shown where there is room.
// More values than columns: each column shows the span of its values, so that no peak is lost.
// Groups, as the days of hours, are of one label each and stand in a line below, under the first
// label that is shown and where they change. They are plain ASCII.
std::string line_chart(const std::vector<ChartSeries>& series,
                       const std::vector<std::string>& labels, const ChartOptions& options,
                       const std::vector<std::string>& groups = {});

// The scale of an axis of numbers: its ends, and labels at equal steps from one to the other.
struct ChartAxis {
  double low = 0;
  double high = 1;  // above `low`
  std::vector<std::string> labels;
  std::vector<std::string> groups = {};  // of the labels, as in line_chart; or none
};
// Makes an axis from `low` to `high`, widened so that about `count` labels are round numbers.
ChartAxis number_axis(double low, double high, std::size_t count);
// Draws a point for each value at its place; nothing joins them unless the options say so. Values
// without a place are left out, and those beyond the axis stand at its end.
std::string scatter_chart(const std::vector<ChartSeries>& series, const ChartAxis& axis,
                          const ChartOptions& options);

struct ChartBar {
  std::string label;
  double value = 0;
};

// Draws one row a bar; negative values go to the left of a common zero.
std::string bar_chart(const std::vector<ChartBar>& bars, const ChartOptions& options);

// Draws one row a bar, made of a part of each series with the label's number; numbers below zero
// have none. With `as_shares` all bars are as long as each other.
std::string stacked_chart(const std::vector<std::string>& labels,
                          const std::vector<ChartSeries>& parts, bool as_shares,
                          const ChartOptions& options);

// Draws at most `width` characters, without a line break; several values that share one are
// averaged. Its lowest mark is `low`, its highest `high`.
std::string sparkline(const std::vector<double>& values, std::size_t width, double low, double high,
                      bool unicode);
// Draws one row a series: its name, its sparkline, its smallest, greatest and last value.
std::string spark_table(const std::vector<ChartSeries>& series, const ChartOptions& options);

// Whether zero is among the values or near them compared with their spread: a picture of them
// without it would exaggerate.
bool zero_belongs(const std::vector<ChartSeries>& series);

// Returns round numbers that divide low..high into at most `count` steps, ascending; at least one.
std::vector<double> axis_ticks(double low, double high, std::size_t count);

}  // namespace evq

#include "cli/terminal/chart.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "cli/terminal/chart_canvas.h"
#include "cli/terminal/chart_scale.h"
#include "cli/terminal/style.h"
#include "cli/terminal/text_width.h"

namespace evq {

namespace {

constexpr std::size_t kHeightMin = 3;
constexpr std::size_t kHeightFitted = 5;  // a picture with fewer rows would say nothing

// The row of points, from the top, that a value belongs to.
std::size_t point_row(double value, const ChartRange& range, std::size_t high) {
  const double share = (bounded(value) - range.low) / (range.high - range.low);
  const double place = std::round((1 - share) * static_cast<double>(high - 1));
  return static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(high - 1)));
}

struct PathPoint {
  std::size_t x = 0;  // a column of points
  double value = 0;
};

double value_between(const PathPoint& a, const PathPoint& b, double x) {
  const double span = static_cast<double>(b.x) - static_cast<double>(a.x);
  const double share = span == 0 ? 0 : (x - static_cast<double>(a.x)) / span;
  return bounded(a.value) * (1 - share) + bounded(b.value) * share;
}

// Draws one series: neighbours are joined, a column with several values spans them. What is beyond
// the ends of the axis is not drawn.
class Path {
 public:
  Path(ChartCanvas& canvas, const ChartRange& range, std::size_t series, bool filled)
      : canvas_(canvas), range_(range), series_(series), filled_(filled) {}

  void add(std::size_t x, double value) {
    if (!is_drawable(value)) {
      joined_ = false;
      return;
    }
    const PathPoint point = {x, value};
    draw_between(joined_ ? last_ : point, point);
    joined_ = true;
    last_ = point;
  }

 private:
  void draw_between(const PathPoint& from, const PathPoint& to) {
    const double low = std::min(bounded(from.value), bounded(to.value));
    const double high = std::max(bounded(from.value), bounded(to.value));
    if (high >= range_.low && low <= range_.high) {
      canvas_.draw_line(visible_x(from, to), row(from.value), visible_x(to, from), row(to.value),
                        series_);
    }
    for (std::size_t x = from.x; filled_ && x <= to.x; ++x) {
      fill(x, value_between(from, to, static_cast<double>(x)));
    }
    if (filled_ && from.x == to.x) {
      fill(to.x, to.value);
    }
  }
  std::size_t row(double value) const { return point_row(value, range_, canvas_.points_high()); }
  // Where a line from a point that is beyond an end of the axis comes into sight.
  static std::size_t crossing(const PathPoint& from, const PathPoint& to, double edge) {
    const double share = (edge - bounded(from.value)) / (bounded(to.value) - bounded(from.value));
    const double span = static_cast<double>(to.x) - static_cast<double>(from.x);
    return static_cast<std::size_t>(std::round(static_cast<double>(from.x) + share * span));
  }
  std::size_t visible_x(const PathPoint& from, const PathPoint& to) const {
    const double value = bounded(from.value);
    return value > range_.high  ? crossing(from, to, range_.high)
           : value < range_.low ? crossing(from, to, range_.low)
                                : from.x;
  }
  // From the value to zero, or to the end that is nearer to zero.
  void fill(std::size_t x, double value) {
    const double zero = std::clamp(0.0, range_.low, range_.high);
    const bool unseen =
        (value < range_.low && zero == range_.low) || (value > range_.high && zero == range_.high);
    if (!unseen) {
      canvas_.draw_line(x, std::min(row(value), row(zero)), x, std::max(row(value), row(zero)),
                        series_);
    }
  }

  ChartCanvas& canvas_;
  const ChartRange range_;
  const std::size_t series_;
  const bool filled_;
  bool joined_ = false;  // with the last one; not behind a gap
  PathPoint last_;
};

// Every how many values there is a label of the horizontal axis, so that each has its room: a step
// that makes round times of minutes, hours and days.
std::size_t label_step(std::size_t count, std::size_t widest, std::size_t plot) {
  constexpr std::size_t kSteps[] = {1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30};
  // The first one begins at the edge, the next is centred: half a label more than a label.
  const std::size_t room = widest + widest / 2 + 2;
  for (std::size_t unit = 1; unit < count; unit *= 60) {
    for (const std::size_t step : kSteps) {
      if (step * unit * (plot - 1) >= room * (count - 1)) {
        return step * unit;
      }
    }
  }
  return count;
}

// What stands under a plot.
struct AxisText {
  std::string labels;
  std::string groups;
  bool whole = true;  // there was room for all groups of the labels
};

// The labels at equal steps from the first on, each with room for `widest` cells; where there is
// room for no other, the last.
AxisText axis_at_steps(const std::vector<std::string>& labels,
                       const std::vector<std::string>& groups, std::size_t widest, std::size_t plot,
                       bool unicode) {
  AxisText out;
  const std::size_t last = labels.size() - 1;
  const std::size_t step =
      std::min(label_step(labels.size(), widest, plot), std::max<std::size_t>(last, 1));
  std::size_t used = 0;
  std::string_view group;
  for (std::size_t index = 0; index <= last; index += step) {
    const std::string text = label_text(labels[index], plot / 2, unicode);
    const std::size_t width = text_width(text);
    const std::size_t center = last == 0 ? plot / 2 : index * (plot - 1) / last;
    // Centred under its value, within the plot, and a blank away from its neighbour.
    std::size_t start = center - std::min(center, width / 2);
    start = std::max(std::min(start, plot - std::min(plot, width)), used == 0 ? 0 : used + 1);
    if (start + width > plot) {
      continue;
    }
    out.labels.append(start - used, ' ');
    out.labels += text;
    used = start + width;
    if (index >= groups.size() || groups[index] == group) {
      continue;
    }
    // Under its label, as far as the plot's end allows; a group is plain ASCII.
    start = std::min(start, plot - std::min(plot, groups[index].size()));
    const bool fits = out.groups.empty() || start > out.groups.size();
    out.whole = out.whole && fits;
    if (fits) {
      out.groups.resize(start, ' ');
      out.groups += groups[index];
      group = groups[index];
    }
  }
  return out;
}

AxisText axis_text(const std::vector<std::string>& labels, const std::vector<std::string>& groups,
                   std::size_t plot, bool unicode) {
  if (labels.empty()) {
    return {};
  }
  std::size_t widest = 1;
  for (const std::string& label : labels) {
    widest = std::max(widest, text_width(label_text(label, plot / 2, unicode)));
  }
  AxisText out = axis_at_steps(labels, groups, widest, plot, unicode);
  if (!out.whole) {
    for (const std::string& group : groups) {
      widest = std::max(widest, group.size());
    }
    out = axis_at_steps(labels, groups, widest, plot, unicode);
  }
  return out;
}

// The axis itself and what stands under it.
std::size_t lines_below(const std::vector<std::string>& labels,
                        const std::vector<std::string>& groups) {
  return 1U + (labels.empty() ? 0U : 1U) + (groups.empty() ? 0U : 1U);
}

// A canvas between its axes, as large as the options say.
class Plot {
 public:
  Plot(const std::vector<ChartSeries>& series, std::size_t lines_below, const ChartOptions& options)
      : options_(options),
        // Dots cannot tell series apart without colour.
        dots_(options.unicode && (options.color || series.size() == 1)),
        scale_(scale_of(series, options, rows_of(series, lines_below))),
        tick_width_(widest(scale_.labels)),
        columns_(std::max(options.width, kChartWidthMin) - tick_width_ - 2),
        canvas_(columns_, scale_.labels.size(), dots_ ? CanvasMode::kDots : CanvasMode::kMarks) {
    options_.width = std::max(options.width, kChartWidthMin);
  }

  ChartCanvas& canvas() { return canvas_; }
  const ChartRange& range() const { return scale_.range; }  // of the vertical axis
  // The whole picture. `mark` stands in the legend for series that colour tells apart.
  std::string text(const std::vector<ChartSeries>& series, std::string_view mark,
                   const std::vector<std::string>& labels,
                   const std::vector<std::string>& groups) const {
    std::string out =
        legend(series, dots_ ? std::span(&mark, 1) : std::span<const std::string_view>(), options_);
    const bool unicode = options_.unicode;
    for (std::size_t row = 0; row < scale_.labels.size(); ++row) {
      out += padded(scale_.labels[row], tick_width_, true) + " ";
      out.append(scale_.labels[row].empty() ? (unicode ? "│" : "|") : (unicode ? "┤" : "+"));
      canvas_.append_row(out, row, unicode, options_.color);
      out.push_back('\n');
    }
    out += std::string(tick_width_ + 1, ' ');
    out += unicode ? "└" : "+";
    for (std::size_t i = 0; i < columns_; ++i) {
      out += unicode ? "─" : "-";
    }
    out.push_back('\n');
    const AxisText axis = axis_text(labels, groups, columns_, unicode);
    for (const std::string& line : {axis.labels, axis.groups}) {
      out += line.empty() ? "" : std::string(tick_width_ + 2, ' ') + line + "\n";
    }
    return out;
  }

 private:
  // Fewer than asked for where the picture would not fit, but some.
  std::size_t rows_of(const std::vector<ChartSeries>& series, std::size_t lines_below) const {
    const std::size_t rows = std::max(options_.height, kHeightMin);
    if (options_.lines_max == 0) {
      return rows;
    }
    const std::string above = legend(series, {}, options_);
    const auto others = static_cast<std::size_t>(std::ranges::count(above, '\n')) + lines_below;
    const std::size_t room = options_.lines_max - std::min(options_.lines_max, others);
    return std::min(rows, std::max(room, kHeightFitted));
  }
  static std::size_t widest(const std::vector<std::string>& ticks) {
    std::size_t width = 1;
    for (const std::string& tick : ticks) {
      width = std::max(width, tick.size());
    }
    return width;
  }

  ChartOptions options_;
  const bool dots_;
  const ChartScale scale_;
  const std::size_t tick_width_;
  const std::size_t columns_;
  ChartCanvas canvas_;
};

}  // namespace

std::string line_chart(const std::vector<ChartSeries>& series,
                       const std::vector<std::string>& labels, const ChartOptions& options,
                       const std::vector<std::string>& groups) {
  std::size_t count = labels.size();
  for (const ChartSeries& one : series) {
    count = std::max(count, one.values.size());
  }
  if (count == 0 || series.empty()) {
    return "";
  }
  Plot plot(series, lines_below(labels, groups), options);
  const std::size_t wide = plot.canvas().points_wide();
  for (std::size_t i = 0; i < series.size(); ++i) {
    Path path(plot.canvas(), plot.range(), i, options.area && i == 0);
    for (std::size_t v = 0; v < series[i].values.size(); ++v) {
      path.add(count < 2 ? wide / 2 : v * (wide - 1) / (count - 1), series[i].values[v]);
    }
  }
  return plot.text(series, options.unicode ? "━" : "-", labels, groups);
}

std::string scatter_chart(const std::vector<ChartSeries>& series, const ChartAxis& axis,
                          const ChartOptions& options) {
  if (series.empty()) {
    return "";
  }
  Plot plot(series, lines_below(axis.labels, axis.groups), options);
  const auto last = static_cast<double>(plot.canvas().points_wide() - 1);
  const auto column_of = [&](double place) {
    const double share = (bounded(place) - axis.low) / (axis.high - axis.low);
    return static_cast<std::size_t>(std::clamp(std::round(share * last), 0.0, last));
  };
  for (std::size_t i = 0; i < series.size(); ++i) {
    Path joined(plot.canvas(), plot.range(), i, options.area && i == 0);
    const std::size_t count = std::min(series[i].values.size(), series[i].places.size());
    for (std::size_t v = 0; v < count; ++v) {
      const double place = series[i].places[v];
      if (!is_drawable(place)) {
        continue;
      }
      if (options.joined) {
        joined.add(column_of(place), series[i].values[v]);
      } else {
        Path(plot.canvas(), plot.range(), i, false).add(column_of(place), series[i].values[v]);
      }
    }
  }
  const bool unicode = options.unicode;
  const std::string_view mark = options.joined ? (unicode ? "━" : "-") : (unicode ? "●" : "*");
  return plot.text(series, mark, axis.labels, axis.groups);
}

}  // namespace evq

#include "cli/terminal/chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "cli/terminal/chart_canvas.h"
#include "cli/terminal/number_text.h"
#include "cli/terminal/style.h"
#include "cli/terminal/text_width.h"

namespace evq {

namespace {

constexpr std::size_t kWidthMin = 24;
constexpr std::size_t kHeightMin = 3;
constexpr std::size_t kTickRows = 4;  // rows between two labels of the vertical axis, about
// Beyond this, differences of two values overflow; such values are drawn at the edge.
constexpr double kMagnitudeMax = 1e300;

struct Range {
  double low = 0;
  double high = 1;
};

bool is_drawable(double value) {
  return std::isfinite(value);
}

double bounded(double value) {
  return std::clamp(value, -kMagnitudeMax, kMagnitudeMax);
}

// Of all finite values; empty ranges are widened so that they can be divided.
Range range_of(const std::vector<ChartSeries>& series, bool with_zero) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const ChartSeries& one : series) {
    for (const double value : one.values) {
      if (is_drawable(value)) {
        low = std::min(low, bounded(value));
        high = std::max(high, bounded(value));
      }
    }
  }
  if (low > high) {
    return {};
  }
  // Zero belongs into the picture unless the values are far from it compared with their spread.
  if (with_zero || low < high / 2) {
    low = std::min(low, 0.0);
  }
  if (with_zero || high > low / 2) {
    high = std::max(high, 0.0);
  }
  if (low == high) {
    const double margin = low == 0 ? 1 : std::abs(low) / 2;
    return {low == 0 ? 0 : low - margin, high + margin};
  }
  return {low, high};
}

std::string label_text(std::string_view label, std::size_t width, bool unicode) {
  const std::string visible = visible_text(label, LineBreaks::kEscape, width);
  return truncate_to_width(visible, width, unicode ? Ellipsis::kUnicode : Ellipsis::kAscii);
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string blanks(width - std::min(width, text_width(text)), ' ');
  return right ? blanks + text : text + blanks;
}

// The row of points, from the top, that a value belongs to.
std::size_t point_row(double value, const Range& range, std::size_t high) {
  const double share = (bounded(value) - range.low) / (range.high - range.low);
  const double place = std::round((1 - share) * static_cast<double>(high - 1));
  return static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(high - 1)));
}

// Draws one series: neighbours are joined, a column with several values spans them.
void draw_series(ChartCanvas& canvas, const std::vector<double>& values, std::size_t count,
                 const Range& range, std::size_t series) {
  const std::size_t wide = canvas.points_wide();
  const std::size_t high = canvas.points_high();
  const auto x_of = [&](std::size_t index) {
    return count < 2 ? wide / 2 : index * (wide - 1) / (count - 1);
  };
  bool joined = false;
  std::size_t last_x = 0;
  std::size_t last_y = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!is_drawable(values[i])) {
      joined = false;
      continue;
    }
    const std::size_t x = x_of(i);
    const std::size_t y = point_row(values[i], range, high);
    canvas.draw_line(joined ? last_x : x, joined ? last_y : y, x, y, series);
    joined = true;
    last_x = x;
    last_y = y;
  }
}

// Fills from the drawn line down to zero, or to the bottom when zero is below it.
void fill_area(ChartCanvas& canvas, const std::vector<double>& values, const Range& range) {
  const std::size_t wide = canvas.points_wide();
  const std::size_t high = canvas.points_high();
  const std::size_t zero = point_row(std::clamp(0.0, range.low, range.high), range, high);
  for (std::size_t x = 0; x < wide && !values.empty(); ++x) {
    const double place = values.size() < 2
                             ? 0
                             : static_cast<double>(x) * static_cast<double>(values.size() - 1) /
                                   static_cast<double>(wide - 1);
    const auto left = static_cast<std::size_t>(place);
    const std::size_t right = std::min(left + 1, values.size() - 1);
    const double share = place - static_cast<double>(left);
    const double value = share == 0
                             ? values[left]
                             : bounded(values[left]) * (1 - share) + bounded(values[right]) * share;
    if (!is_drawable(values[left]) || !is_drawable(values[right]) || !is_drawable(value)) {
      continue;
    }
    const std::size_t y = point_row(value, range, high);
    canvas.draw_line(x, std::min(y, zero), x, std::max(y, zero), 0);
  }
}

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

// `mark` stands for every series; empty: each has its own.
std::string legend(const std::vector<ChartSeries>& series, std::string_view mark,
                   const ChartOptions& options) {
  if (series.size() < 2 && (series.empty() || series[0].name.empty())) {
    return "";
  }
  std::string out;
  std::size_t used = 0;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const std::string name = label_text(series[i].name, options.width / 2, options.unicode);
    const std::size_t width = text_width(name) + 4;
    if (used > 0 && used + width > options.width) {
      out.push_back('\n');
      used = 0;
    }
    out += used > 0 ? "  " : "";
    out += options.color ? series_code(i) : "";
    out.append(mark.empty() ? series_mark(i, options.unicode) : mark);
    out += options.color ? kStyleReset : "";
    out += " " + name;
    used += width;
  }
  return out + "\n";
}

std::size_t tick_count(std::size_t rows) {
  return std::max<std::size_t>(rows / kTickRows, 2);
}

// Widened to whole steps of the axis, so that its ends have labels.
Range rounded_range(const Range& range, std::size_t rows) {
  const std::vector<double> ticks = axis_ticks(range.low, range.high, tick_count(rows));
  if (ticks.size() < 2) {
    return range;
  }
  const double step = ticks[1] - ticks[0];
  return {std::floor(range.low / step + 1e-9) * step, std::ceil(range.high / step - 1e-9) * step};
}

// The tick's text for the row it belongs to; empty for rows without one.
std::vector<std::string> tick_labels(const Range& range, std::size_t rows) {
  std::vector<std::string> labels(rows);
  const std::vector<double> ticks = axis_ticks(range.low, range.high, tick_count(rows));
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 0;
  const double magnitude = std::max(std::abs(ticks.front()), std::abs(ticks.back()));
  for (const double tick : ticks) {
    const double share = (tick - range.low) / (range.high - range.low);
    const double row = std::round((1 - share) * static_cast<double>(rows - 1));
    if (row >= 0 && row < static_cast<double>(rows)) {
      labels[static_cast<std::size_t>(row)] = tick_text(tick, magnitude, step);
    }
  }
  return labels;
}

// A canvas between its axes, as large as the options say.
class Plot {
 public:
  Plot(const std::vector<ChartSeries>& series, const ChartOptions& options)
      : range_(rounded_range(range_of(series, options.area), height_of(options))),
        options_(options),
        ticks_(tick_labels(range_, height_of(options))),
        tick_width_(widest(ticks_)),
        columns_(std::max(options.width, kWidthMin) - tick_width_ - 2),
        // Dots cannot tell series apart without colour.
        dots_(options.unicode && (options.color || series.size() == 1)),
        canvas_(columns_, ticks_.size(), dots_ ? CanvasMode::kDots : CanvasMode::kMarks) {
    options_.width = std::max(options.width, kWidthMin);
  }

  ChartCanvas& canvas() { return canvas_; }
  const Range& range() const { return range_; }  // of the vertical axis
  // The whole picture. `mark` stands in the legend for series that colour tells apart.
  std::string text(const std::vector<ChartSeries>& series, std::string_view mark,
                   const std::vector<std::string>& labels,
                   const std::vector<std::string>& groups) const {
    std::string out = legend(series, dots_ ? mark : std::string_view(), options_);
    const bool unicode = options_.unicode;
    for (std::size_t row = 0; row < ticks_.size(); ++row) {
      out += padded(ticks_[row], tick_width_, true) + " ";
      out.append(ticks_[row].empty() ? (unicode ? "│" : "|") : (unicode ? "┤" : "+"));
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
  static std::size_t height_of(const ChartOptions& options) {
    return std::max(options.height, kHeightMin);
  }
  static std::size_t widest(const std::vector<std::string>& ticks) {
    std::size_t width = 1;
    for (const std::string& tick : ticks) {
      width = std::max(width, tick.size());
    }
    return width;
  }

  const Range range_;
  ChartOptions options_;
  const std::vector<std::string> ticks_;  // of each row
  const std::size_t tick_width_;
  const std::size_t columns_;
  const bool dots_;
  ChartCanvas canvas_;
};

constexpr std::array<std::string_view, 8> kLevels = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, 8> kAsciiLevels = {"_", ".", ":", "-", "=", "+", "*", "#"};
constexpr std::array<std::string_view, 8> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};

// A bar that grows to the right, in eighths of a cell.
std::string right_bar(double cells, bool unicode) {
  std::string out;
  if (!unicode) {
    out.append(static_cast<std::size_t>(std::lround(cells)), '#');
  } else {
    const auto eighths = static_cast<std::size_t>(std::lround(cells * 8));
    for (std::size_t i = 0; i < eighths / 8; ++i) {
      out += "█";
    }
    out.append(kEighths[eighths % 8]);
  }
  // What is there must be seen.
  return out.empty() && cells > 0 ? (unicode ? "▏" : "|") : out;
}

// A bar that ends at zero; blocks have no eighths on their right side, so it has whole cells.
std::string left_bar(double cells, std::size_t room, bool unicode) {
  const auto filled =
      std::max<std::size_t>(static_cast<std::size_t>(std::lround(cells)), cells > 0 ? 1 : 0);
  std::string out(room - std::min(room, filled), ' ');
  for (std::size_t i = 0; i < std::min(room, filled); ++i) {
    out += unicode ? "█" : "#";
  }
  return out;
}

}  // namespace

std::vector<double> axis_ticks(double low, double high, std::size_t count) {
  const double span = high - low;
  if (!(span > 0) || !std::isfinite(span) || count == 0) {
    return {low};
  }
  const double rough = span / static_cast<double>(count);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = power * 10;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * (1 - 1e-9)) {
      step = factor * power;
      break;
    }
  }
  std::vector<double> ticks;
  const double first = std::ceil(low / step - 1e-9);
  const double last = std::floor(high / step + 1e-9);
  // Counted instead of summed up, so that no error builds up; a tiny step beside huge values could
  // not be counted at all.
  for (std::size_t i = 0; first + static_cast<double>(i) <= last && i <= 2 * count; ++i) {
    ticks.push_back((first + static_cast<double>(i)) * step);
  }
  return ticks.empty() ? std::vector<double>{low} : ticks;
}

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
  Plot plot(series, options);
  for (std::size_t i = 0; i < series.size(); ++i) {
    draw_series(plot.canvas(), series[i].values, count, plot.range(), i);
  }
  if (options.area) {
    std::vector<double> values = series[0].values;
    values.resize(count, std::numeric_limits<double>::quiet_NaN());
    fill_area(plot.canvas(), values, plot.range());
  }
  return plot.text(series, options.unicode ? "━" : "-", labels, groups);
}

ChartAxis number_axis(double low, double high, std::size_t count) {
  low = bounded(low);
  high = bounded(high);
  if (low == high) {
    const double margin = low == 0 ? 1 : std::abs(low) / 2;
    low -= margin;
    high += margin;
  }
  const std::vector<double> ticks = axis_ticks(low, high, count);
  const double step = ticks.size() < 2 ? high - low : ticks[1] - ticks[0];
  const double first = std::floor(low / step + 1e-9);
  const double last = std::ceil(high / step - 1e-9);
  // A tiny step beside huge values cannot be counted.
  if (!(last - first >= 1) || last - first > 4 * static_cast<double>(count + 1)) {
    return {low, high, {quantity_text(low), quantity_text(high)}};
  }
  ChartAxis axis{first * step, last * step, {}};
  const double magnitude = std::max(std::abs(axis.low), std::abs(axis.high));
  for (double i = first; i <= last; ++i) {
    axis.labels.push_back(tick_text(i * step, magnitude, step));
  }
  return axis;
}

std::string scatter_chart(const std::vector<ChartSeries>& series, const ChartAxis& axis,
                          const ChartOptions& options) {
  if (series.empty()) {
    return "";
  }
  Plot plot(series, options);
  const auto last = static_cast<double>(plot.canvas().points_wide() - 1);
  for (std::size_t i = 0; i < series.size(); ++i) {
    const std::size_t count = std::min(series[i].values.size(), series[i].places.size());
    for (std::size_t v = 0; v < count; ++v) {
      const double place = series[i].places[v];
      if (is_drawable(place) && is_drawable(series[i].values[v])) {
        const double share = (bounded(place) - axis.low) / (axis.high - axis.low);
        const double x = std::clamp(std::round(share * last), 0.0, last);
        plot.canvas().set(static_cast<std::size_t>(x),
                          point_row(series[i].values[v], plot.range(), plot.canvas().points_high()),
                          i);
      }
    }
  }
  return plot.text(series, options.unicode ? "●" : "*", axis.labels, axis.groups);
}

std::string bar_chart(const std::vector<ChartBar>& bars, const ChartOptions& options) {
  if (bars.empty()) {
    return "";
  }
  const std::size_t width = std::max(options.width, kWidthMin);
  std::size_t label_width = 1;
  std::size_t value_width = 1;
  double low = 0;
  double high = 0;
  for (const ChartBar& bar : bars) {
    label_width =
        std::max(label_width, text_width(label_text(bar.label, width / 3, options.unicode)));
    value_width = std::max(value_width, quantity_text(bar.value).size());
    if (is_drawable(bar.value)) {
      low = std::min(low, bounded(bar.value));
      high = std::max(high, bounded(bar.value));
    }
  }
  const std::size_t frame = label_width + value_width + 3;
  const std::size_t room = width > frame + 4 ? width - frame : 4;
  const double span = high - low > 0 ? high - low : 1;
  const auto left_room =
      static_cast<std::size_t>(std::lround(static_cast<double>(room) * (-low / span)));
  std::string out;
  for (const ChartBar& bar : bars) {
    out += padded(label_text(bar.label, width / 3, options.unicode), label_width, false) + " ";
    const double value = is_drawable(bar.value) ? bounded(bar.value) : 0;
    const double cells = std::abs(value) / span * static_cast<double>(room);
    if (left_room > 0) {
      out += left_bar(value < 0 ? cells : 0, left_room, options.unicode);
    }
    out += options.unicode ? "│" : "|";
    out += options.color ? series_code(0) : "";
    out += value > 0 ? right_bar(cells, options.unicode) : "";
    out += options.color ? kStyleReset : "";
    out += " " + quantity_text(bar.value) + "\n";
  }
  return out;
}

std::string sparkline(const std::vector<double>& values, std::size_t width, double low, double high,
                      bool unicode) {
  const std::size_t count = std::min(values.size(), width);
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = i * values.size() / count;
    const std::size_t end = (i + 1) * values.size() / count;
    double sum = 0;
    std::size_t finite = 0;
    for (std::size_t v = begin; v < end; ++v) {
      if (is_drawable(values[v])) {
        // Divided first, so that the sum of huge values stays finite.
        sum += bounded(values[v]) / static_cast<double>(end - begin);
        ++finite;
      }
    }
    if (finite == 0) {
      out.push_back(' ');
      continue;
    }
    const double mean = sum / static_cast<double>(finite) * static_cast<double>(end - begin);
    const double share = high > low ? (mean - low) / (high - low) : 0;
    const double level = std::clamp(std::floor(share * 8), 0.0, 7.0);
    out.append((unicode ? kLevels : kAsciiLevels)[static_cast<std::size_t>(level)]);
  }
  return out;
}

std::string spark_table(const std::vector<ChartSeries>& series, const ChartOptions& options) {
  const std::size_t width = std::max(options.width, kWidthMin);
  struct Row {
    std::string name;
    std::array<std::string, 3> numbers;  // smallest, greatest, last
  };
  std::vector<Row> rows;
  std::size_t name_width = 0;
  std::array<std::size_t, 3> widths = {3, 3, 4};
  for (const ChartSeries& one : series) {
    const double nothing = std::numeric_limits<double>::quiet_NaN();
    std::array<double, 3> numbers = {nothing, nothing, nothing};
    for (const double value : one.values) {
      if (is_drawable(value)) {
        numbers = {std::fmin(numbers[0], value), std::fmax(numbers[1], value), value};
      }
    }
    Row row = {label_text(one.name, width / 3, options.unicode), {}};
    name_width = std::max(name_width, text_width(row.name));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      row.numbers[i] = quantity_text(numbers[i]);
      widths[i] = std::max(widths[i], row.numbers[i].size());
    }
    rows.push_back(std::move(row));
  }
  const Range shared = range_of(series, false);
  const std::size_t fixed = name_width + widths[0] + widths[1] + widths[2] + 8;
  const std::size_t room = width > fixed + 8 ? width - fixed : 8;
  std::size_t spark_width = 0;
  for (const ChartSeries& one : series) {
    spark_width = std::max(spark_width, std::min(one.values.size(), room));
  }
  const auto numbers_text = [&](const std::array<std::string, 3>& numbers) {
    std::string out;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      out += "  " + padded(numbers[i], widths[i], true);
    }
    return out + "\n";
  };
  std::string out;
  if (!rows.empty()) {
    out = std::string(name_width + 2 + spark_width, ' ') + numbers_text({"min", "max", "last"});
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Range range = options.own_scales ? range_of({series[i]}, false) : shared;
    out += padded(rows[i].name, name_width, false) + "  ";
    out += options.color ? series_code(i) : "";
    out += padded(sparkline(series[i].values, room, range.low, range.high, options.unicode),
                  spark_width, false);
    out += options.color ? kStyleReset : "";
    out += numbers_text(rows[i].numbers);
  }
  return out;
}

}  // namespace evq

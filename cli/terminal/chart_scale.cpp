#include "cli/terminal/chart_scale.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/terminal/chart_canvas.h"
#include "cli/terminal/number_text.h"
#include "cli/terminal/style.h"
#include "cli/terminal/text_width.h"

namespace evq {

namespace {

constexpr std::size_t kTickRows = 4;  // rows between two labels of the vertical axis, about
constexpr double kMagnitudeMax = 1e300;
constexpr double kSlack = 1e-9;  // of a step: what is that near to a multiple of it is one

// The smallest of 1, 2 and 5 times a power of ten that is not below `rough`, which is above 0.
double round_step(double rough) {
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * (1 - kSlack)) {
      return factor * power;
    }
  }
  return power * 10;
}

// The multiples of `step` in the range, at most `most`. Counted instead of summed up, so that no
// error builds up; a tiny step beside huge values could not be counted at all.
std::vector<double> multiples(const ChartRange& range, double step, std::size_t most) {
  std::vector<double> out;
  const double first = std::ceil(range.low / step - kSlack);
  const double last = std::floor(range.high / step + kSlack);
  for (std::size_t i = 0; first + static_cast<double>(i) <= last && i < most; ++i) {
    out.push_back((first + static_cast<double>(i)) * step);
  }
  return out;
}

// Widened to whole steps, where the options do not name the end.
ChartRange widened(const ChartRange& range, double step, const ChartOptions& options) {
  const ChartRange out = {
      options.low.has_value() ? range.low : std::floor(range.low / step + kSlack) * step,
      options.high.has_value() ? range.high : std::ceil(range.high / step - kSlack) * step};
  return out.low < out.high ? out : range;
}

}  // namespace

bool is_drawable(double value) {
  return std::isfinite(value);
}

double bounded(double value) {
  return std::clamp(value, -kMagnitudeMax, kMagnitudeMax);
}

ChartRange range_of(const std::vector<ChartSeries>& series, bool with_zero) {
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

bool zero_belongs(const std::vector<ChartSeries>& series) {
  const ChartRange range = range_of(series, false);
  return range.low <= 0 && range.high >= 0;
}

ChartRange chosen_range(ChartRange range, const ChartOptions& options) {
  const ChartRange chosen = {bounded(options.low.value_or(range.low)),
                             bounded(options.high.value_or(range.high))};
  if (chosen.low < chosen.high) {
    return chosen;
  }
  // All values are beyond the only end that is named, or the ends are none.
  const double margin = std::max(std::abs(chosen.low), 1.0);
  if (options.low.has_value() != options.high.has_value()) {
    return options.low.has_value() ? ChartRange{chosen.low, chosen.low + margin}
                                   : ChartRange{chosen.high - margin, chosen.high};
  }
  return range;
}

ChartScale scale_of(const std::vector<ChartSeries>& series, const ChartOptions& options,
                    std::size_t rows) {
  const ChartRange values = chosen_range(range_of(series, options.area), options);
  const std::size_t count = std::max<std::size_t>(rows / kTickRows, 2);
  double step = round_step((values.high - values.low) / static_cast<double>(count));
  ChartRange range = widened(values, step, options);
  std::vector<double> ticks = multiples(range, step, 2 * count + 1);
  // Whole steps around the range may be more than there are rows.
  for (; ticks.size() > rows; ticks = multiples(range, step, 2 * count + 1)) {
    step = round_step(step * 1.5);
    range = widened(values, step, options);
  }
  // Between two ends that are named there may be no multiple of the step, or one.
  for (int finer = 0; ticks.size() < 2 && finer < 3; ++finer) {
    step = round_step(step / 2.5);
    range = widened(values, step, options);
    ticks = multiples(range, step, 2 * count + 1);
  }
  if (ticks.empty()) {
    ticks.push_back(range.low);
  }
  ChartScale scale = {range, std::vector<std::string>(rows)};
  const double magnitude = std::max(std::abs(ticks.front()), std::abs(ticks.back()));
  for (const double tick : ticks) {
    const double share = (tick - range.low) / (range.high - range.low);
    const double row = std::round((1 - share) * static_cast<double>(rows - 1));
    if (row >= 0 && row < static_cast<double>(rows)) {
      scale.labels[static_cast<std::size_t>(row)] = tick_text(tick, magnitude, step);
    }
  }
  return scale;
}

std::vector<double> axis_ticks(double low, double high, std::size_t count) {
  const double span = high - low;
  if (!(span > 0) || !std::isfinite(span) || count == 0) {
    return {low};
  }
  const std::vector<double> ticks =
      multiples({low, high}, round_step(span / static_cast<double>(count)), 2 * count + 1);
  return ticks.empty() ? std::vector<double>{low} : ticks;
}

ChartAxis number_axis(double low, double high, std::size_t count) {
  low = bounded(low);
  high = bounded(high);
  if (low == high) {
    const double margin = low == 0 ? 1 : std::abs(low) / 2;
    low -= margin;
    high += margin;
  }
  const double step =
      round_step((high - low) / static_cast<double>(std::max<std::size_t>(count, 1)));
  const double first = std::floor(low / step + kSlack);
  const double last = std::ceil(high / step - kSlack);
  // A tiny step beside huge values cannot be counted.
  constexpr double kCountedMax = 1e15;
  if (!(last - first >= 1) || last - first > 4 * static_cast<double>(count + 1) ||
      std::max(std::abs(first), std::abs(last)) > kCountedMax) {
    return {low, high, {quantity_text(low), quantity_text(high)}};
  }
  ChartAxis axis{first * step, last * step, {}};
  const double magnitude = std::max(std::abs(axis.low), std::abs(axis.high));
  for (double i = first; i <= last; ++i) {
    axis.labels.push_back(tick_text(i * step, magnitude, step));
  }
  return axis;
}

std::string label_text(std::string_view label, std::size_t width, bool unicode) {
  const std::string visible = visible_text(label, LineBreaks::kEscape, width);
  return truncate_to_width(visible, width, unicode ? Ellipsis::kUnicode : Ellipsis::kAscii);
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string blanks(width - std::min(width, text_width(text)), ' ');
  return right ? blanks + text : text + blanks;
}

std::string legend(const std::vector<ChartSeries>& series, std::span<const std::string_view> marks,
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
    out.append(marks.empty() ? series_mark(i, options.unicode) : marks[i % marks.size()]);
    out += options.color ? kStyleReset : "";
    out += " " + name;
    used += width;
  }
  return out + "\n";
}

}  // namespace evq

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include <fmt/format.h>

#include "cli/terminal/chart.h"
#include "cli/terminal/chart_canvas.h"
#include "cli/terminal/chart_scale.h"
#include "cli/terminal/number_text.h"
#include "cli/terminal/style.h"
#include "cli/terminal/text_width.h"

namespace evq {

namespace {

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

// What stands behind each bar.
std::vector<std::string> bar_values(const std::vector<ChartBar>& bars,
                                    const ChartOptions& options) {
  double whole = 0;
  bool divided = options.shares;
  for (const ChartBar& bar : bars) {
    whole += is_drawable(bar.value) ? bounded(bar.value) : 0;
    divided = divided && !(bar.value < 0);  // a whole with less than nothing in it has no shares
  }
  std::vector<std::string> texts;
  for (const ChartBar& bar : bars) {
    std::string& text = texts.emplace_back(quantity_text(bar.value));
    if (divided && whole > 0 && is_drawable(bar.value)) {
      text += fmt::format(" ({:.1f}%)", bounded(bar.value) / whole * 100);
    }
  }
  return texts;
}

// What parts of a bar are made of: colour tells them apart, or the shade.
std::span<const std::string_view> part_marks(const ChartOptions& options) {
  static constexpr std::array<std::string_view, 1> kOne = {"█"};
  static constexpr std::array<std::string_view, 6> kShades = {"█", "▒", "▓", "░", "▚", "▤"};
  static constexpr std::array<std::string_view, 6> kLetters = {"#", "=", "+", ":", "%", "."};
  if (!options.unicode) {
    return kLetters;
  }
  return options.color ? std::span<const std::string_view>(kOne) : kShades;
}

}  // namespace

std::string bar_chart(const std::vector<ChartBar>& bars, const ChartOptions& options) {
  if (bars.empty()) {
    return "";
  }
  const std::size_t width = std::max(options.width, kChartWidthMin);
  const std::vector<std::string> values = bar_values(bars, options);
  std::size_t label_width = 1;
  std::size_t value_width = 1;
  double low = 0;
  double high = 0;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    label_width =
        std::max(label_width, text_width(label_text(bars[i].label, width / 3, options.unicode)));
    value_width = std::max(value_width, values[i].size());
    if (is_drawable(bars[i].value)) {
      low = std::min(low, bounded(bars[i].value));
      high = std::max(high, bounded(bars[i].value));
    }
  }
  // Bars stand on zero, whatever the ends that are asked for.
  low = std::min(bounded(options.low.value_or(low)), 0.0);
  high = std::max(bounded(options.high.value_or(high)), 0.0);
  const std::size_t frame = label_width + value_width + 3;
  const std::size_t room = width > frame + 4 ? width - frame : 4;
  const double span = high - low > 0 ? high - low : 1;
  const auto left_room =
      static_cast<std::size_t>(std::lround(static_cast<double>(room) * (-low / span)));
  std::string out;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    out += padded(label_text(bars[i].label, width / 3, options.unicode), label_width, false) + " ";
    const double value = is_drawable(bars[i].value) ? std::clamp(bars[i].value, low, high) : 0;
    const double cells = std::abs(value) / span * static_cast<double>(room);
    if (left_room > 0) {
      out += left_bar(value < 0 ? cells : 0, left_room, options.unicode);
    }
    out += options.unicode ? "│" : "|";
    out += options.color ? series_code(0) : "";
    out += value > 0 ? right_bar(cells, options.unicode) : "";
    out += options.color ? kStyleReset : "";
    out += " " + values[i] + "\n";
  }
  return out;
}

std::string stacked_chart(const std::vector<std::string>& labels,
                          const std::vector<ChartSeries>& parts, bool as_shares,
                          const ChartOptions& options) {
  const std::size_t width = std::max(options.width, kChartWidthMin);
  const auto value_of = [&](std::size_t part, std::size_t bar) {
    const double value = bar < parts[part].values.size() ? parts[part].values[bar] : 0;
    return is_drawable(value) && value > 0 ? bounded(value) : 0;
  };
  std::vector<double> totals(labels.size(), 0);
  std::size_t label_width = 1;
  std::size_t value_width = 1;
  for (std::size_t bar = 0; bar < labels.size(); ++bar) {
    for (std::size_t part = 0; part < parts.size(); ++part) {
      totals[bar] += value_of(part, bar);
    }
    label_width =
        std::max(label_width, text_width(label_text(labels[bar], width / 3, options.unicode)));
    value_width = std::max(value_width, quantity_text(totals[bar]).size());
  }
  const double highest = totals.empty() ? 0 : *std::ranges::max_element(totals);
  const std::size_t frame = label_width + value_width + 3;
  const std::size_t room = width > frame + 4 ? width - frame : 4;
  const std::span<const std::string_view> marks = part_marks(options);
  std::string out = legend(parts, marks, options);
  for (std::size_t bar = 0; bar < labels.size(); ++bar) {
    out += padded(label_text(labels[bar], width / 3, options.unicode), label_width, false) + " ";
    out += options.unicode ? "│" : "|";
    const double whole =
        as_shares ? totals[bar] : std::max(highest, bounded(options.high.value_or(highest)));
    double sum = 0;
    std::size_t drawn = 0;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      // Where a part ends is rounded, and not how long it is, so that the bar's length is right.
      sum += whole > 0 ? value_of(part, bar) / whole : 0;
      const auto end = static_cast<std::size_t>(std::lround(sum * static_cast<double>(room)));
      out += options.color && end > drawn ? series_code(part) : "";
      for (std::size_t cell = drawn; cell < end; ++cell) {
        out += marks[part % marks.size()];
      }
      out += options.color && end > drawn ? kStyleReset : "";
      drawn = std::max(drawn, end);
    }
    out += " " + quantity_text(totals[bar]) + "\n";
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
  const std::size_t width = std::max(options.width, kChartWidthMin);
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
  const ChartRange shared = chosen_range(range_of(series, false), options);
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
    const ChartRange range =
        options.own_scales ? chosen_range(range_of({series[i]}, false), options) : shared;
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

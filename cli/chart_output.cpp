// From rows to a picture in three steps: the columns take roles (the axis, the numbers, the names
// of groups), the rows become series over one axis, and the drawing is chosen by kind and by how
// many series there are.

#include "cli/chart_output.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "cli/chart_axis.h"
#include "cli/chart_roles.h"
#include "cli/held_answer.h"
#include "cli/terminal/chart.h"
#include "cli/terminal/number_text.h"
#include "cli/terminal/text_width.h"
#include "store/base/told_number.h"
#include "store/column/dynamic.h"

namespace evq {
namespace {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();
// More lines than this cannot be told apart; sparklines can.
constexpr std::size_t kLinesMax = 6;
constexpr std::size_t kSeriesMax = 40;
constexpr std::size_t kBarsMax = 60;
constexpr std::size_t kPartsMax = 6;  // of a stacked bar
constexpr std::size_t kPlotRows = 14;
constexpr std::size_t kAxisLabels = 6;  // of numbers and times, about
constexpr double kInstantMax = 9e18;    // that nanoseconds can count, about

enum class Drawing : std::uint8_t { kLines, kArea, kBars, kPoints, kTable };

struct KindRow {
  std::string_view kind;
  Drawing drawing;
};
// The kinds of render; what has no row is drawn by what the columns are.
constexpr KindRow kKinds[] = {
    {"timechart", Drawing::kLines},    {"linechart", Drawing::kLines},
    {"anomalychart", Drawing::kLines}, {"scatterchart", Drawing::kPoints},
    {"areachart", Drawing::kArea},     {"stackedareachart", Drawing::kArea},
    {"barchart", Drawing::kBars},      {"columnchart", Drawing::kBars},
    {"piechart", Drawing::kBars},      {"treemap", Drawing::kBars},
    {"table", Drawing::kTable},        {"card", Drawing::kTable},
    {"pivotchart", Drawing::kTable},   {"timepivot", Drawing::kTable},
    {"plotly", Drawing::kTable},       {"graph", Drawing::kTable},
};

// Where there is no time, these kinds stand over the first number.
constexpr std::string_view kOverNumbers[] = {"scatterchart", "linechart", "areachart",
                                             "stackedareachart", "anomalychart"};

// A series while it is collected: numbers by place on the axis.
struct Series {
  std::string name;
  std::map<std::int64_t, double> points;
  bool counts = false;  // a place without rows is 0 and not unknown
};

class ChartOutput final : public ResultSink {
 public:
  ChartOutput(TableOutputOptions options, ByteSink out)
      : options_(std::move(options)), out_(std::move(out)) {}

  Status begin(const ResultHeader& header) override { return answer_.begin(header); }
  Status push(const Chunk& rows, std::span<const RowOrigin> origins) override {
    return answer_.push(rows, origins);
  }
  Status end(const QueryStatus& status) override {
    EVQ_TRY(answer_.end(status));
    roles_ = assign_chart_roles(answer_.header(), answer_.chunks());
    const std::string& kind = answer_.header().render_kind;
    if (std::ranges::find(kOverNumbers, kind) != std::end(kOverNumbers) && !roles_.arrays) {
      take_number_as_axis(answer_.header().schema.fields(), &roles_);
    }
    const Drawing drawing = choose();
    if (drawing == Drawing::kTable) {
      return write_table();
    }
    ChartOptions chart;
    chart.width = options_.width == 0 ? options_.picture_width : options_.width;
    chart.height = kPlotRows;
    chart.low = number_property(answer_.header(), "ymin");
    chart.high = number_property(answer_.header(), "ymax");
    const std::string above = title();
    if (options_.rows != 0) {
      // The footer and the next prompt are seen with the picture.
      const std::size_t others = 2 + static_cast<std::size_t>(std::ranges::count(above, '\n'));
      chart.lines_max = std::max(options_.rows, others + 1) - others;
    }
    chart.unicode = options_.unicode;
    chart.color = options_.color;
    return out_(above + (drawing == Drawing::kBars     ? bars(chart)
                         : drawing == Drawing::kPoints ? points(chart, drawing)
                         : axis_is_number()            ? points(chart, drawing)
                                                       : lines(chart, drawing)));
  }

 private:
  Drawing choose() const {
    std::size_t rows = 0;
    for (const Chunk& chunk : answer_.chunks()) {
      rows += chunk.rows();
    }
    if (roles_.numbers.empty() || rows == 0) {
      return Drawing::kTable;
    }
    Drawing wanted = roles_.axis.has_value() ? Drawing::kLines : Drawing::kBars;
    for (const KindRow& row : kKinds) {
      wanted = row.kind == answer_.header().render_kind ? row.drawing : wanted;
    }
    if (wanted == Drawing::kBars || wanted == Drawing::kTable) {
      return wanted;
    }
    if (wanted == Drawing::kPoints && roles_.axis.has_value() && !roles_.arrays) {
      const Type axis = answer_.header().schema[*roles_.axis].type;
      return is_number(axis) || axis == Type::kDatetime ? wanted : Drawing::kBars;
    }
    // Without a time, the first name or number is the axis of a line.
    return roles_.axis.has_value() ? wanted : Drawing::kBars;
  }

  Status write_table() const {
    TableOutputOptions options = options_;
    options.form = "table";
    return answer_.replay(*make_table_output(options, out_));
  }

  std::string title() const {
    const std::vector<std::string> titles = listed_property(answer_.header(), "title");
    return titles.empty() || titles[0].empty() ? std::string() : visible_text(titles[0]) + "\n";
  }

  std::string cells_text(const Chunk& chunk, std::size_t row,
                         const std::vector<std::size_t>& names) const {
    std::string text;
    for (const std::size_t column : names) {
      text.append(text.empty() ? "" : ", ");
      if (chunk.column(column).is_null(row)) {
        text.append(options_.null_text);
      } else {
        append_shown_cell(&text, chunk.column(column), row, options_.zone);
      }
    }
    // A bar without any label looks like a mistake.
    return text.empty() && !names.empty() ? "\"\"" : text;
  }

  // The names of a row's group, and of the number's column when there are several.
  std::string series_name(const Chunk& chunk, std::size_t row, std::size_t number,
                          const std::vector<std::size_t>& names) const {
    std::string text = cells_text(chunk, row, names);
    if (roles_.numbers.size() > 1 || text.empty()) {
      text.append(text.empty() ? "" : ": ").append(answer_.header().schema[number].name);
    }
    return text;
  }

  Series& series_called(const std::string& name, std::size_t number) {
    const auto [found, added] = by_name_.emplace(name, series_.size());
    if (added) {
      const std::string_view aggregate = number < answer_.header().origins.size()
                                             ? answer_.header().origins[number].aggregate
                                             : std::string_view();
      const bool counts = aggregate.starts_with("count") || aggregate.starts_with("sum") ||
                          aggregate.starts_with("distinct");
      series_.push_back({name, {}, counts || roles_.arrays});
    }
    return series_[found->second];
  }

  void collect() {
    for (const Chunk& chunk : answer_.chunks()) {
      for (std::size_t row = 0; row < chunk.rows(); ++row) {
        for (const std::size_t number : roles_.numbers) {
          Series& series = series_called(series_name(chunk, row, number, roles_.names), number);
          roles_.arrays ? add_array(chunk, row, number, &series)
                        : add_point(chunk, row, number, &series);
        }
      }
    }
  }

  void add_point(const Chunk& chunk, std::size_t row, std::size_t number, Series* series) {
    const Vector& axis = chunk.column(*roles_.axis);
    if (axis.is_null(row)) {
      return;
    }
    if (axis.type() == Type::kDatetime || axis.type() == Type::kLong ||
        axis.type() == Type::kTimespan) {
      series->points[axis.at<std::int64_t>(row)] = number_of(chunk.column(number), row);
      return;
    }
    std::string label;
    append_shown_cell(&label, axis, row, options_.zone);
    series->points[places_.place_of(label)] = number_of(chunk.column(number), row);
  }

  void add_array(const Chunk& chunk, std::size_t row, std::size_t number, Series* series) {
    const Vector& column = chunk.column(number);
    if (column.is_null(row)) {
      return;
    }
    DynamicView::Iterator values{DynamicView(column.at<std::string_view>(row))};
    const bool timed = roles_.axis.has_value() && !chunk.column(*roles_.axis).is_null(row);
    DynamicView::Iterator times{
        timed ? DynamicView(chunk.column(*roles_.axis).at<std::string_view>(row)) : DynamicView()};
    for (std::int64_t i = 0; values.next(); ++i) {
      const std::optional<std::int64_t> time =
          timed && times.next() ? instant_of(times.value()) : std::nullopt;
      series->points[time.value_or(i)] = number_of(values.value());
    }
  }

  // Where a row stands on the axis of points: nanoseconds, or a number.
  double place_of(const Chunk& chunk, std::size_t row) const {
    const Vector& axis = chunk.column(*roles_.axis);
    return axis.type() == Type::kDatetime && !axis.is_null(row)
               ? static_cast<double>(axis.at<std::int64_t>(row))
               : number_of(axis, row);
  }

  void collect_points(std::vector<ChartSeries>* drawn) {
    for (const Chunk& chunk : answer_.chunks()) {
      for (std::size_t row = 0; row < chunk.rows(); ++row) {
        for (const std::size_t number : roles_.numbers) {
          const std::string name = series_name(chunk, row, number, roles_.names);
          const std::size_t index = by_name_.emplace(name, by_name_.size()).first->second;
          if (index == drawn->size() && index < kLinesMax) {
            drawn->push_back({name, {}, {}});
          }
          if (index < drawn->size()) {
            (*drawn)[index].values.push_back(number_of(chunk.column(number), row));
            (*drawn)[index].places.push_back(place_of(chunk, row));
          }
        }
      }
    }
  }

  // Points, or lines from one to the next.
  std::string points(ChartOptions chart, Drawing drawing) {
    std::vector<ChartSeries> drawn;
    if (roles_.arrays) {
      collect();
      for (const Series& series : series_) {
        ChartSeries& one = drawn.emplace_back(ChartSeries{series.name, {}, {}});
        for (const auto& [place, value] : series.points) {
          one.values.push_back(value);
          one.places.push_back(static_cast<double>(place));
        }
      }
      drawn.resize(std::min(drawn.size(), kLinesMax));
    } else {
      collect_points(&drawn);
    }
    if (drawing != Drawing::kPoints) {
      std::ranges::for_each(drawn, sort_by_place);
      chart.joined = true;
      chart.area = drawing == Drawing::kArea;
    }
    std::string text = scatter_chart(drawn, axis_of_points(drawn), chart);
    if (by_name_.size() > drawn.size()) {
      text += grouped_text(by_name_.size() - drawn.size()) +
              " more groups are not shown; | where … chooses\n";
    }
    return text;
  }

  static void sort_by_place(ChartSeries& series) {
    std::vector<std::pair<double, double>> points;
    for (std::size_t i = 0; i < series.places.size(); ++i) {
      if (std::isfinite(series.places[i])) {
        points.emplace_back(series.places[i], series.values[i]);
      }
    }
    std::ranges::stable_sort(points, {}, &std::pair<double, double>::first);
    series.places.clear();
    series.values.clear();
    for (const auto& [place, value] : points) {
      series.places.push_back(place);
      series.values.push_back(value);
    }
  }

  bool axis_is_number() const {
    return roles_.axis.has_value() && !roles_.arrays &&
           is_number(answer_.header().schema[*roles_.axis].type);
  }

  ChartAxis axis_of_points(const std::vector<ChartSeries>& drawn) const {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const ChartSeries& series : drawn) {
      for (const double place : series.places) {
        low = std::isfinite(place) ? std::min(low, place) : low;
        high = std::isfinite(place) ? std::max(high, place) : high;
      }
    }
    if (low > high) {
      return {0, 1, {}};
    }
    if (axis_is_time()) {
      const auto instant = [](double place) {
        return static_cast<std::int64_t>(std::clamp(place, -kInstantMax, kInstantMax));
      };
      return time_axis(instant(low), instant(high), kAxisLabels, options_.zone);
    }
    return number_axis(low, high, kAxisLabels);
  }

  bool axis_is_time() const {
    return roles_.axis.has_value() &&
           (roles_.arrays || answer_.header().schema[*roles_.axis].type == Type::kDatetime);
  }

  std::string lines(ChartOptions chart, Drawing drawing) {
    collect();
    std::vector<std::int64_t> places;
    for (const Series& series : series_) {
      for (const auto& [place, value] : series.points) {
        places.push_back(place);
      }
    }
    std::ranges::sort(places);
    places.erase(std::unique(places.begin(), places.end()), places.end());
    if (axis_is_time() && !roles_.arrays) {
      places = with_empty_bins(std::move(places), answer_.header().bin_ns);
    }
    std::vector<ChartSeries> drawn;
    for (std::size_t i = 0; i < std::min(series_.size(), kSeriesMax); ++i) {
      const Series& series = series_[i];
      ChartSeries one{series.name, {}};
      one.values.reserve(places.size());
      for (const std::int64_t place : places) {
        const auto found = series.points.find(place);
        one.values.push_back(found != series.points.end() ? found->second
                             : series.counts              ? 0
                                                          : kGap);
      }
      drawn.push_back(std::move(one));
    }
    return draw(drawn, places, chart, drawing);
  }

  // The first of the series over these places.
  std::string draw(const std::vector<ChartSeries>& drawn, const std::vector<std::int64_t>& places,
                   ChartOptions chart, Drawing drawing) const {
    const std::size_t left_out = series_.size() - drawn.size();
    const TimeLabels times = axis_is_time() ? time_labels(places, options_.zone)
                                            : TimeLabels{places_.labels(places), {}};
    const std::vector<std::string>& labels = times.labels;
    if (drawn.size() > kLinesMax) {
      chart.own_scales = true;
      std::string text = spark_table(drawn, chart);
      if (left_out > 0) {
        text += grouped_text(left_out) + " more groups are not shown\n";
      }
      if (axis_is_time() && !labels.empty()) {
        text += time_range(times, options_.unicode) + "\n";
      } else if (!labels.empty()) {
        text += labels.front() + (options_.unicode ? " – " : " - ") + labels.back() + "\n";
      }
      return text;
    }
    // Numbers of events fill what they stand for; others do where zero is in sight.
    const bool filled = !series_.empty() && (series_[0].counts || zero_belongs(drawn));
    chart.area = drawing == Drawing::kArea || (drawn.size() == 1 && filled && !chart.low);
    return line_chart(drawn, labels, chart, times.groups);
  }

  // One bar for each row and number; an axis is one of the names.
  std::string bars(ChartOptions chart) {
    std::vector<std::size_t> names = roles_.names;
    if (roles_.axis.has_value()) {
      names.insert(names.begin(), *roles_.axis);
    }
    const std::vector<Place> rows = bar_rows(names);
    const std::vector<std::string> kinds = listed_property(answer_.header(), "kind");
    const std::string kind = kinds.empty() ? "" : kinds[0];
    if (kind.starts_with("stacked") && names.size() + roles_.numbers.size() > 2) {
      return stacked_bars(rows, names, kind == "stacked100", chart);
    }
    std::vector<ChartBar> all;
    for (const Place& place : rows) {
      for (const std::size_t number : roles_.numbers) {
        if (all.size() < kBarsMax) {
          all.push_back({series_name(*place.chunk, place.row, number, names),
                         number_of(place.chunk->column(number), place.row)});
        }
      }
    }
    const std::size_t wanted = rows.size() * roles_.numbers.size();
    // Shares of what is not all of it would be wrong.
    chart.shares = answer_.header().render_kind == "piechart" && roles_.numbers.size() == 1 &&
                   all.size() == wanted;
    std::string text = bar_chart(all, chart);
    if (wanted > all.size()) {
      text +=
          grouped_text(wanted - all.size()) + " more bars are not shown; | top 20 by … chooses\n";
    }
    return text;
  }

  struct Place {
    const Chunk* chunk = nullptr;
    std::size_t row = 0;
  };

  // One bar for each value of the first name, of a part for each of the others and each number.
  std::string stacked_bars(const std::vector<Place>& rows, const std::vector<std::size_t>& names,
                           bool as_shares, const ChartOptions& chart) {
    const std::vector<std::size_t> label(names.begin(), names.begin() + (names.empty() ? 0 : 1));
    const std::vector<std::size_t> others(names.begin() + (names.empty() ? 0 : 1), names.end());
    NamedPlaces bars;
    std::vector<std::int64_t> places;
    std::vector<ChartSeries> parts;
    std::size_t left_out = 0;
    for (const Place& row : rows) {
      const auto bar =
          static_cast<std::size_t>(bars.place_of(cells_text(*row.chunk, row.row, label)));
      if (bar == places.size()) {
        places.push_back(static_cast<std::int64_t>(bar));
      }
      for (const std::size_t number : roles_.numbers) {
        const std::string name = series_name(*row.chunk, row.row, number, others);
        const std::size_t part = by_name_.emplace(name, by_name_.size()).first->second;
        if (part == parts.size() && part < kPartsMax) {
          parts.push_back({name, {}});
        }
        const double value = number_of(row.chunk->column(number), row.row);
        if (part >= parts.size() || bar >= kBarsMax || std::isnan(value)) {
          left_out += std::isnan(value) ? 0U : 1U;
          continue;
        }
        parts[part].values.resize(std::max(parts[part].values.size(), bar + 1), 0);
        parts[part].values[bar] += value;
      }
    }
    places.resize(std::min(places.size(), kBarsMax));
    std::string text = stacked_chart(bars.labels(places), parts, as_shares, chart);
    if (left_out > 0) {
      text += grouped_text(left_out) + " more parts are not shown; | where … chooses\n";
    }
    return text;
  }

  // The rows as they came, or where that is no order and numbers name them, in that of the numbers.
  std::vector<Place> bar_rows(const std::vector<std::size_t>& names) const {
    std::vector<Place> rows;
    for (const Chunk& chunk : answer_.chunks()) {
      for (std::size_t row = 0; row < chunk.rows(); ++row) {
        rows.push_back({&chunk, row});
      }
    }
    if (answer_.header().order.empty() && names.size() == 1) {
      std::ranges::stable_sort(rows, [&](const Place& a, const Place& b) {
        const double left = number_of(a.chunk->column(names[0]), a.row);
        const double right = number_of(b.chunk->column(names[0]), b.row);
        return left < right || (!std::isnan(left) && std::isnan(right));
      });
    }
    return rows;
  }

  TableOutputOptions options_;
  ByteSink out_;
  HeldAnswer answer_;
  ChartRoles roles_;
  NamedPlaces places_;
  std::vector<Series> series_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
};

}  // namespace

std::unique_ptr<ResultSink> make_chart_output(const TableOutputOptions& options, ByteSink out) {
  return std::make_unique<ChartOutput>(options, std::move(out));
}

}  // namespace evq

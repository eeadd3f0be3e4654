// Lines and polynomials that fit a series best by least squares. Gaps are left out.

#include "apl/functions/series_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "apl/functions/dynamic_elements.h"
#include "apl/functions/registry.h"
#include "store/base/limits.h"

namespace evq {
namespace {

// Writes the fields of a model in order: as the elements of an array, or by name as a bag.
class ModelWriter {
 public:
  explicit ModelWriter(bool named) : named_(named) { begin(); }

  void add(std::string_view name, double value) {
    start(name);
    out_.add_real(value);
  }
  void add(std::string_view name, const Numbers& values) {
    start(name);
    add_numbers(values, &out_);
  }
  void add_index(std::string_view name, std::size_t index) {
    start(name);
    out_.add_long(static_cast<std::int64_t>(index));
  }
  // Fields of a part; in an array they stand among the others.
  void begin_part(std::string_view name) {
    if (named_) {
      out_.key(name);
      out_.begin_bag();
    }
  }
  void end_part() {
    if (named_) {
      out_.end_bag();
    }
  }
  DynamicBytes finish() {
    named_ ? out_.end_bag() : out_.end_array();
    return {out_.take()};
  }

 private:
  void begin() { named_ ? out_.begin_bag() : out_.begin_array(); }
  void start(std::string_view name) {
    if (named_) {
      out_.key(name);
    }
  }

  bool named_;
  DynamicBuilder out_;
};

// ---- one line

template <bool kNamed>
MaybeDynamic series_fit_line(DynamicView array) {
  const std::optional<NumberSeries> series = NumberSeries::read(array);
  const std::optional<Line> line = series.has_value() ? fit_line(*series) : std::nullopt;
  if (!line.has_value()) {
    return std::nullopt;
  }
  ModelWriter out(kNamed);
  out.add("rsquare", line->rsquare);
  out.add("slope", line->slope);
  out.add("variance", line->variance);
  out.add("rvariance", line->residual_variance);
  out.add("interception", line->intercept);
  out.add("line_fit", line->fit);
  return out.finish();
}

// ---- two lines

// Sums over a stretch of a series from which the squares that its best line leaves follow.
struct LineSums {
  double count = 0;
  double x = 0;
  double y = 0;
  double xx = 0;
  double xy = 0;
  double yy = 0;

  void add(double at, double value, double sign) {
    count += sign;
    x += sign * at;
    y += sign * value;
    xx += sign * at * at;
    xy += sign * at * value;
    yy += sign * value * value;
  }
  double residual() const {
    const double spread = xx - x * x / count;
    const double product = xy - x * y / count;
    const double total = yy - y * y / count;
    return std::max(0.0, total - (spread > 0 ? product * product / spread : 0));
  }
};

// Where the right line begins, so that both lines together leave the least. Each takes at least
// two numbers; nothing when there are fewer than four.
std::optional<std::size_t> best_split(const NumberSeries& series) {
  const SeriesMoments moments = moments_of(series.present());
  LineSums left;
  LineSums right;
  const auto middle = static_cast<double>(series.size()) / 2;
  const auto add = [&](LineSums* sums, std::size_t i, double sign) {
    if (series.values[i].has_value()) {
      // Around the middle and the mean, so that large numbers do not cancel.
      sums->add(static_cast<double>(i) - middle, *series.values[i] - moments.mean, sign);
    }
  };
  for (std::size_t i = 0; i < series.size(); ++i) {
    add(&right, i, 1);
  }
  std::optional<std::size_t> best;
  double least = 0;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (left.count >= 2 && right.count >= 2 && series.values[i].has_value()) {
      const double residual = left.residual() + right.residual();
      if (!best.has_value() || residual < least) {
        best = i;
        least = residual;
      }
    }
    add(&left, i, 1);
    add(&right, i, -1);
  }
  return best;
}

void add_side(std::string_view name, const Line& line, ModelWriter* out) {
  out->begin_part(name);
  out->add("rsquare", line.rsquare);
  out->add("slope", line.slope);
  out->add("interception", line.intercept);
  out->add("variance", line.variance);
  out->add("rvariance", line.residual_variance);
  out->end_part();
}

NumberSeries stretch_of(const NumberSeries& series, std::size_t begin, std::size_t end) {
  NumberSeries part;
  part.values.assign(series.values.begin() + static_cast<std::ptrdiff_t>(begin),
                     series.values.begin() + static_cast<std::ptrdiff_t>(end));
  return part;
}

template <bool kNamed>
MaybeDynamic series_fit_2lines(DynamicView array) {
  const std::optional<NumberSeries> series = NumberSeries::read(array);
  const std::optional<std::size_t> split = series.has_value() ? best_split(*series) : std::nullopt;
  if (!split.has_value()) {
    return std::nullopt;
  }
  const std::optional<Line> left = fit_line(stretch_of(*series, 0, *split));
  std::optional<Line> right = fit_line(stretch_of(*series, *split, series->size()));
  if (!left.has_value() || !right.has_value()) {
    return std::nullopt;
  }
  Numbers fit = left->fit;
  fit.insert(fit.end(), right->fit.begin(), right->fit.end());
  // Both lines speak of the index in the whole series.
  right->intercept -= right->slope * static_cast<double>(*split);
  Numbers residuals;
  for (std::size_t i = 0; i < fit.size(); ++i) {
    if (series->values[i].has_value()) {
      residuals.push_back(*series->values[i] - fit[i]);
    }
  }
  const double variance = moments_of(series->present()).variance;
  const double residual_variance = moments_of(residuals).variance;
  ModelWriter out(kNamed);
  out.add("rsquare", variance > 0 ? 1 - residual_variance / variance : 1);
  out.add_index("split_idx", *split);
  out.add("variance", variance);
  out.add("rvariance", residual_variance);
  out.add("line_fit", fit);
  add_side("right", *right, &out);
  add_side("left", *left, &out);
  return out.finish();
}

// ---- polynomials

// Solves the symmetric system in place by elimination with pivoting; nothing when it is singular.
std::optional<std::vector<long double>> solve(std::vector<std::vector<long double>> rows) {
  const std::size_t size = rows.size();
  for (std::size_t column = 0; column < size; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column + 1; row < size; ++row) {
      if (std::fabs(rows[row][column]) > std::fabs(rows[pivot][column])) {
        pivot = row;
      }
    }
    constexpr long double kSingular = 1e-15L;
    if (std::fabs(rows[pivot][column]) < kSingular) {
      return std::nullopt;
    }
    std::swap(rows[pivot], rows[column]);
    for (std::size_t row = 0; row < size; ++row) {
      const long double factor = row == column ? 0 : rows[row][column] / rows[column][column];
      for (std::size_t k = column; factor != 0 && k <= size; ++k) {
        rows[row][k] -= factor * rows[column][k];
      }
    }
  }
  std::vector<long double> solution(size);
  for (std::size_t i = 0; i < size; ++i) {
    solution[i] = rows[i][size] / rows[i][i];
  }
  return solution;
}

struct Points {
  Numbers x;  // of every place of the series
  const NumberSeries& y;
  double center = 0;  // (x - center) / scale lies in [-1, 1], where powers stay tame
  double scale = 1;
};

// Coefficients of powers of the scaled x, lowest first.
std::optional<std::vector<long double>> fit_scaled(const Points& points, std::size_t degree) {
  std::vector<std::vector<long double>> rows(degree + 1, std::vector<long double>(degree + 2));
  for (std::size_t i = 0; i < points.y.size(); ++i) {
    if (!points.y.values[i].has_value()) {
      continue;
    }
    const long double t = (points.x[i] - points.center) / points.scale;
    std::vector<long double> powers(2 * degree + 1, 1.0L);
    for (std::size_t k = 1; k < powers.size(); ++k) {
      powers[k] = powers[k - 1] * t;
    }
    for (std::size_t row = 0; row <= degree; ++row) {
      for (std::size_t column = 0; column <= degree; ++column) {
        rows[row][column] += powers[row + column];
      }
      rows[row][degree + 1] += powers[row] * *points.y.values[i];
    }
  }
  return solve(std::move(rows));
}

// The same polynomial in powers of x itself, highest first.
Numbers unscaled(const std::vector<long double>& scaled, const Points& points) {
  std::vector<long double> powers(scaled.size(), 0.0L);  // by Horner's rule, lowest first
  for (std::size_t k = scaled.size(); k-- > 0;) {
    for (std::size_t i = scaled.size(); i-- > 0;) {
      const long double lower = i > 0 ? powers[i - 1] : 0.0L;
      powers[i] = (lower - points.center * powers[i]) / points.scale;
    }
    powers[0] += scaled[k];
  }
  return {powers.rbegin(), powers.rend()};
}

std::optional<Points> points_of(const NumberSeries& y, const std::optional<DynamicView>& x) {
  Points points{{}, y};
  const bool given = x.has_value() && !x->is_null();
  if (given && (!x->is_array() || x->size() != y.size())) {
    return std::nullopt;
  }
  const Elements places = given ? elements_of(*x) : Elements(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    const DynamicView at = places[i];
    const bool instant = at.tag() == DynamicTag::kDatetime;
    const std::optional<double> number =
        instant ? std::optional(static_cast<double>(at.as_integer())) : series_number(at);
    if (given && !number.has_value()) {
      return std::nullopt;
    }
    points.x.push_back(given ? *number : static_cast<double>(i));
  }
  if (points.x.empty()) {
    return std::nullopt;
  }
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (y.values[i].has_value()) {  // what is fitted lies at no other places
      least = std::min(least, points.x[i]);
      most = std::max(most, points.x[i]);
    }
  }
  points.center = (least + most) / 2;
  points.scale = most > least ? (most - least) / 2 : 1;
  return points;
}

MaybeDynamic series_fit_poly(DynamicView array, std::optional<DynamicView> x,
                             std::optional<std::int64_t> wanted) {
  const std::int64_t degree = wanted.value_or(1);
  const std::optional<NumberSeries> y = NumberSeries::read(array);
  if (!y.has_value() || degree < 0 || degree > kPolynomialDegreeMax ||
      y->present().size() <= static_cast<std::size_t>(degree)) {
    return std::nullopt;
  }
  const std::optional<Points> points = points_of(*y, x);
  const auto scaled =
      points.has_value() ? fit_scaled(*points, static_cast<std::size_t>(degree)) : std::nullopt;
  if (!scaled.has_value()) {
    return std::nullopt;
  }
  Numbers fit;
  Numbers residuals;
  for (std::size_t i = 0; i < y->size(); ++i) {
    const long double t = (points->x[i] - points->center) / points->scale;
    long double value = 0;
    for (std::size_t k = scaled->size(); k-- > 0;) {
      value = value * t + (*scaled)[k];
    }
    fit.push_back(static_cast<double>(value));
    if (y->values[i].has_value()) {
      residuals.push_back(*y->values[i] - fit.back());
    }
  }
  const double variance = moments_of(y->present()).variance;
  const double residual_variance = moments_of(residuals).variance;
  ModelWriter out(false);
  out.add("rsquare", variance > 0 ? 1 - residual_variance / variance : 1);
  out.add("coefficients", unscaled(*scaled, *points));
  out.add("variance", variance);
  out.add("rvariance", residual_variance);
  out.add("poly_fit", fit);
  return out.finish();
}

constexpr ParameterDoc kFittedSeries{"series",
                                     "An array of numbers; other elements count as gaps."};

// What Kusto calls the parts of the arrays.
constexpr std::string_view kLineParts[] = {"rsquare",   "slope",        "variance",
                                           "rvariance", "interception", "line_fit"};
constexpr std::string_view kTwoLinesParts[] = {
    "rsquare",       "split_idx",   "variance",           "rvariance",      "line_fit",
    "right_rsquare", "right_slope", "right_interception", "right_variance", "right_rvariance",
    "left_rsquare",  "left_slope",  "left_interception",  "left_variance",  "left_rvariance"};
constexpr std::string_view kPolyParts[] = {"rsquare", "coefficients", "variance", "rvariance",
                                           "poly_fit"};

constexpr std::array<ScalarFunction, 5> kSeriesFitFunctions = {{
    {.name = "series_fit_2lines",
     .category = "series",
     .summary = "The two lines that fit a series best, one up to some place and one from there on.",
     .params = {{kFittedSeries}},
     .returns = "An array: r square, split index, variance, residual variance, fitted lines; then "
                "r square, slope, intercept, variance and residual variance of the right line, and "
                "of the left one. Intercepts are at index 0. Null for fewer than four numbers.",
     .examples = {{{"print series_fit_2lines(dynamic([0, 1, 2, 3, 3, 2, 1, 0]))[1]", "4"}}},
     .overloads = {lift<series_fit_2lines<false>>()},
     .parts = kTwoLinesParts},
    {.name = "series_fit_2lines_dynamic",
     .category = "series",
     .summary = "The two lines that fit a series best, by name.",
     .params = {{kFittedSeries}},
     .returns = "A bag of rsquare, split_idx, variance, rvariance, line_fit and the bags right and "
                "left, each of rsquare, slope, interception, variance and rvariance; null for "
                "fewer than four numbers.",
     .examples = {{{"print series_fit_2lines_dynamic(dynamic([0, 1, 2, 3, 3, 2, 1, 0]))"
                    "['split_idx']",
                    "4"}}},
     .overloads = {lift<series_fit_2lines<true>>()}},
    {.name = "series_fit_line",
     .category = "series",
     .summary = "The line that fits a series best.",
     .params = {{{"series", "An array of numbers; other elements count as gaps."}}},
     .returns = "An array: r square, slope, variance, residual variance, intercept, fitted line; "
                "null for fewer than two numbers.",
     .examples = {{{"print series_fit_line(dynamic([1, 3, 5]))[1]", "2"}}},
     .overloads = {lift<series_fit_line<false>>()},
     .parts = kLineParts},
    {.name = "series_fit_line_dynamic",
     .category = "series",
     .summary = "The line that fits a series best, by name.",
     .params = {{{"series", "An array of numbers; other elements count as gaps."}}},
     .returns = "A bag of rsquare, slope, variance, rvariance, interception and line_fit; null for "
                "fewer than two numbers.",
     .examples = {{{"print series_fit_line_dynamic(dynamic([1, 3, 5]))['slope']", "2"}}},
     .overloads = {lift<series_fit_line<true>>()}},
    {.name = "series_fit_poly",
     .category = "series",
     .summary = "The polynomial that fits a series best.",
     .params = {{kFittedSeries,
                 {"[x]",
                  "An array of numbers or datetimes to go with it; null or left out, the "
                  "index.",
                  true},
                 {"[degree]", "The highest power, 0 to 16; 1 when left out."}}},
     .returns = "An array: r square, coefficients from the highest power down, variance, residual "
                "variance, fitted values; null when there are no more numbers than the degree.",
     .examples = {{{"print round(series_fit_poly(dynamic([1, 2, 5, 10]), dynamic(null), 2)[1][0], "
                    "6)",
                    "1"}}},
     .overloads = {lift<series_fit_poly>()},
     .parts = kPolyParts},
}};

}  // namespace

std::optional<Line> fit_line(const NumberSeries& series) {
  double count = 0;
  double sum_x = 0;
  double sum_y = 0;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (series.values[i].has_value()) {
      ++count;
      sum_x += static_cast<double>(i);
      sum_y += *series.values[i];
    }
  }
  if (count < 2) {
    return std::nullopt;
  }
  double xx = 0;
  double xy = 0;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (series.values[i].has_value()) {
      const double x = static_cast<double>(i) - sum_x / count;
      xx += x * x;
      xy += x * (*series.values[i] - sum_y / count);
    }
  }
  Line line;
  line.slope = xy / xx;
  line.intercept = (sum_y - line.slope * sum_x) / count;
  Numbers residuals;
  for (std::size_t i = 0; i < series.size(); ++i) {
    line.fit.push_back(line.intercept + line.slope * static_cast<double>(i));
    if (series.values[i].has_value()) {
      residuals.push_back(*series.values[i] - line.fit.back());
    }
  }
  line.variance = moments_of(series.present()).variance;
  line.residual_variance = moments_of(residuals).variance;
  line.rsquare = line.variance > 0 ? 1 - line.residual_variance / line.variance : 1;
  return line;
}

std::span<const ScalarFunction> series_fit_functions() {
  return kSeriesFitFunctions;
}

}  // namespace evq

// Models of series: the line that fits best, outliers by quantiles, periods by autocorrelation,
// and the parts of a series: trend, season, residual. Gaps are filled along lines first.

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "apl/functions/fourier.h"
#include "apl/functions/number_series.h"
#include "apl/functions/registry.h"

namespace evq {
namespace {

using MaybeArray = std::optional<DynamicBytes>;
using Numbers = std::vector<double>;

// ---- lines

struct Line {
  double slope = 0;
  double intercept = 0;
  double rsquare = 0;
  double variance = 0;           // of the series
  double residual_variance = 0;  // of what the line leaves
  Numbers fit;
};

// Least squares over the places that have a number, x being the index.
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

template <bool kNamed>
MaybeArray series_fit_line(DynamicView array) {
  const std::optional<NumberSeries> series = NumberSeries::read(array);
  const std::optional<Line> line = series.has_value() ? fit_line(*series) : std::nullopt;
  if (!line.has_value()) {
    return std::nullopt;
  }
  struct Field {
    std::string_view name;
    double value;
  };
  const Field fields[] = {{"rsquare", line->rsquare},
                          {"slope", line->slope},
                          {"variance", line->variance},
                          {"rvariance", line->residual_variance},
                          {"interception", line->intercept}};
  DynamicBuilder out;
  kNamed ? out.begin_bag() : out.begin_array();
  for (const Field& field : fields) {
    if (kNamed) {
      out.key(field.name);
    }
    out.add_real(field.value);
  }
  if (kNamed) {
    out.key("line_fit");
  }
  add_numbers(line->fit, &out);
  kNamed ? out.end_bag() : out.end_array();
  return DynamicBytes{out.take()};
}

// ---- outliers

// Between the two nearest ranks.
double quantile(const Numbers& sorted, double share) {
  const double rank = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (rank - static_cast<double>(below));
}

constexpr double kLowQuantile = 0.1;
constexpr double kHighQuantile = 0.9;

// How many spreads of the middle eighty percent a number lies outside of them, with sign; 1.5 is
// a mild anomaly, 3 a strong one. Null for gaps.
std::vector<std::optional<double>> outlier_scores(const NumberSeries& series) {
  Numbers sorted = series.present();
  std::ranges::sort(sorted);
  std::vector<std::optional<double>> scores(series.size());
  if (sorted.empty()) {
    return scores;
  }
  const double low = quantile(sorted, kLowQuantile);
  const double high = quantile(sorted, kHighQuantile);
  const double spread = high - low;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (!series.values[i].has_value()) {
      continue;
    }
    const double value = *series.values[i];
    const double beyond = value > high ? value - high : value < low ? value - low : 0.0;
    scores[i] = beyond == 0 ? 0.0 : beyond / spread;
  }
  return scores;
}

MaybeArray series_outliers(DynamicView array) {
  const std::optional<NumberSeries> series = NumberSeries::read(array);
  return series.has_value() ? MaybeArray(series_of(outlier_scores(*series))) : std::nullopt;
}

// ---- seasons

// Autocorrelation of a series without its mean, 1 at lag 0, by way of the transform.
Numbers autocorrelation(Numbers values) {
  const double mean = moments_of(values).mean;
  ComplexSeries padded(values.size() * 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    padded[i] = values[i] - mean;
  }
  ComplexSeries spectrum = fourier_transform(std::move(padded), false);
  for (std::complex<double>& value : spectrum) {
    value = std::norm(value);
  }
  const ComplexSeries back = fourier_transform(std::move(spectrum), true);
  for (std::size_t lag = 0; lag < values.size(); ++lag) {
    // Each lag has fewer terms than the one before; the mean of them is comparable.
    values[lag] = back[lag].real() / static_cast<double>(values.size() - lag);
  }
  const double power = values.empty() ? 0 : values[0];
  for (double& value : values) {
    value = power > 0 ? value / power : 0;
  }
  return values;
}

Numbers without_line(const NumberSeries& series) {
  Numbers values = series.filled();
  const std::optional<Line> line = fit_line(series);
  for (std::size_t i = 0; line.has_value() && i < values.size(); ++i) {
    values[i] -= line->fit[i];
  }
  return values;
}

constexpr double kSeasonScoreMin = 0.4;
constexpr std::size_t kSeasonRepeatsMin = 2;

// The lag of the highest peak of the autocorrelation, when it is high and repeats enough; 0: none.
// Multiples of a period score nearly like it, so the first lag close to the highest wins.
std::size_t find_period(const Numbers& detrended) {
  const Numbers scores = autocorrelation(detrended);
  const std::size_t lag_max = scores.size() / kSeasonRepeatsMin;
  double best = kSeasonScoreMin;
  for (std::size_t lag = 2; lag < lag_max; ++lag) {
    best = std::max(best, scores[lag]);
  }
  constexpr double kNearlyBest = 0.9;
  for (std::size_t lag = 2; lag < lag_max; ++lag) {
    const bool peak = scores[lag] >= scores[lag - 1] && scores[lag] >= scores[lag + 1];
    if (peak && scores[lag] >= kSeasonScoreMin && scores[lag] >= best * kNearlyBest) {
      return lag;
    }
  }
  return 0;
}

// The mean of each place of the period, around zero, repeated.
Numbers seasonal_part(const Numbers& detrended, std::size_t period) {
  Numbers season(detrended.size(), 0.0);
  if (period == 0 || period >= detrended.size()) {
    return season;
  }
  Numbers means(period, 0.0);
  Numbers counts(period, 0.0);
  for (std::size_t i = 0; i < detrended.size(); ++i) {
    means[i % period] += detrended[i];
    counts[i % period] += 1;
  }
  double level = 0;
  for (std::size_t k = 0; k < period; ++k) {
    means[k] /= counts[k];
    level += means[k] / static_cast<double>(period);
  }
  for (std::size_t i = 0; i < season.size(); ++i) {
    season[i] = means[i % period] - level;
  }
  return season;
}

// -1 means: find the period; 0: there is none; else the number of bins.
std::optional<std::size_t> chosen_period(const Numbers& detrended, std::int64_t wanted) {
  if (wanted == -1) {
    return find_period(detrended);
  }
  return wanted >= 0 ? std::optional(static_cast<std::size_t>(wanted)) : std::nullopt;
}

MaybeArray series_seasonal(DynamicView array, std::optional<std::int64_t> wanted) {
  const std::optional<NumberSeries> series = NumberSeries::read(array);
  if (!series.has_value()) {
    return std::nullopt;
  }
  const Numbers detrended = without_line(*series);
  const std::optional<std::size_t> period = chosen_period(detrended, wanted.value_or(-1));
  return period.has_value() ? MaybeArray(series_of(seasonal_part(detrended, *period)))
                            : std::nullopt;
}

struct Parts {
  Numbers baseline;
  Numbers season;
  Numbers trend;
  NumberSeries residual;
};

// The trend is a line or the mean; "none" leaves it out.
std::optional<Parts> decompose(DynamicView array, std::int64_t wanted, std::string_view trend) {
  const std::optional<NumberSeries> series = NumberSeries::read(array);
  if (!series.has_value() || (trend != "linefit" && trend != "avg" && trend != "none")) {
    return std::nullopt;
  }
  Numbers detrended = without_line(*series);
  const std::optional<std::size_t> period = chosen_period(detrended, wanted);
  if (!period.has_value()) {
    return std::nullopt;
  }
  Parts parts;
  const Numbers filled = series->filled();
  parts.trend.assign(filled.size(), trend == "avg" ? moments_of(series->present()).mean : 0.0);
  const std::optional<Line> line = trend == "linefit" ? fit_line(*series) : std::nullopt;
  for (std::size_t i = 0; i < filled.size(); ++i) {
    parts.trend[i] = line.has_value() ? line->fit[i] : parts.trend[i];
    detrended[i] = filled[i] - parts.trend[i];
  }
  parts.season = seasonal_part(detrended, *period);
  parts.residual = *series;
  for (std::size_t i = 0; i < filled.size(); ++i) {
    parts.baseline.push_back(parts.trend[i] + parts.season[i]);
    if (parts.residual.values[i].has_value()) {
      *parts.residual.values[i] -= parts.baseline[i];
    }
  }
  return parts;
}

MaybeArray series_decompose(DynamicView array, std::optional<std::int64_t> period,
                            std::optional<std::string_view> trend) {
  const std::optional<Parts> parts = decompose(array, period.value_or(-1), trend.value_or("avg"));
  if (!parts.has_value()) {
    return std::nullopt;
  }
  DynamicBuilder out;
  out.begin_array();
  add_numbers(parts->baseline, &out);
  add_numbers(parts->season, &out);
  add_numbers(parts->trend, &out);
  out.add_encoded(DynamicView(series_of(parts->residual.values).bytes));
  out.end_array();
  return DynamicBytes{out.take()};
}

// [flags (1, -1, 0), scores, baseline].
MaybeArray series_decompose_anomalies(DynamicView array, std::optional<double> threshold,
                                      std::optional<std::int64_t> period,
                                      std::optional<std::string_view> trend) {
  const std::optional<Parts> parts = decompose(array, period.value_or(-1), trend.value_or("avg"));
  constexpr double kMildAnomaly = 1.5;
  const double limit = threshold.value_or(kMildAnomaly);
  if (!parts.has_value() || !(limit >= 0)) {
    return std::nullopt;
  }
  const std::vector<std::optional<double>> scores = outlier_scores(parts->residual);
  DynamicBuilder out;
  out.begin_array();
  out.begin_array();
  for (const std::optional<double>& score : scores) {
    const double value = score.value_or(0);
    out.add_long(value > limit ? 1 : value < -limit ? -1 : 0);
  }
  out.end_array();
  out.add_encoded(DynamicView(series_of(scores).bytes));
  add_numbers(parts->baseline, &out);
  out.end_array();
  return DynamicBytes{out.take()};
}

constexpr std::array<ScalarFunction, 6> kSeriesModelFunctions = {{
    {.name = "series_decompose",
     .category = "series",
     .summary = "Takes a series apart into trend, season and rest.",
     .params = {{{"series", "An array of numbers; other elements count as gaps."},
                 {"[period]", "Bins in a season; -1, also when left out, finds one, 0 means none."},
                 {"[trend]", "'avg' (also when left out), 'linefit' or 'none'."}}},
     .returns = "An array of four: baseline (trend and season), season, trend, residual; null when "
                "an argument does not fit.",
     .examples = {{{"print series_decompose(dynamic([1, 3, 1, 3]), 2)[2]", "[2,2,2,2]"}}},
     .overloads = {lift<series_decompose>()}},
    {.name = "series_decompose_anomalies",
     .category = "series",
     .summary = "Finds the places where a series leaves its trend and season.",
     .params = {{{"series", "An array of numbers; other elements count as gaps."},
                 {"[threshold]", "The score from which a place counts, 1.5 when left out."},
                 {"[period]", "Bins in a season; -1, also when left out, finds one, 0 means none."},
                 {"[trend]", "'avg' (also when left out), 'linefit' or 'none'."}}},
     .returns = "An array of three: flags (1, -1 or 0), scores, baseline; null when an argument "
                "does not fit.",
     .examples = {{{"print series_decompose_anomalies(dynamic([1, 2, 1, 2, 1, 90, 1, 2, 1, 2, 1, "
                    "2, 1, 2]), 1.5, 0)[0]",
                    "[0,0,0,0,0,1,0,0,0,0,0,0,0,0]"}}},
     .overloads = {lift<series_decompose_anomalies>()}},
    {.name = "series_fit_line",
     .category = "series",
     .summary = "The line that fits a series best.",
     .params = {{{"series", "An array of numbers; other elements count as gaps."}}},
     .returns = "An array: r square, slope, variance, residual variance, intercept, fitted line; "
                "null for fewer than two numbers.",
     .examples = {{{"print series_fit_line(dynamic([1, 3, 5]))[1]", "2"}}},
     .overloads = {lift<series_fit_line<false>>()}},
    {.name = "series_fit_line_dynamic",
     .category = "series",
     .summary = "The line that fits a series best, by name.",
     .params = {{{"series", "An array of numbers; other elements count as gaps."}}},
     .returns = "A bag of rsquare, slope, variance, rvariance, interception and line_fit; null for "
                "fewer than two numbers.",
     .examples = {{{"print series_fit_line_dynamic(dynamic([1, 3, 5]))['slope']", "2"}}},
     .overloads = {lift<series_fit_line<true>>()}},
    {.name = "series_outliers",
     .category = "series",
     .summary =
         "How far each number lies outside of the middle eighty percent, in units of their spread.",
     .params = {{{"series", "An array of numbers; other elements count as gaps."}}},
     .returns = "An array of reals with sign: above 1.5 mild, above 3 strong; null when the "
                "argument is no array.",
     .examples = {{{"print series_outliers(dynamic([1, 1, 2, 2, 1, 2, 1, 2, 1, 2, 1, 2]))",
                    "[0,0,0,0,0,0,0,0,0,0,0,0]"}}},
     .overloads = {lift<series_outliers>()}},
    {.name = "series_seasonal",
     .category = "series",
     .summary = "The part of a series that repeats.",
     .params = {{{"series", "An array of numbers; other elements count as gaps."},
                 {"[period]",
                  "Bins in a season; -1, also when left out, finds one, 0 means none."}}},
     .returns =
         "An array of reals, all zero when there is no season; null when the argument is no array.",
     .examples = {{{"print series_seasonal(dynamic([1, 3, 1, 3, 1, 3]), 2)[1] > 0.8", "true"}}},
     .overloads = {lift<series_seasonal>()}},
}};

}  // namespace

std::span<const ScalarFunction> series_model_functions() {
  return kSeriesModelFunctions;
}

}  // namespace evq

// Models of series: outliers by quantiles, periods by autocorrelation, and the parts of a series:
// trend, season, residual. Gaps are filled along lines first.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>

#include "apl/functions/dynamic_rows.h"
#include "apl/functions/fourier.h"
#include "apl/functions/number_series.h"
#include "apl/functions/registry.h"
#include "apl/functions/series_fit.h"

namespace evq {
namespace {

// ---- outliers

// Between the two nearest ranks.
double quantile(const Numbers& sorted, double share) {
  const double rank = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double beyond = rank - static_cast<double>(below);
  return beyond == 0 ? sorted[below]  // whatever is above it, even an infinity
                     : sorted[below] + (sorted[above] - sorted[below]) * beyond;
}

// Between which percentiles numbers are usual.
struct UsualRange {
  double low = 10;
  double high = 90;
};
constexpr UsualRange kTukey{25, 75};

// "ctukey" (the default) takes the percentiles that its caller chooses, "tukey" the quartiles.
std::optional<UsualRange> usual_range(std::optional<std::string_view> method, UsualRange chosen) {
  if (method.value_or("ctukey") == "tukey") {
    return kTukey;
  }
  const bool ordered = chosen.low >= 0 && chosen.low < chosen.high && chosen.high <= 100;
  return method.value_or("ctukey") == "ctukey" && ordered ? std::optional(chosen) : std::nullopt;
}

// The largest score, and that of any number outside of a usual range without width.
constexpr double kScoreMax = 1e12;

// How many spreads of the usual range a number lies outside of it, with sign; 1.5 is a mild
// anomaly, 3 a strong one. 0 for gaps and for NaN, which is in no order.
Numbers outlier_scores(const NumberSeries& series, UsualRange usual) {
  Numbers sorted = series.present();
  std::erase_if(sorted, [](double value) { return std::isnan(value); });
  std::ranges::sort(sorted);
  Numbers scores(series.size(), 0);
  if (sorted.empty()) {
    return scores;
  }
  const double low = quantile(sorted, usual.low / 100);
  const double high = quantile(sorted, usual.high / 100);
  const double spread = high - low;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (!series.values[i].has_value() || std::isnan(*series.values[i])) {
      continue;
    }
    const double value = *series.values[i];
    const double beyond = value > high ? value - high : value < low ? value - low : 0.0;
    scores[i] = beyond == 0 ? 0.0 : std::clamp(beyond / spread, -kScoreMax, kScoreMax);
  }
  return scores;
}

MaybeDynamic series_outliers(DynamicView array, std::optional<std::string_view> method,
                             std::optional<double> ignored, std::optional<double> low,
                             std::optional<double> high) {
  std::optional<NumberSeries> series = NumberSeries::read(array);
  const UsualRange defaults;
  const std::optional<UsualRange> usual =
      usual_range(method, {low.value_or(defaults.low), high.value_or(defaults.high)});
  if (!series.has_value() || !usual.has_value()) {
    return std::nullopt;
  }
  for (std::optional<double>& value : series->values) {
    if (ignored.has_value() && value == ignored) {
      value = std::nullopt;
    }
  }
  return series_of(outlier_scores(*series, *usual));
}

// ---- seasons

// Autocorrelation of a series without its mean, 1 at lag 0, by way of the transform: of a length
// that transforms are quick at, with room for the zeros that keep its ends apart.
Numbers autocorrelation(Numbers values) {
  const double mean = moments_of(values).mean;
  ComplexSeries padded(std::bit_ceil(values.size() * 2));
  for (std::size_t i = 0; i < values.size(); ++i) {
    padded[i] = values[i] - mean;
  }
  ComplexSeries spectrum = fourier_transform(std::move(padded), FourierDirection::kForward);
  for (std::complex<double>& value : spectrum) {
    value = std::norm(value);
  }
  const ComplexSeries back = fourier_transform(std::move(spectrum), FourierDirection::kInverse);
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

constexpr double kSeasonScoreMin = 0.6;
constexpr double kSeasonalScoreMin = 0.7;  // of series_seasonal(), which takes no threshold
constexpr std::size_t kSeasonRepeatsMin = 2;
constexpr double kChanceErrors = 1.96;  // standard errors that few autocorrelations of noise reach
constexpr std::size_t kPeriodMin = 4;   // bins; shorter ones are noise more often than seasons

bool is_peak(const Numbers& scores, std::size_t lag) {
  return scores[lag] >= scores[lag - 1] && scores[lag] >= scores[lag + 1];
}

// The lag of the highest peak of the autocorrelation, when it is high and repeats enough; 0: none.
// Multiples of a period score nearly like it, so the first lag close to the highest wins.
std::size_t find_period(const Numbers& detrended, double score_min) {
  const Numbers scores = autocorrelation(detrended);
  const std::size_t lag_max = scores.size() / kSeasonRepeatsMin;
  double best = score_min;
  for (std::size_t lag = kPeriodMin; lag < lag_max; ++lag) {
    best = std::max(best, scores[lag]);
  }
  constexpr double kNearlyBest = 0.9;
  for (std::size_t lag = kPeriodMin; lag < lag_max; ++lag) {
    if (is_peak(scores, lag) && scores[lag] >= std::max(score_min, best * kNearlyBest)) {
      return lag;
    }
  }
  return 0;
}

struct Period {
  double lag = 0;
  double score = 0;
};

// How well a series repeats after `lag` places: the lowest of its autocorrelations there and at the
// multiples up to half of it. The series counts as it is, so that a trend, with which it repeats
// less, lowers the score; Kusto's pages print such scores.
double repeat_score(const Numbers& correlations, double lag) {
  double score = 1;
  const std::size_t lag_max = correlations.size() / kSeasonRepeatsMin;
  double multiple = lag;
  while (multiple <= static_cast<double>(lag_max)) {
    score = std::min(score, correlations[static_cast<std::size_t>(std::llround(multiple))]);
    multiple += lag;
  }
  return std::max(score, 0.0);
}

DynamicBytes periods_of(const std::vector<Period>& periods) {
  DynamicBuilder out;
  out.begin_array();
  out.begin_array();
  for (const Period& period : periods) {
    out.add_real(period.lag);
  }
  out.end_array();
  out.begin_array();
  for (const Period& period : periods) {
    out.add_real(period.score);
  }
  out.end_array();
  out.end_array();
  return {out.take()};
}

// Whether no score within a quarter of a lag is higher, nor as high before it: the days of a week
// make peaks on both sides of the week's own. What is higher is mostly near, so that is sought from
// the lag outwards.
bool is_highest_around(const Numbers& scores, std::size_t lag) {
  for (std::size_t distance = 1; distance <= std::max<std::size_t>(lag / 4, 1); ++distance) {
    const bool beaten_after =
        lag + distance < scores.size() && scores[lag + distance] > scores[lag];
    if (beaten_after || scores[lag - distance] >= scores[lag]) {
      return false;
    }
  }
  return true;
}

// The highest peaks between the bounds that a series of chance would hardly have. A multiple of a
// shorter period that scores nearly as high is that period again and left out. Places without a
// period are zero.
MaybeDynamic series_periods_detect(DynamicView array, double least, double most,
                                   std::int64_t count) {
  const std::optional<NumberSeries> series = NumberSeries::read(array);
  if (!series.has_value() || !(least >= 0) || !(most >= least) || count < 1) {
    return std::nullopt;
  }
  const Numbers scores = autocorrelation(without_line(*series));
  const Numbers correlations = autocorrelation(series->filled());
  const std::size_t lag_end = scores.size() / kSeasonRepeatsMin;
  Numbers score_of_divisor(lag_end, 0.0);  // the best of the periods found that go into a lag
  const double score_min = kChanceErrors / std::sqrt(static_cast<double>(scores.size()));
  std::vector<Period> found;
  for (std::size_t lag = kPeriodMin; lag < lag_end; ++lag) {
    const auto at = static_cast<double>(lag);
    constexpr double kClearlyHigher = 1.1;
    if (at < least || at > most || scores[lag] <= score_min || !is_peak(scores, lag) ||
        scores[lag] < score_of_divisor[lag] * kClearlyHigher || !is_highest_around(scores, lag)) {
      continue;
    }
    found.push_back({at, repeat_score(correlations, at)});
    for (std::size_t multiple = 2 * lag; multiple < lag_end; multiple += lag) {
      score_of_divisor[multiple] = std::max(score_of_divisor[multiple], std::min(scores[lag], 1.0));
    }
  }
  std::ranges::stable_sort(found, std::ranges::greater(), &Period::score);
  found.resize(std::min<std::size_t>(scores.size(), static_cast<std::size_t>(count)));
  return periods_of(found);
}

bool series_periods_validate(std::span<const DynamicView> args, DynamicBuilder* out) {
  const std::optional<NumberSeries> series = NumberSeries::read(args[0]);
  if (!series.has_value()) {
    return false;
  }
  const Numbers correlations = autocorrelation(series->filled());
  std::vector<Period> periods;
  for (const DynamicView& arg : args.subspan(1)) {
    if (!arg.is_number()) {
      return false;
    }
    const double lag = arg.as_real();
    const std::size_t lag_max = correlations.size() / kSeasonRepeatsMin;
    const bool repeats =
        lag >= static_cast<double>(kPeriodMin) && lag <= static_cast<double>(lag_max);
    periods.push_back({lag, repeats ? repeat_score(correlations, lag) : 0});
  }
  out->add_encoded(DynamicView(periods_of(periods).bytes));
  return true;
}

// The mean of each place of the period, around zero, repeated over `size` places.
Numbers seasonal_part(const Numbers& detrended, std::size_t period, std::size_t size) {
  Numbers season(size, 0.0);
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
  for (std::size_t i = 0; i < size; ++i) {
    season[i] = means[i % period] - level;
  }
  return season;
}

// -1 means: find the period; 0: there is none; else the number of bins.
std::optional<std::size_t> chosen_period(const Numbers& detrended, std::int64_t wanted,
                                         double score_min) {
  if (wanted == -1) {
    return find_period(detrended, score_min);
  }
  return wanted >= 0 ? std::optional(static_cast<std::size_t>(wanted)) : std::nullopt;
}

// The median of each place of the period over its repeats, repeated over `size` places.
Numbers seasonal_medians(const Numbers& values, std::size_t period, std::size_t size) {
  Numbers season(size, 0.0);
  if (period == 0 || period >= values.size()) {
    return season;
  }
  Numbers medians;
  for (std::size_t place = 0; place < period; ++place) {
    Numbers repeats;
    for (std::size_t i = place; i < values.size(); i += period) {
      repeats.push_back(values[i]);
    }
    std::erase_if(repeats, [](double value) { return std::isnan(value); });
    std::ranges::sort(repeats);
    medians.push_back(repeats.empty() ? std::nan("") : quantile(repeats, 0.5));
  }
  for (std::size_t i = 0; i < size; ++i) {
    season[i] = medians[i % period];
  }
  return season;
}

MaybeDynamic series_seasonal(DynamicView array, std::optional<std::int64_t> wanted,
                             std::optional<std::int64_t> test_points) {
  const std::optional<NumberSeries> series = NumberSeries::read(array);
  const std::int64_t left_out = test_points.value_or(0);
  if (!series.has_value() || left_out < 0 || left_out > static_cast<std::int64_t>(series->size())) {
    return std::nullopt;
  }
  const std::size_t learned = series->size() - static_cast<std::size_t>(left_out);
  Numbers detrended = without_line(*series);
  detrended.resize(learned);
  const auto period = chosen_period(detrended, wanted.value_or(-1), kSeasonalScoreMin);
  Numbers values = series->filled();
  values.resize(learned);
  return series_of(seasonal_medians(values, period.value_or(0), series->size()));
}

// ---- trend, season, residual

struct PartOptions {
  std::int64_t period = -1;
  std::string_view trend = "avg";  // or linefit, none
  std::int64_t test_points = 0;    // at the end, which the model does not learn from
  double score_min = kSeasonScoreMin;

  // Each absent one keeps its default.
  void set(std::optional<std::int64_t> wanted_period, std::optional<std::string_view> wanted_trend,
           std::optional<std::int64_t> points, std::optional<double> score) {
    period = wanted_period.value_or(period);
    trend = wanted_trend.value_or(trend);
    test_points = points.value_or(test_points);
    score_min = score.value_or(score_min);
  }
};

struct Parts {
  Numbers baseline;
  Numbers season;
  Numbers trend;
  NumberSeries residual;
};

std::optional<Numbers> trend_of(const NumberSeries& learned, std::string_view kind,
                                std::size_t size) {
  if (kind == "linefit") {
    const std::optional<Line> line = fit_line(learned);
    Numbers trend(size, 0.0);
    for (std::size_t i = 0; line.has_value() && i < size; ++i) {
      trend[i] = line->intercept + line->slope * static_cast<double>(i);
    }
    return trend;
  }
  if (kind == "avg") {
    return Numbers(size, moments_of(learned.present()).mean);
  }
  return kind == "none" ? std::optional(Numbers(size, 0.0)) : std::nullopt;
}

std::optional<Parts> decompose(DynamicView array, const PartOptions& options) {
  const std::optional<NumberSeries> series = NumberSeries::read(array);
  if (!series.has_value() || options.test_points < 0 ||
      options.test_points > static_cast<std::int64_t>(series->size())) {
    return std::nullopt;
  }
  NumberSeries learned = *series;
  learned.values.resize(series->size() - static_cast<std::size_t>(options.test_points));
  std::optional<Numbers> trend = trend_of(learned, options.trend, series->size());
  Numbers detrended = without_line(learned);
  const auto period = chosen_period(detrended, options.period, options.score_min);
  if (!trend.has_value() || !period.has_value()) {
    return std::nullopt;
  }
  const Numbers filled = learned.filled();
  for (std::size_t i = 0; i < filled.size(); ++i) {
    detrended[i] = filled[i] - (*trend)[i];
  }
  Parts parts;
  parts.trend = *std::move(trend);
  parts.season = seasonal_part(detrended, *period, series->size());
  parts.residual = *series;
  for (std::size_t i = 0; i < series->size(); ++i) {
    parts.baseline.push_back(parts.trend[i] + parts.season[i]);
    if (parts.residual.values[i].has_value()) {
      *parts.residual.values[i] -= parts.baseline[i];
    }
  }
  return parts;
}

MaybeDynamic series_decompose(DynamicView array, std::optional<std::int64_t> period,
                              std::optional<std::string_view> trend,
                              std::optional<std::int64_t> test_points,
                              std::optional<double> score_min) {
  PartOptions options;
  options.set(period, trend, test_points, score_min);
  const std::optional<Parts> parts = decompose(array, options);
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

// The baseline, carried on over the last points, which it did not learn from.
MaybeDynamic series_decompose_forecast(DynamicView array, std::int64_t points,
                                       std::optional<std::int64_t> period,
                                       std::optional<std::string_view> trend,
                                       std::optional<double> score_min) {
  PartOptions options;
  options.trend = "linefit";
  options.set(period, trend, points, score_min);
  const std::optional<Parts> parts = decompose(array, options);
  return parts.has_value() ? MaybeDynamic(series_of(parts->baseline)) : std::nullopt;
}

// [flags (1, -1, 0), scores, baseline].
// NOLINTNEXTLINE(readability-function-size): as many parameters as APL gives it
MaybeDynamic series_decompose_anomalies(DynamicView array, std::optional<double> threshold,
                                        std::optional<std::int64_t> period,
                                        std::optional<std::string_view> trend,
                                        std::optional<std::int64_t> test_points,
                                        std::optional<std::string_view> method,
                                        std::optional<double> score_min) {
  PartOptions options;
  options.set(period, trend, test_points, score_min);
  const std::optional<Parts> parts = decompose(array, options);
  const std::optional<UsualRange> usual = usual_range(method, {});
  constexpr double kMildAnomaly = 1.5;
  const double limit = threshold.value_or(kMildAnomaly);
  if (!parts.has_value() || !usual.has_value() || !(limit >= 0)) {
    return std::nullopt;
  }
  const Numbers scores = outlier_scores(parts->residual, *usual);
  DynamicBuilder out;
  out.begin_array();
  out.begin_array();
  for (const double score : scores) {
    out.add_long(score > limit ? 1 : score < -limit ? -1 : 0);
  }
  out.end_array();
  add_numbers(scores, &out);
  add_numbers(parts->baseline, &out);
  out.end_array();
  return DynamicBytes{out.take()};
}

constexpr ParameterDoc kModelSeries{"series", "An array of numbers; other elements count as gaps."};
constexpr ParameterDoc kPeriod{
    "[period]", "Bins in a season; -1, also when left out, finds one, 0 means none."};
constexpr ParameterDoc kTrend{"[trend]", "'avg' (also when left out), 'linefit' or 'none'."};
constexpr ParameterDoc kTestPoints{"[test_points]",
                                   "How many places at the end the model does not learn from, 0 "
                                   "when left out."};
constexpr ParameterDoc kScoreMin{"[seasonality_threshold]",
                                 "The autocorrelation from which a season is one, 0.6 when left "
                                 "out."};
constexpr ParameterDoc kMethod{"[method]",
                               "'ctukey' (also when left out), between the 10th and the 90th "
                               "percentile, or 'tukey', between the quartiles."};

// What Kusto calls the parts of the arrays.
constexpr std::string_view kParts[] = {"baseline", "seasonal", "trend", "residual"};
constexpr std::string_view kAnomalyParts[] = {"ad_flag", "ad_score", "baseline"};
constexpr std::string_view kPeriodParts[] = {"periods", "scores"};

constexpr std::array<ScalarFunction, 7> kSeriesModelFunctions = {{
    {.name = "series_decompose",
     .category = "series",
     .summary = "Takes a series apart into trend, season and rest.",
     .params = {{kModelSeries, kPeriod, kTrend, kTestPoints, kScoreMin}},
     .returns = "An array of four: baseline (trend and season), season, trend, residual; null when "
                "an argument does not fit.",
     .examples = {{{"print series_decompose(dynamic([1, 3, 1, 3]), 2)[2]", "[2,2,2,2]"}}},
     .overloads = {lift<series_decompose>()},
     .parts = kParts},
    {.name = "series_decompose_anomalies",
     .category = "series",
     .summary = "Finds the places where a series leaves its trend and season.",
     .params = {{kModelSeries,
                 {"[threshold]", "The score from which a place counts, 1.5 when left out."},
                 kPeriod,
                 kTrend,
                 kTestPoints,
                 kMethod,
                 kScoreMin}},
     .returns = "An array of three: flags (1, -1 or 0), scores, baseline; null when an argument "
                "does not fit.",
     .examples = {{{"print series_decompose_anomalies(dynamic([1, 2, 1, 2, 1, 90, 1, 2, 1, 2, 1, "
                    "2, 1, 2]), 1.5, 0)[0]",
                    "[0,0,0,0,0,1,0,0,0,0,0,0,0,0]"}}},
     .overloads = {lift<series_decompose_anomalies>()},
     .parts = kAnomalyParts},
    {.name = "series_decompose_forecast",
     .category = "series",
     .summary = "Carries the trend and season of a series on over its last places.",
     .params = {{kModelSeries,
                 {"points",
                  "How many places at the end to forecast; what stands there does not "
                  "count."},
                 kPeriod,
                 {"[trend]", "'linefit' (also when left out), 'avg' or 'none'."},
                 kScoreMin}},
     .returns = "An array of reals as long as the series; null when an argument does not fit.",
     .examples = {{{"print series_decompose_forecast(dynamic([1, 2, 3, 4, 0, 0]), 2, 0)",
                    "[1,2,3,4,5,6]"}}},
     .overloads = {lift<series_decompose_forecast>()}},
    {.name = "series_outliers",
     .category = "series",
     .summary = "How far each number lies outside of the usual range, in units of its width.",
     .params = {{kModelSeries,
                 kMethod,
                 {"[ignored]", "A number that counts as a gap; none when null or left out.", true},
                 {"[low]",
                  "The percentile where the usual range of 'ctukey' begins, 10 when left "
                  "out."},
                 {"[high]", "The percentile where it ends, 90 when left out."}}},
     .returns =
         "An array of reals with sign: above 1.5 mild, above 3 strong; 0 for a gap. 1e12 is the "
         "largest, and that of each number outside of a usual range without width. Null when the "
         "first argument is no array.",
     .examples = {{{"print series_outliers(dynamic([1, 1, 2, 2, 1, 2, 1, 2, 1, 2, 1, 2]))",
                    "[0,0,0,0,0,0,0,0,0,0,0,0]"}}},
     .overloads = {lift<series_outliers>()},
     .result_name = ResultName::kArgument},
    {.name = "series_periods_detect",
     .category = "series",
     .summary = "The periods in which a series repeats.",
     .params = {{kModelSeries,
                 {"min_period", "The shortest period to look for, in bins; 4 at least counts."},
                 {"max_period", "The longest one; half of the series at most counts."},
                 {"count", "How many places the answer has, at most one an element."}}},
     .returns = "An array of two: periods, best first, and their scores from 0 to 1 as "
                "series_periods_validate() gives them, both zero where there are no more; null "
                "when an argument does not fit.",
     .examples = {{{"print series_periods_detect(dynamic([1, 2, 3, 9, 1, 2, 3, 9, 1, 2, 3, 9]), "
                    "4, 6, 1)[0]",
                    "[4]"}}},
     .overloads = {lift<series_periods_detect>()},
     .parts = kPeriodParts},
    {.name = "series_periods_validate",
     .category = "series",
     .summary = "How well a series repeats in given periods.",
     .params = {{kModelSeries,
                 {"periods...",
                  "1 to 16 numbers of bins; below 4 and beyond half of the series scores 0."}}},
     .returns = "An array of two: the periods and their scores from 0 to 1, the lowest "
                "autocorrelation of the series, a trend included, at the period and its multiples "
                "up to half of the series; null when an argument does not fit.",
     .examples = {{{"print series_periods_validate(dynamic([1, 2, 3, 9, 1, 2, 3, 9, 1, 2, 3, 9]), "
                    "4, 5)[1][0] > 0.9",
                    "true"}}},
     .bind = bind_dynamic_rows<series_periods_validate>,
     .arguments_min = 2,
     .arguments_max = 17,
     .parts = kPeriodParts},
    {.name = "series_seasonal",
     .category = "series",
     .summary = "The part of a series that repeats: the median of each place of its period.",
     .params = {{kModelSeries, kPeriod, kTestPoints}},
     .returns = "An array of reals, all zero when there is no season; a period is found when its "
                "autocorrelation reaches 0.7. Null when the argument is no array.",
     .examples = {{{"print series_seasonal(dynamic([1, 3, 1, 4, 7, 3]), 2)", "[1,3,1,3,1,3]"}}},
     .overloads = {lift<series_seasonal>()}},
}};

}  // namespace

std::span<const ScalarFunction> series_model_functions() {
  return kSeriesModelFunctions;
}

}  // namespace evq

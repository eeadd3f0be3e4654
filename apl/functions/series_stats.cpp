// Numbers that describe a series or compare two. Gaps are left out.

#include <array>
#include <cmath>
#include <optional>

#include "apl/functions/number_series.h"
#include "apl/functions/registry.h"

namespace evq {
namespace {

MaybeReal sum(DynamicView array) {
  const std::optional<NumberSeries> series = NumberSeries::read(array);
  if (!series.has_value()) {
    return std::nullopt;
  }
  double total = 0;
  for (const double value : series->present()) {
    total += value;
  }
  return total;
}

MaybeReal product(DynamicView array) {
  const std::optional<NumberSeries> series = NumberSeries::read(array);
  if (!series.has_value()) {
    return std::nullopt;
  }
  double total = 1;
  for (const double value : series->present()) {
    total *= value;
  }
  return total;
}

MaybeReal magnitude(DynamicView array) {
  const std::optional<NumberSeries> series = NumberSeries::read(array);
  if (!series.has_value()) {
    return std::nullopt;
  }
  double squares = 0;
  for (const double value : series->present()) {
    squares += value * value;
  }
  return std::sqrt(squares);
}

// The places where both series have a number, up to the end of the shorter one.
struct Common {
  Numbers left;
  Numbers right;
};

std::optional<Common> common_of(DynamicView a, DynamicView b) {
  const std::optional<NumberSeries> left = NumberSeries::read(a);
  const std::optional<NumberSeries> right = NumberSeries::read(b);
  if (!left.has_value() || !right.has_value()) {
    return std::nullopt;
  }
  Common common;
  for (std::size_t i = 0; i < std::min(left->size(), right->size()); ++i) {
    if (left->values[i].has_value() && right->values[i].has_value()) {
      common.left.push_back(*left->values[i]);
      common.right.push_back(*right->values[i]);
    }
  }
  return common;
}

double dot(const Numbers& a, const Numbers& b) {
  double total = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    total += a[i] * b[i];
  }
  return total;
}

// One number stands for a series of it.
MaybeReal dot_product(DynamicView a, DynamicView b) {
  if ((a.is_array() && a.size() == 0) || (b.is_array() && b.size() == 0)) {
    return std::nullopt;
  }
  if (a.is_number() != b.is_number()) {
    const std::optional<NumberSeries> series = NumberSeries::read(a.is_number() ? b : a);
    if (!series.has_value()) {
      return std::nullopt;
    }
    const double factor = (a.is_number() ? a : b).as_real();
    double total = 0;
    for (const std::optional<double>& value : series->values) {
      total += value.value_or(0) * factor;
    }
    return total;
  }
  const std::optional<Common> common = common_of(a, b);
  return common.has_value() ? MaybeReal(dot(common->left, common->right)) : std::nullopt;
}

// The cosine of the angle between two vectors. One root of the product is exact where two roots are
// not; two are for products that leave the range of doubles.
MaybeReal cosine(const Common& common) {
  const double left = dot(common.left, common.left);
  const double right = dot(common.right, common.right);
  if (!(left > 0) || !(right > 0)) {
    return std::nullopt;
  }
  const bool fits = std::isnormal(left * right);
  return dot(common.left, common.right) /
         (fits ? std::sqrt(left * right) : std::sqrt(left) * std::sqrt(right));
}

// With magnitudes that the caller has computed before, or one of them.
MaybeReal cosine_similarity(DynamicView a, DynamicView b, MaybeReal left, MaybeReal right) {
  const std::optional<Common> common = common_of(a, b);
  if (!common.has_value() || (!left.has_value() && !right.has_value())) {
    return common.has_value() ? cosine(*common) : std::nullopt;
  }
  const double lengths = left.value_or(std::sqrt(dot(common->left, common->left))) *
                         right.value_or(std::sqrt(dot(common->right, common->right)));
  return lengths > 0 ? MaybeReal(dot(common->left, common->right) / lengths) : std::nullopt;
}

MaybeReal pearson_correlation(DynamicView a, DynamicView b) {
  std::optional<Common> common = common_of(a, b);
  if (!common.has_value() || a.size() != b.size() || common->left.size() < 2) {
    return std::nullopt;
  }
  const double left_mean = moments_of(common->left).mean;
  const double right_mean = moments_of(common->right).mean;
  for (std::size_t i = 0; i < common->left.size(); ++i) {
    common->left[i] -= left_mean;
    common->right[i] -= right_mean;
  }
  return cosine(*common);
}

struct Summary {
  double min = 0;
  std::size_t min_index = 0;
  double max = 0;
  std::size_t max_index = 0;
  SeriesMoments moments;
};

// Nothing for a series without numbers. `finite_only` true leaves infinities and NaN out besides
// what is no number; false makes either of them spoil the whole.
std::optional<Summary> summary_of(DynamicView array, MaybeBool finite_only) {
  std::optional<NumberSeries> series = NumberSeries::read(array);
  if (!series.has_value()) {
    return std::nullopt;
  }
  std::optional<Summary> summary;
  for (std::size_t i = 0; i < series->size(); ++i) {
    std::optional<double>& number = series->values[i];
    if (finite_only.has_value() && number.has_value() && !std::isfinite(*number)) {
      number.reset();
    }
    if (!number.has_value()) {
      if (finite_only == false) {
        return std::nullopt;
      }
      continue;
    }
    const double value = *number;
    if (!summary.has_value()) {
      summary = Summary{value, i, value, i, {}};
    }
    if (value < summary->min || std::isnan(summary->min)) {
      summary->min = value;
      summary->min_index = i;
    }
    if (value > summary->max || std::isnan(summary->max)) {
      summary->max = value;
      summary->max_index = i;
    }
  }
  if (summary.has_value()) {
    summary->moments = moments_of(series->present());
  }
  return summary;
}

MaybeDynamic stats(DynamicView array, MaybeBool finite_only) {
  const std::optional<Summary> summary = summary_of(array, finite_only);
  if (!summary.has_value()) {
    return std::nullopt;
  }
  DynamicBuilder out;
  out.begin_array();
  out.add_real(summary->min);
  out.add_long(static_cast<std::int64_t>(summary->min_index));
  out.add_real(summary->max);
  out.add_long(static_cast<std::int64_t>(summary->max_index));
  out.add_real(summary->moments.mean);
  out.add_real(summary->moments.variance);
  out.add_real(std::sqrt(summary->moments.variance));
  out.end_array();
  return DynamicBytes{out.take()};
}

MaybeDynamic stats_dynamic(DynamicView array, MaybeBool finite_only) {
  const std::optional<Summary> summary = summary_of(array, finite_only);
  if (!summary.has_value()) {
    return std::nullopt;
  }
  DynamicBuilder out;
  out.begin_bag();
  out.key("min");
  out.add_real(summary->min);
  out.key("min_idx");
  out.add_long(static_cast<std::int64_t>(summary->min_index));
  out.key("max");
  out.add_real(summary->max);
  out.key("max_idx");
  out.add_long(static_cast<std::int64_t>(summary->max_index));
  out.key("avg");
  out.add_real(summary->moments.mean);
  out.key("variance");
  out.add_real(summary->moments.variance);
  out.key("stdev");
  out.add_real(std::sqrt(summary->moments.variance));
  out.end_bag();
  return DynamicBytes{out.take()};
}

constexpr ParameterDoc kFiniteOnly = {
    "[ignore_nonfinite]",
    "True to leave out infinities and NaN, too; false to give null when there is any of them or an "
    "element that is no number."};

constexpr std::array<ScalarFunction, 8> kSeriesStatsFunctions = {{
    {.name = "series_cosine_similarity",
     .category = "series",
     .summary = "The cosine of the angle between two series as vectors.",
     .params = {{{"a", "An array of numbers."},
                 {"b", "An array of numbers."},
                 {"[magnitude_a]", "What series_magnitude(a) gives, if it is known already."},
                 {"[magnitude_b]", "The same of b."}}},
     .returns = "A real from -1 to 1; null when a series is empty or all zero.",
     .examples = {{{"print series_cosine_similarity(dynamic([1, 0]), dynamic([0, 1]))", "0"}}},
     .overloads = {lift<cosine_similarity>()}},
    {.name = "series_dot_product",
     .category = "series",
     .summary = "The sum of the products of each two elements.",
     .params = {{{"a", "An array of numbers, or one number for all."},
                 {"b", "An array of numbers, or one number for all."}}},
     .returns = "A real over the length of the shorter series; null when an argument does not fit "
                "or is an empty array.",
     .examples = {{{"print series_dot_product(dynamic([1, 2, 3]), dynamic([4, 5, 6]))", "32"}}},
     .overloads = {lift<dot_product>()}},
    {.name = "series_magnitude",
     .category = "series",
     .summary = "The square root of the sum of squares.",
     .params = {{{"series", "An array of numbers; other elements are left out."}}},
     .returns = "A real; null when the argument is no array.",
     .examples = {{{"print series_magnitude(dynamic([3, 4]))", "5"}}},
     .overloads = {lift<magnitude>()}},
    {.name = "series_pearson_correlation",
     .category = "series",
     .summary = "How well a line relates two series.",
     .params = {{{"a", "An array of numbers."}, {"b", "An array of numbers."}}},
     .returns = "A real from -1 to 1; null when the lengths differ, when fewer than two places "
                "have both numbers and when a series is constant.",
     .examples = {{{"print series_pearson_correlation(dynamic([1, 2, 3]), dynamic([2, 4, 6]))",
                    "1"}}},
     .overloads = {lift<pearson_correlation>()}},
    {.name = "series_product",
     .category = "series",
     .summary = "The product of a series.",
     .params = {{{"series", "An array of numbers; other elements are left out."}}},
     .returns = "A real, 1 for an empty series; null when the argument is no array.",
     .examples = {{{"print series_product(dynamic([2, 3, null]))", "6"}}},
     .overloads = {lift<product>()}},
    {.name = "series_stats",
     .category = "series",
     .summary = "Minimum, maximum, mean and spread of a series.",
     .params = {{{"series", "An array of numbers; other elements are left out."}, kFiniteOnly}},
     .returns = "An array: minimum, its index, maximum, its index, average, sample variance, "
                "standard deviation; null for a series without numbers.",
     .examples = {{{"print series_stats(dynamic([2, 4, 6]))", "[2,0,6,2,4,4,2]"}}},
     .overloads = {lift<stats>()}},
    {.name = "series_stats_dynamic",
     .category = "series",
     .summary = "Minimum, maximum, mean and spread of a series, by name.",
     .params = {{{"series", "An array of numbers; other elements are left out."}, kFiniteOnly}},
     .returns = "A bag of min, min_idx, max, max_idx, avg, variance and stdev (of the sample); "
                "null for a series without numbers.",
     .examples = {{{"print series_stats_dynamic(dynamic([2, 4, 6]))",
                    "{\"min\":2,\"min_idx\":0,\"max\":6,\"max_idx\":2,\"avg\":4,\"variance\":4,"
                    "\"stdev\":2}"}}},
     .overloads = {lift<stats_dynamic>()}},
    {.name = "series_sum",
     .category = "series",
     .summary = "The sum of a series.",
     .params = {{{"series", "An array of numbers; other elements are left out."}}},
     .returns = "A real, 0 for an empty series; null when the argument is no array.",
     .examples = {{{"print series_sum(dynamic([1, 2, null, 3]))", "6"}}},
     .overloads = {lift<sum>()}},
}};

}  // namespace

std::span<const ScalarFunction> series_stats_functions() {
  return kSeriesStatsFunctions;
}

}  // namespace evq

// Element-wise functions of series (arrays of numbers). A gap stays a gap; what is outside of a
// function's domain becomes one. Two series of different length: the result of add, divide and the
// comparisons is as long as the shorter one, that of multiply, subtract, min and max as the longer
// one, with gaps at the end. One number may stand for a whole series of it. What sums, differences
// and the like make of timespans alone are timespans.

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "apl/functions/dynamic_elements.h"
#include "apl/functions/number_series.h"
#include "apl/functions/power.h"
#include "apl/functions/registry.h"

namespace evq {
namespace {

// ---- of one series

bool within_one(double x) {
  return x >= -1 && x <= 1;
}
MaybeReal abs_of(double x) {
  return std::fabs(x);
}
MaybeReal acos_of(double x) {
  return within_one(x) ? MaybeReal(std::acos(x)) : std::nullopt;
}
MaybeReal asin_of(double x) {
  return within_one(x) ? MaybeReal(std::asin(x)) : std::nullopt;
}
MaybeReal atan_of(double x) {
  return std::atan(x);
}
MaybeReal ceiling_of(double x) {
  return std::ceil(x);
}
MaybeReal cos_of(double x) {
  return std::cos(x);
}
MaybeReal exp_of(double x) {
  return std::exp(x);
}
MaybeReal floor_of(double x) {
  return std::floor(x);
}
MaybeReal log_of(double x) {
  return x > 0 ? MaybeReal(std::log(x)) : std::nullopt;
}
MaybeReal sign_of(double x) {
  return std::isnan(x) ? MaybeReal() : MaybeReal(x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0);
}
MaybeReal sin_of(double x) {
  return std::sin(x);
}
MaybeReal tan_of(double x) {
  return std::tan(x);
}

template <auto F, bool kKeepsUnit = false>
MaybeDynamic map_series(DynamicView array) {
  std::optional<NumberSeries> series = NumberSeries::read(array);
  if (!series.has_value()) {
    return std::nullopt;
  }
  for (MaybeReal& value : series->values) {
    if (value.has_value()) {
      value = F(*value);
    }
  }
  return kKeepsUnit && series->timespans ? timespans_of(series->values) : series_of(series->values);
}

// ---- of two

double add_of(double a, double b) {
  return a + b;
}
double subtract_of(double a, double b) {
  return a - b;
}
double multiply_of(double a, double b) {
  return a * b;
}
double divide_of(double a, double b) {
  return a / b;
}
double max_of_two(double a, double b) {
  return std::max(a, b);
}
double min_of_two(double a, double b) {
  return std::min(a, b);
}
double pow_of(double a, double b) {
  return power(a, b);
}
bool greater_of(double a, double b) {
  return a > b;
}
bool greater_equals_of(double a, double b) {
  return a >= b;
}
bool less_of(double a, double b) {
  return a < b;
}
bool less_equals_of(double a, double b) {
  return a <= b;
}

enum class Length : std::uint8_t { kShorter, kLonger };

// A series, or one number that stands for `size` of it.
std::optional<NumberSeries> series_or_number(DynamicView value, std::size_t size) {
  const MaybeReal number = series_number(value);
  if (!number.has_value()) {
    return NumberSeries::read(value);
  }
  NumberSeries series;
  series.values.assign(size, number);
  series.timespans = !value.is_number();
  return series;
}

struct SeriesPair {
  NumberSeries left;
  NumberSeries right;
  std::size_t size = 0;
};

std::optional<SeriesPair> read_pair(DynamicView a, DynamicView b, Length length) {
  std::optional<NumberSeries> left = series_or_number(a, b.size());
  std::optional<NumberSeries> right = series_or_number(b, a.size());
  if (!left.has_value() || !right.has_value() || (!a.is_array() && !b.is_array())) {
    return std::nullopt;
  }
  SeriesPair pair{*std::move(left), *std::move(right)};
  pair.size = length == Length::kShorter ? std::min(pair.left.size(), pair.right.size())
                                         : std::max(pair.left.size(), pair.right.size());
  pair.left.values.resize(pair.size);
  pair.right.values.resize(pair.size);
  return pair;
}

template <auto F, Length kLength>
MaybeDynamic compare(DynamicView a, DynamicView b) {
  const std::optional<SeriesPair> pair = read_pair(a, b, kLength);
  if (!pair.has_value()) {
    return std::nullopt;
  }
  DynamicBuilder out;
  out.begin_array();
  for (std::size_t i = 0; i < pair->size; ++i) {
    const MaybeReal left = pair->left.values[i];
    const MaybeReal right = pair->right.values[i];
    if (left.has_value() && right.has_value()) {
      out.add_bool(F(*left, *right));
    } else {
      out.add_null();
    }
  }
  out.end_array();
  return DynamicBytes{out.take()};
}

template <auto F, Length kLength, bool kKeepsUnit = false>
MaybeDynamic combine(DynamicView a, DynamicView b) {
  const std::optional<SeriesPair> pair = read_pair(a, b, kLength);
  if (!pair.has_value()) {
    return std::nullopt;
  }
  NumbersWithGaps results(pair->size);
  for (std::size_t i = 0; i < pair->size; ++i) {
    const MaybeReal left = pair->left.values[i];
    const MaybeReal right = pair->right.values[i];
    if (left.has_value() && right.has_value()) {
      results[i] = F(*left, *right);
    }
  }
  return kKeepsUnit && pair->left.timespans && pair->right.timespans ? timespans_of(results)
                                                                     : series_of(results);
}

bool is_nan_element(DynamicView value) {
  return value.tag() == DynamicTag::kReal && std::isnan(value.as_real());
}

// Equality as of ==, also of elements that are no numbers: texts and bools compare as they are.
template <bool kEqual>
MaybeDynamic equals(DynamicView a, DynamicView b) {
  if (!a.is_array()) {
    return std::nullopt;
  }
  DynamicBuilder out;
  out.begin_array();
  DynamicView::Iterator left(a);
  DynamicView::Iterator right(b);
  while (left.next() && (!b.is_array() || right.next())) {
    const DynamicView x = left.value();
    const DynamicView y = b.is_array() ? right.value() : b;
    if (x.is_null() || y.is_null()) {
      out.add_null();
    } else {
      out.add_bool((is_wanted(x, y) && !is_nan_element(x)) == kEqual);
    }
  }
  out.end_array();
  return DynamicBytes{out.take()};
}

constexpr std::array<ScalarFunction, 25> kSeriesFunctions = {{
    {.name = "series_abs",
     .category = "series",
     .summary = "The absolute value of each element of a series.",
     .params = {{{"series", "An array of numbers; other elements count as gaps."}}},
     .returns = "An array of reals; null when the argument is no array.",
     .examples = {{{"print series_abs(dynamic([-1, 2, null]))", "[1,2,null]"}}},
     .overloads = {lift<map_series<abs_of, true>>()}},
    {.name = "series_acos",
     .category = "series",
     .summary = "The arc cosine of each element of a series.",
     .params = {{{"series", "An array of numbers; other elements count as gaps."}}},
     .returns = "An array of reals; null when the argument is no array. Numbers outside of [-1, 1] "
                "become gaps.",
     .examples = {{{"print series_acos(dynamic([1, 2]))", "[0,null]"}}},
     .overloads = {lift<map_series<acos_of>>()}},
    {.name = "series_add",
     .category = "series",
     .summary = "The sum of each two elements of two series.",
     .params = {{{"a", "An array of numbers, or one number for all."},
                 {"b", "An array of numbers, or one number for all."}}},
     .returns =
         "An array of reals as long as the shorter series; null when an argument does not fit.",
     .examples = {{{"print series_add(dynamic([1, 2]), dynamic([10, 20, 30]))", "[11,22]"}}},
     .overloads = {lift<combine<add_of, Length::kShorter, true>>()}},
    {.name = "series_asin",
     .category = "series",
     .summary = "The arc sine of each element of a series.",
     .params = {{{"series", "An array of numbers; other elements count as gaps."}}},
     .returns = "An array of reals; null when the argument is no array. Numbers outside of [-1, 1] "
                "become gaps.",
     .examples = {{{"print series_asin(dynamic([0, 2]))", "[0,null]"}}},
     .overloads = {lift<map_series<asin_of>>()}},
    {.name = "series_atan",
     .category = "series",
     .summary = "The arc tangent of each element of a series.",
     .params = {{{"series", "An array of numbers; other elements count as gaps."}}},
     .returns = "An array of reals; null when the argument is no array.",
     .examples = {{{"print series_atan(dynamic([0]))", "[0]"}}},
     .overloads = {lift<map_series<atan_of>>()}},
    {.name = "series_ceiling",
     .category = "series",
     .summary = "The value rounded up of each element of a series.",
     .params = {{{"series", "An array of numbers; other elements count as gaps."}}},
     .returns = "An array of reals; null when the argument is no array.",
     .examples = {{{"print series_ceiling(dynamic([1.2, -1.2]))", "[2,-1]"}}},
     .overloads = {lift<map_series<ceiling_of>>()}},
    {.name = "series_cos",
     .category = "series",
     .summary = "The cosine of each element of a series.",
     .params = {{{"series", "An array of numbers; other elements count as gaps."}}},
     .returns = "An array of reals; null when the argument is no array.",
     .examples = {{{"print series_cos(dynamic([0]))", "[1]"}}},
     .overloads = {lift<map_series<cos_of>>()}},
    {.name = "series_divide",
     .category = "series",
     .summary = "The quotient of each two elements of two series.",
     .params = {{{"a", "An array of numbers, or one number for all."},
                 {"b", "An array of numbers, or one number for all."}}},
     .returns =
         "An array of reals as long as the shorter series; null when an argument does not fit.",
     .examples = {{{"print series_divide(dynamic([6, 9]), dynamic([2, 3]))", "[3,3]"}}},
     .overloads = {lift<combine<divide_of, Length::kShorter>>()}},
    {.name = "series_equals",
     .category = "series",
     .summary = "Whether each element of a series equals a value.",
     .params = {{{"series", "An array."}, {"value", "A value, or an array of them."}}},
     .returns = "An array of bools, gaps for nulls; null when the first argument is no array.",
     .examples = {{{"print series_equals(dynamic([1, 2, null]), 2)", "[false,true,null]"}}},
     .overloads = {lift<equals<true>>()}},
    {.name = "series_exp",
     .category = "series",
     .summary = "The power of e of each element of a series.",
     .params = {{{"series", "An array of numbers; other elements count as gaps."}}},
     .returns = "An array of reals; null when the argument is no array.",
     .examples = {{{"print series_exp(dynamic([0]))", "[1]"}}},
     .overloads = {lift<map_series<exp_of>>()}},
    {.name = "series_floor",
     .category = "series",
     .summary = "The value rounded down of each element of a series.",
     .params = {{{"series", "An array of numbers; other elements count as gaps."}}},
     .returns = "An array of reals; null when the argument is no array.",
     .examples = {{{"print series_floor(dynamic([1.2, -1.2]))", "[1,-2]"}}},
     .overloads = {lift<map_series<floor_of>>()}},
    {.name = "series_greater",
     .category = "series",
     .summary = "Whether each element of a series is above that of another.",
     .params = {{{"a", "An array of numbers, or one number for all."},
                 {"b", "An array of numbers, or one number for all."}}},
     .returns =
         "An array of bools as long as the shorter series; null when an argument does not fit.",
     .examples = {{{"print series_greater(dynamic([1, 2, 3]), dynamic([2, 2, 2]))",
                    "[false,false,true]"}}},
     .overloads = {lift<compare<greater_of, Length::kShorter>>()}},
    {.name = "series_greater_equals",
     .category = "series",
     .summary = "Whether each element of a series is above or equal to that of another.",
     .params = {{{"a", "An array of numbers, or one number for all."},
                 {"b", "An array of numbers, or one number for all."}}},
     .returns =
         "An array of bools as long as the shorter series; null when an argument does not fit.",
     .examples = {{{"print series_greater_equals(dynamic([1, 2, 3]), dynamic([2, 2, 2]))",
                    "[false,true,true]"}}},
     .overloads = {lift<compare<greater_equals_of, Length::kShorter>>()}},
    {.name = "series_less",
     .category = "series",
     .summary = "Whether each element of a series is below that of another.",
     .params = {{{"a", "An array of numbers, or one number for all."},
                 {"b", "An array of numbers, or one number for all."}}},
     .returns =
         "An array of bools as long as the shorter series; null when an argument does not fit.",
     .examples = {{{"print series_less(dynamic([1, 2, 3]), dynamic([2, 2, 2]))",
                    "[true,false,false]"}}},
     .overloads = {lift<compare<less_of, Length::kShorter>>()}},
    {.name = "series_less_equals",
     .category = "series",
     .summary = "Whether each element of a series is below or equal to that of another.",
     .params = {{{"a", "An array of numbers, or one number for all."},
                 {"b", "An array of numbers, or one number for all."}}},
     .returns =
         "An array of bools as long as the shorter series; null when an argument does not fit.",
     .examples = {{{"print series_less_equals(dynamic([1, 2, 3]), dynamic([2, 2, 2]))",
                    "[true,true,false]"}}},
     .overloads = {lift<compare<less_equals_of, Length::kShorter>>()}},
    {.name = "series_log",
     .category = "series",
     .summary = "The natural logarithm of each element of a series.",
     .params = {{{"series", "An array of numbers; other elements count as gaps."}}},
     .returns = "An array of reals; null when the argument is no array. Numbers that are not "
                "positive become gaps.",
     .examples = {{{"print series_log(dynamic([1, 0]))", "[0,null]"}}},
     .overloads = {lift<map_series<log_of>>()}},
    {.name = "series_max",
     .category = "series",
     .summary = "The larger one of each two elements of two series.",
     .params = {{{"a", "An array of numbers, or one number for all."},
                 {"b", "An array of numbers, or one number for all."}}},
     .returns =
         "An array of reals as long as the longer series; null when an argument does not fit.",
     .examples = {{{"print series_max(dynamic([1, 5]), dynamic([3, 2]))", "[3,5]"}}},
     .overloads = {lift<combine<max_of_two, Length::kLonger, true>>()}},
    {.name = "series_min",
     .category = "series",
     .summary = "The smaller one of each two elements of two series.",
     .params = {{{"a", "An array of numbers, or one number for all."},
                 {"b", "An array of numbers, or one number for all."}}},
     .returns =
         "An array of reals as long as the longer series; null when an argument does not fit.",
     .examples = {{{"print series_min(dynamic([1, 5]), dynamic([3, 2]))", "[1,2]"}}},
     .overloads = {lift<combine<min_of_two, Length::kLonger, true>>()}},
    {.name = "series_multiply",
     .category = "series",
     .summary = "The product of each two elements of two series.",
     .params = {{{"a", "An array of numbers, or one number for all."},
                 {"b", "An array of numbers, or one number for all."}}},
     .returns =
         "An array of reals as long as the longer series; null when an argument does not fit.",
     .examples = {{{"print series_multiply(dynamic([1, 2, 3]), dynamic([2, 2]))", "[2,4,null]"}}},
     .overloads = {lift<combine<multiply_of, Length::kLonger>>()}},
    {.name = "series_not_equals",
     .category = "series",
     .summary = "Whether each element of a series differs from a value or from another's.",
     .params = {{{"series", "An array."}, {"value", "A value, or an array of them."}}},
     .returns = "An array of bools, gaps for nulls; null when the first argument is no array.",
     .examples = {{{"print series_not_equals(dynamic([1, 2]), dynamic([1, 3]))", "[false,true]"}}},
     .overloads = {lift<equals<false>>()}},
    {.name = "series_pow",
     .category = "series",
     .summary = "The power of each two elements of two series.",
     .params = {{{"a", "An array of numbers, or one number for all."},
                 {"b", "An array of numbers, or one number for all."}}},
     .returns =
         "An array of reals as long as the longer series; null when an argument does not fit.",
     .examples = {{{"print series_pow(dynamic([1, 2, 3]), 2)", "[1,4,9]"}}},
     .overloads = {lift<combine<pow_of, Length::kLonger>>()}},
    {.name = "series_sign",
     .category = "series",
     .summary = "The sign (-1, 0 or 1) of each element of a series.",
     .params = {{{"series", "An array of numbers; other elements count as gaps."}}},
     .returns = "An array of reals; null when the argument is no array.",
     .examples = {{{"print series_sign(dynamic([-3, 0, 5]))", "[-1,0,1]"}}},
     .overloads = {lift<map_series<sign_of>>()}},
    {.name = "series_sin",
     .category = "series",
     .summary = "The sine of each element of a series.",
     .params = {{{"series", "An array of numbers; other elements count as gaps."}}},
     .returns = "An array of reals; null when the argument is no array.",
     .examples = {{{"print series_sin(dynamic([0]))", "[0]"}}},
     .overloads = {lift<map_series<sin_of>>()}},
    {.name = "series_subtract",
     .category = "series",
     .summary = "The difference of each two elements of two series.",
     .params = {{{"a", "An array of numbers, or one number for all."},
                 {"b", "An array of numbers, or one number for all."}}},
     .returns =
         "An array of reals as long as the longer series; null when an argument does not fit.",
     .examples = {{{"print series_subtract(dynamic([5, 6, 7]), dynamic([1, 2]))", "[4,4,null]"}}},
     .overloads = {lift<combine<subtract_of, Length::kLonger, true>>()}},
    {.name = "series_tan",
     .category = "series",
     .summary = "The tangent of each element of a series.",
     .params = {{{"series", "An array of numbers; other elements count as gaps."}}},
     .returns = "An array of reals; null when the argument is no array.",
     .examples = {{{"print series_tan(dynamic([0]))", "[0]"}}},
     .overloads = {lift<map_series<tan_of>>()}},
}};

}  // namespace

std::span<const ScalarFunction> series_functions() {
  return kSeriesFunctions;
}

}  // namespace evq

// Filters and transforms of series: FIR and IIR filters by their direct forms, and the discrete
// Fourier transform. Gaps count as zero.

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "apl/functions/fourier.h"
#include "apl/functions/number_series.h"
#include "apl/functions/registry.h"
#include "store/base/allocation_meter.h"
#include "store/base/limits.h"

namespace evq {
namespace {

std::optional<Numbers> numbers_or_zero(DynamicView array) {
  const std::optional<NumberSeries> series = NumberSeries::read(array);
  if (!series.has_value()) {
    return std::nullopt;
  }
  Numbers numbers;
  numbers.reserve(series->size());
  for (const std::optional<double>& value : series->values) {
    numbers.push_back(value.value_or(0));
  }
  return numbers;
}

// y[i] = sum of kernel[k] x[i - k]; centered, x[i - k + size / 2].
MaybeDynamic fir(DynamicView series, DynamicView filter, std::optional<bool> normalize,
                 std::optional<bool> center) {
  const std::optional<NumberSeries> input = NumberSeries::read(series);
  const std::optional<Numbers> x = numbers_or_zero(series);
  const std::optional<Numbers> kernel = numbers_or_zero(filter);
  if (!x.has_value() || !kernel.has_value() || kernel->empty() || kernel->size() > kFilterTapsMax) {
    return std::nullopt;
  }
  // Divided once, at the end: the average of 1, 2 and 3 is 2 and no less.
  double divisor = 1;
  const bool signed_taps = std::ranges::any_of(*kernel, [](double tap) { return tap < 0; });
  if (normalize.value_or(!signed_taps)) {
    if (signed_taps) {
      return std::nullopt;
    }
    const double sum = std::accumulate(kernel->begin(), kernel->end(), 0.0);
    divisor = sum != 0 ? sum : 1;
  }
  const std::size_t ahead = center.value_or(false) ? kernel->size() / 2 : 0;
  Numbers y(x->size(), 0.0);
  PollCounter poll;
  for (std::size_t i = 0; i < y.size(); ++i) {
    poll.add(kernel->size());
    for (std::size_t k = 0; k < kernel->size() && k <= i + ahead; ++k) {
      const std::size_t from = i + ahead - k;
      y[i] += from < x->size() ? (*kernel)[k] * (*x)[from] : 0;
    }
    y[i] /= divisor;
  }
  return input->timespans ? timespans_of({y.begin(), y.end()}) : series_of(y);
}

// y[i] = (sum of b[k] x[i - k] - sum of a[k] y[i - k] for k >= 1) / a[0].
MaybeDynamic iir(DynamicView series, DynamicView numerators, DynamicView denominators) {
  const std::optional<Numbers> x = numbers_or_zero(series);
  const std::optional<Numbers> b = numbers_or_zero(numerators);
  const std::optional<Numbers> a = numbers_or_zero(denominators);
  if (!x.has_value() || !b.has_value() || !a.has_value() || b->empty() || a->empty() ||
      (*a)[0] == 0 || b->size() > kFilterTapsMax || a->size() > kFilterTapsMax) {
    return std::nullopt;
  }
  Numbers y(x->size(), 0.0);
  PollCounter poll;
  for (std::size_t i = 0; i < y.size(); ++i) {
    poll.add(a->size() + b->size());
    double sum = 0;
    for (std::size_t k = 0; k < b->size() && k <= i; ++k) {
      sum += (*b)[k] * (*x)[i - k];
    }
    for (std::size_t k = 1; k < a->size() && k <= i; ++k) {
      sum -= (*a)[k] * y[i - k];
    }
    y[i] = sum / (*a)[0];
  }
  return series_of(y);
}

// [real parts, imaginary parts]; the inverse is scaled by 1 / n.
template <FourierDirection kDirection>
MaybeDynamic fft(DynamicView real, std::optional<DynamicView> imaginary) {
  const std::optional<Numbers> re = numbers_or_zero(real);
  const std::optional<Numbers> im =
      imaginary.has_value() ? numbers_or_zero(*imaginary) : std::optional(Numbers());
  if (!re.has_value() || !im.has_value() || (imaginary.has_value() && im->size() != re->size())) {
    return std::nullopt;
  }
  ComplexSeries input(re->size());
  for (std::size_t i = 0; i < input.size(); ++i) {
    input[i] = {(*re)[i], i < im->size() ? (*im)[i] : 0};
  }
  const ComplexSeries output = fourier_transform(std::move(input), kDirection);
  const double scale =
      kDirection == FourierDirection::kInverse ? 1 / static_cast<double>(output.size()) : 1;
  Numbers parts[2];
  for (const std::complex<double>& value : output) {
    parts[0].push_back(value.real() * scale);
    parts[1].push_back(value.imag() * scale);
  }
  DynamicBuilder out;
  out.begin_array();
  add_numbers(parts[0], &out);
  add_numbers(parts[1], &out);
  out.end_array();
  return DynamicBytes{out.take()};
}

constexpr std::string_view kPartsReturned =
    "An array of two: the real and the imaginary parts; null when an argument is no array or their "
    "lengths differ.";

constexpr std::array<ScalarFunction, 4> kSeriesFilterFunctions = {{
    {.name = "series_fft",
     .category = "series",
     .summary = "The discrete Fourier transform of a series, of any length.",
     .params = {{{"real", "An array of numbers; gaps count as zero."},
                 {"[imaginary]", "The imaginary parts, as many."}}},
     .returns = kPartsReturned,
     .examples = {{{"print series_fft(dynamic([1, 1, 1, 1]))", "[[4,0,0,0],[0,0,0,0]]"}}},
     .overloads = {lift<fft<FourierDirection::kForward>>()}},
    {.name = "series_fir",
     .category = "series",
     .summary = "Filters a series by a finite impulse response: a weighted moving sum.",
     .params = {{{"series", "An array of numbers; gaps count as zero."},
                 {"kernel", "The weights, the newest element's first; 1,024 at most."},
                 {"[normalize]",
                  "Divides the weights by their sum, unless that is 0, and gives null where one "
                  "is below 0; when left out, true unless one is."},
                 {"[center]",
                  "Centers the window instead of ending it at the element; false when "
                  "left out."}}},
     .returns = "An array of reals of the same length; null when an argument does not fit.",
     .examples = {{{"print series_fir(dynamic([2, 4, 6, 8]), dynamic([1, 1]))", "[1,3,5,7]"},
                   {"print series_fir(dynamic([1, 4, 9]), dynamic([1, -1]))", "[1,3,5]"}}},
     .overloads = {lift<fir>()},
     .result_name = ResultName::kArgument},
    {.name = "series_ifft",
     .category = "series",
     .summary = "The inverse discrete Fourier transform, scaled by 1 / n.",
     .params = {{{"real", "An array of numbers; gaps count as zero."},
                 {"[imaginary]", "The imaginary parts, as many."}}},
     .returns = kPartsReturned,
     .examples = {{{"print series_ifft(dynamic([4, 0, 0, 0]), dynamic([0, 0, 0, 0]))",
                    "[[1,1,1,1],[0,0,0,0]]"}}},
     .overloads = {lift<fft<FourierDirection::kInverse>>()}},
    {.name = "series_iir",
     .category = "series",
     .summary = "Filters a series by an infinite impulse response: exponential smoothing, sums.",
     .params =
         {{{"series", "An array of numbers; gaps count as zero."},
           {"numerators", "The weights of the input, the newest element's first; 1,024 at most."},
           {"denominators", "The weights of the output, 1,024 at most; the first must not be 0."}}},
     .returns = "An array of reals of the same length; null when an argument does not fit.",
     .examples = {{{"print series_iir(dynamic([1, 2, 3, 4]), dynamic([1]), dynamic([1, -1]))",
                    "[1,3,6,10]"}}},
     .overloads = {lift<iir>()},
     .result_name = ResultName::kArgument},
}};

}  // namespace

std::span<const ScalarFunction> series_filter_functions() {
  return kSeriesFilterFunctions;
}

}  // namespace evq

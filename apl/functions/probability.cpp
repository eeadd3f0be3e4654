// The beta distribution, and Welch's test of two means, which rests on it: Student's distribution
// is a beta distribution of a transformed variable. The incomplete beta function goes by its
// continued fraction, evaluated from the front (Lentz).

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "apl/functions/lift.h"
#include "apl/functions/registry.h"
#include "store/base/allocation_meter.h"
#include "store/base/number.h"

namespace evq {
namespace {

using MaybeReal = std::optional<double>;

// The continued fraction of the incomplete beta function, for x below (a + 1) / (a + b + 2).
double beta_fraction(double x, double a, double b) {
  constexpr int kStepsMax = 100'000;  // it takes about sqrt(max(a, b)) steps
  constexpr double kTiny = std::numeric_limits<double>::min();
  const auto nonzero = [](double value) { return std::fabs(value) < kTiny ? kTiny : value; };
  double c = 1;
  double d = 1 / nonzero(1 - (a + b) * x / (a + 1));
  double fraction = d;
  PollCounter poll;
  for (int m = 1; m <= kStepsMax; ++m) {
    poll.add();
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / nonzero(1 + even * d);
    c = nonzero(1 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / nonzero(1 + odd * d);
    c = nonzero(1 + odd / c);
    fraction *= d * c;
    if (std::fabs(d * c - 1) < std::numeric_limits<double>::epsilon()) {
      break;
    }
  }
  return fraction;
}

// Of a positive number. std::lgamma() would write the sign to a global that all threads share.
double log_gamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

double log_beta(double a, double b) {
  return log_gamma(a) + log_gamma(b) - log_gamma(a + b);
}

// The share of the beta distribution below x, for x in [0, 1].
double beta_share(double x, double a, double b) {
  if (x <= 0 || x >= 1) {
    return x <= 0 ? 0 : 1;
  }
  const double front = std::exp(a * std::log(x) + b * std::log1p(-x) - log_beta(a, b));
  return x < (a + 1) / (a + b + 2) ? front * beta_fraction(x, a, b) / a
                                   : 1 - front * beta_fraction(1 - x, b, a) / b;
}

bool valid_shape(double a, double b) {
  return a > 0 && b > 0 && std::isfinite(a) && std::isfinite(b);
}

MaybeReal beta_cdf(double x, double a, double b) {
  return valid_shape(a, b) && x >= 0 && x <= 1 ? MaybeReal(beta_share(x, a, b)) : std::nullopt;
}

MaybeReal beta_pdf(double x, double a, double b) {
  if (!valid_shape(a, b) || !(x > 0 && x < 1)) {
    return std::nullopt;
  }
  // The logarithm of 0 times 0 is 0 here: a factor to the power of nothing.
  const double left = a == 1 ? 0 : (a - 1) * std::log(x);
  const double right = b == 1 ? 0 : (b - 1) * std::log1p(-x);
  return std::exp(left + right - log_beta(a, b));
}

// By bisection: the share grows with x.
MaybeReal beta_inv(double share, double a, double b) {
  if (!valid_shape(a, b) || !(share > 0 && share <= 1)) {
    return std::nullopt;
  }
  if (share == 1) {
    return 1;
  }
  double low = 0;
  double high = 1;
  for (double middle = 0.5; low < middle && middle < high; middle = low + (high - low) / 2) {
    (beta_share(middle, a, b) < share ? low : high) = middle;
  }
  return high;
}

// Two-sided, with the degrees of freedom of Welch and Satterthwaite.
MaybeReal welch_test(double mean1, double variance1, double count1, double mean2, double variance2,
                     double count2) {
  if (!(variance1 >= 0) || !(variance2 >= 0) || !(count1 > 1) || !(count2 > 1)) {
    return std::nullopt;
  }
  const double error1 = variance1 / count1;
  const double error2 = variance2 / count2;
  const double error = error1 + error2;
  if (!(error > 0)) {
    return mean1 == mean2 ? 1 : 0;
  }
  const double t2 = (mean1 - mean2) * (mean1 - mean2) / error;
  const double freedom =
      error * error / (error1 * error1 / (count1 - 1) + error2 * error2 / (count2 - 1));
  return beta_share(freedom / (freedom + t2), freedom / 2, 0.5);
}

constexpr ParameterDoc kAlpha{"alpha", "A shape parameter above 0."};
constexpr ParameterDoc kBeta{"beta", "The other shape parameter, above 0."};

constexpr std::array<ScalarFunction, 4> kProbabilityFunctions = {{
    {.name = "beta_cdf",
     .category = "math",
     .summary = "The share of a beta distribution below a value.",
     .params = {{{"x", "The value, 0 to 1."}, kAlpha, kBeta}},
     .returns = "A real from 0 to 1; null outside of the domain.",
     .examples = {{{"print round(beta_cdf(0.5, 2, 2), 9)", "0.5"}}},
     .overloads = {lift<beta_cdf>()}},
    {.name = "beta_inv",
     .category = "math",
     .summary = "The value below which a share of a beta distribution lies.",
     .params = {{{"share", "The share, above 0 and at most 1."}, kAlpha, kBeta}},
     .returns = "A real from 0 to 1; null outside of the domain.",
     .examples = {{{"print round(beta_inv(0.75, 1, 1), 9)", "0.75"}}},
     .overloads = {lift<beta_inv>()}},
    {.name = "beta_pdf",
     .category = "math",
     .summary = "The density of a beta distribution at a value.",
     .params = {{{"x", "The value, above 0 and below 1."}, kAlpha, kBeta}},
     .returns = "A real; null outside of the domain.",
     .examples = {{{"print round(beta_pdf(0.5, 2, 2), 9)", "1.5"}}},
     .overloads = {lift<beta_pdf>()}},
    {.name = "welch_test",
     .category = "math",
     .summary = "The chance that two samples differ so much when their true means are equal.",
     .params = {{{"mean1", "The mean of the first sample."},
                 {"variance1", "Its variance."},
                 {"count1", "Its size, above 1."},
                 {"mean2", "The mean of the second sample."},
                 {"variance2", "Its variance."},
                 {"count2", "Its size, above 1."}}},
     .returns = "A real from 0 to 1, two-sided, by Welch's t-test; null when an argument does not "
                "fit.",
     .examples = {{{"print round(welch_test(64.57, 24.25, 56, 46.99, 29.75, 56), 12) == 0", "true"},
                   {"print welch_test(5, 1, 10, 5, 2, 10)", "1"}}},
     .overloads = {lift<welch_test>()}},
}};

}  // namespace

std::span<const ScalarFunction> probability_functions() {
  return kProbabilityFunctions;
}

}  // namespace evq

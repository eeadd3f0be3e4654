// The beta distribution, and Welch's test of two means, which rests on it: Student's distribution
// is a beta distribution of a transformed variable. The incomplete beta function goes by the even
// part of its continued fraction (Didonato and Morris 1992), whose factor in front is written by
// Loader's saddle-point terms (2000): they are small where the logarithms of gamma functions are
// large and nearly cancel. Where both shapes are huge, Temme's uniform expansion (1979) takes the
// place of the fraction.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <optional>

#include "apl/functions/lift.h"
#include "apl/functions/registry.h"
#include "store/base/allocation_meter.h"

namespace evq {
namespace {

constexpr double kHalfLogTwoPi = 0.918938533204672741780;
// Sums of shapes beyond would overflow on the way.
constexpr double kShapesMax = 1e300;
// Shapes up to here keep all digits in the logarithms of gamma functions.
constexpr double kSmallShapeMax = 16;
// Two shapes from here on go by the uniform expansion, which is off by less than 1e-11 then.
constexpr double kUniformShapeMin = 1e8;

// A place between 0 and 1 under a beta distribution of shapes a and b. Its distances from both
// ends are kept, since the smaller one does not follow from the other, and so is how far a lies
// above its mean (a + b) x, which is where digits would be lost.
struct BetaPoint {
  double x;
  double y;  // 1 - x
  double a;
  double b;
  double above;

  double sum() const { return a + b; }
  BetaPoint mirrored() const { return {y, x, b, a, -above}; }
};

BetaPoint beta_point(double x, double y, double a, double b) {
  return {x, y, a, b, a > b ? (a + b) * y - b : a - (a + b) * x};
}

// Of a positive number. std::lgamma() would write the sign to a global that all threads share.
double log_gamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

double log_beta(double a, double b) {
  return log_gamma(a) + log_gamma(b) - log_gamma(a + b);
}

// What Stirling's formula leaves of the logarithm of z!.
double stirling_error(double z) {
  if (z < kSmallShapeMax) {
    return log_gamma(z + 1) - (z + 0.5) * std::log(z) + z - kHalfLogTwoPi;
  }
  const double square = 1 / (z * z);
  return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - 1.0 / 1680 * square) * square) * square) / z;
}

// k log(k / mean) + mean - k, where `above` is k - mean.
double deviance(double k, double mean, double above) {
  constexpr double kSeriesMax = 0.1;
  constexpr int kTermsMax = 100;  // each is a hundredth of the one before
  if (std::fabs(above) >= kSeriesMax * (k + mean)) {
    return k * (std::log(k) - std::log(mean)) - above;
  }
  const double v = above / (k + mean);
  double sum = above * v;
  double term = 2 * k * v;
  for (int j = 1; j <= kTermsMax; ++j) {
    term *= v * v;
    const double next = sum + term / (2 * j + 1);
    if (next == sum) {
      break;
    }
    sum = next;
  }
  return sum;
}

double deviance(const BetaPoint& at) {
  return deviance(at.a, at.sum() * at.x, at.above) + deviance(at.b, at.sum() * at.y, -at.above);
}

// The logarithm of x^a y^b / B(a, b).
double log_front(const BetaPoint& at) {
  if (std::max(at.a, at.b) <= kSmallShapeMax) {
    const double log_x = at.x < at.y ? std::log(at.x) : std::log1p(-at.y);
    const double log_y = at.y < at.x ? std::log(at.y) : std::log1p(-at.x);
    return at.a * log_x + at.b * log_y - log_beta(at.a, at.b);
  }
  const auto [smaller, larger] = std::minmax(at.a, at.b);
  return stirling_error(at.sum()) - stirling_error(at.a) - stirling_error(at.b) - deviance(at) +
         0.5 * (std::log(smaller) + std::log(larger / at.sum())) - kHalfLogTwoPi;
}

// The share below x over that front; nothing when it does not converge. For x that is not far above
// the mean: it takes about the root of the smaller shape in steps then.
MaybeReal beta_fraction(const BetaPoint& at) {
  constexpr int kStepsMax = 20'000;
  constexpr int kStepsPerPoll = 64;
  double fraction = (at.a + 1) / (at.a * (at.above + 1));
  // Numerators and denominators of the last two convergents, over the last denominator.
  double before = 0;
  double denominator_before = 1 / (at.a * (at.above + 1) / (at.a + 1));
  for (int n = 1; n <= kStepsMax; ++n) {
    if (n % kStepsPerPoll == 0) {
      AllocationMeter::poll();
    }
    const double span = at.a + (2 * n - 1);
    const double falling = (at.b - n) * at.x;
    const double alpha =
        (at.a + (n - 1)) / span * (n / span) * ((at.sum() + (n - 1)) * at.x) * falling;
    const double beta =
        n + n * falling / span + (at.a + n) / (span + 2) * (at.above + 1 + n * (1 + at.y));
    const double numerator = alpha * before + beta * fraction;
    const double denominator = alpha * denominator_before + beta;
    const double next = numerator / denominator;
    if (std::fabs(next - fraction) <= std::numeric_limits<double>::epsilon() * std::fabs(next)) {
      return next;
    }
    before = fraction / denominator;
    denominator_before = 1 / denominator;
    fraction = next;
  }
  return std::nullopt;
}

// The normal share of the deviance's root, and the first two terms of what is left.
double uniform_share(const BetaPoint& at) {
  const double half_square = deviance(at);
  const double z = -std::copysign(std::sqrt(2 * std::max(0.0, half_square)), at.above);
  const double left = at.a / at.sum();
  const double right = at.b / at.sum();
  const double size = at.a * right;
  const double density = std::exp(-half_square - kHalfLogTwoPi);
  const double rest = density > 0 ? density * ((right - left) / (3 * std::sqrt(size)) -
                                               (1 - left * right) * z / (12 * size))
                                  : 0;
  return 0.5 * std::erfc(-z / std::numbers::sqrt2) + rest;
}

bool valid_shape(double a, double b) {
  return a > 0 && b > 0 && a + b <= kShapesMax;
}

// The share of the beta distribution below x, for x in [0, 1] and y = 1 - x, of valid shapes.
MaybeReal beta_share(double x, double y, double a, double b) {
  if (x <= 0 || y <= 0) {
    return x <= 0 ? 0 : 1;
  }
  const BetaPoint at = beta_point(x, y, a, b);
  if (std::min(a, b) >= kUniformShapeMin) {
    return std::clamp(uniform_share(at), 0.0, 1.0);
  }
  const bool below = at.above + at.y - at.x > 0;
  const MaybeReal fraction = beta_fraction(below ? at : at.mirrored());
  if (!fraction.has_value()) {
    return std::nullopt;
  }
  const double share = std::clamp(std::exp(log_front(at)) * *fraction, 0.0, 1.0);
  return below ? share : 1 - share;
}

MaybeReal beta_cdf(double x, double a, double b) {
  return valid_shape(a, b) && x >= 0 && x <= 1 ? beta_share(x, 1 - x, a, b) : std::nullopt;
}

MaybeReal beta_pdf(double x, double a, double b) {
  if (!valid_shape(a, b) || !(x > 0 && x < 1)) {
    return std::nullopt;
  }
  return std::exp(log_front(beta_point(x, 1 - x, a, b)) - std::log(x) - std::log1p(-x));
}

// By bisection, since the share grows with x: of the bits, which are in the order of the numbers,
// so that it takes as many rounds as there are bits however small the answer is.
MaybeReal beta_inv(double share, double a, double b) {
  if (!valid_shape(a, b) || !(share > 0 && share <= 1)) {
    return std::nullopt;
  }
  if (share == 1) {
    return 1;
  }
  AllocationMeter::poll();
  std::uint64_t low = 0;
  std::uint64_t high = std::bit_cast<std::uint64_t>(1.0);
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    const auto x = std::bit_cast<double>(middle);
    const MaybeReal below = beta_share(x, 1 - x, a, b);
    if (!below.has_value()) {
      return std::nullopt;
    }
    (*below < share ? low : high) = middle;
  }
  return std::bit_cast<double>(high);
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
  const double part1 = error1 / error;
  const double part2 = error2 / error;
  const double freedom = 1 / (part1 * part1 / (count1 - 1) + part2 * part2 / (count2 - 1));
  if (std::isinf(t2)) {
    return 0;
  }
  return valid_shape(freedom / 2, 0.5)
             ? beta_share(freedom / (freedom + t2), t2 / (freedom + t2), freedom / 2, 0.5)
             : std::nullopt;
}

constexpr ParameterDoc kAlpha{"alpha", "A shape parameter above 0."};
constexpr ParameterDoc kBeta{"beta", "The other shape parameter, above 0."};

constexpr std::string_view kShareReturns =
    "A real from 0 to 1, good to some ten digits for shapes of any size; null outside of the "
    "domain, where the shapes come to more than 1e300, and where the calculation does not "
    "converge.";

constexpr std::array<ScalarFunction, 4> kProbabilityFunctions = {{
    {.name = "beta_cdf",
     .category = "math",
     .summary = "The share of a beta distribution below a value.",
     .params = {{{"x", "The value, 0 to 1."}, kAlpha, kBeta}},
     .returns = kShareReturns,
     .examples = {{{"print round(beta_cdf(0.5, 2, 2), 9)", "0.5"}}},
     .overloads = {lift<beta_cdf>()}},
    {.name = "beta_inv",
     .category = "math",
     .summary = "The value below which a share of a beta distribution lies.",
     .params = {{{"share", "The share, above 0 and at most 1."}, kAlpha, kBeta}},
     .returns = kShareReturns,
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
                "fit, and where the calculation does not converge.",
     .examples = {{{"print round(welch_test(64.57, 24.25, 56, 46.99, 29.75, 56), 12) == 0", "true"},
                   {"print welch_test(5, 1, 10, 5, 2, 10)", "1"}}},
     .overloads = {lift<welch_test>()}},
}};

}  // namespace

std::span<const ScalarFunction> probability_functions() {
  return kProbabilityFunctions;
}

}  // namespace evq

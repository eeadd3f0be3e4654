// The mathematical functions of one or two numbers. Outside of a function's domain the result is
// null (sqrt excepted, which follows IEEE 754); integers stay integers where they can.

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <optional>

#include "apl/functions/conversion.h"
#include "apl/functions/lift.h"
#include "apl/functions/power.h"
#include "apl/functions/registry.h"
#include "store/base/checked_math.h"

namespace evq {
namespace {

MaybeLong abs_long(std::int64_t x) {
  return x < 0 ? checked_subtract(0, x) : x;
}
double abs_real(double x) {
  return std::fabs(x);
}
std::optional<Timespan> abs_span(Timespan x) {
  const MaybeLong ns = abs_long(x.ns);
  return ns.has_value() ? std::optional(Timespan{*ns}) : std::nullopt;
}
std::optional<DynamicBytes> abs_by_value(DynamicView x) {
  const bool spans = x.tag() == DynamicTag::kTimespan;
  const MaybeLong size =
      spans || x.tag() == DynamicTag::kLong ? abs_long(x.as_integer()) : std::nullopt;
  DynamicBuilder out;
  if (size.has_value() && spans) {
    out.add_timespan(*size);
  } else if (size.has_value()) {
    out.add_long(*size);
  } else if (x.tag() == DynamicTag::kReal) {
    out.add_real(abs_real(x.as_real()));
  }
  return DynamicBytes{out.take()};
}

// Of a dynamic by value; nothing else becomes a dynamic for it.
BindResult bind_abs(const BindRequest& request) {
  static constexpr std::array<Overload, 4> kForms = {lift<abs_long>(), lift<abs_real>(),
                                                     lift<abs_span>(), lift<abs_by_value>()};
  const Type type = request.arguments[0].type;
  for (const Overload& form : kForms) {
    if (type == Type::kNull || type == form.parameters[0]) {
      return bind_overload(form, request);
    }
  }
  return BindFailure{0, "abs() takes a number or timespan, not a " + std::string(type_name(type)),
                     "convert it first, for example with toreal()"};
}

bool in_unit(double x) {
  return x >= -1 && x <= 1;
}
MaybeReal acos_real(double x) {
  return in_unit(x) ? MaybeReal(std::acos(x)) : std::nullopt;
}
MaybeReal asin_real(double x) {
  return in_unit(x) ? MaybeReal(std::asin(x)) : std::nullopt;
}
double atan_real(double x) {
  return std::atan(x);
}
double atan2_real(double y, double x) {
  return std::atan2(y, x);
}
double cos_real(double x) {
  return std::cos(x);
}
double sin_real(double x) {
  return std::sin(x);
}
double tan_real(double x) {
  return std::tan(x);
}
double cot_real(double x) {
  return 1 / std::tan(x);
}
double degrees_real(double x) {
  return x * (180 / std::numbers::pi);
}
double radians_real(double x) {
  return x * (std::numbers::pi / 180);
}

double exp_real(double x) {
  return std::exp(x);
}
double exp2_real(double x) {
  return std::exp2(x);
}
double exp10_real(double x) {
  return std::pow(10.0, x);
}
MaybeReal log_real(double x) {
  return x > 0 ? MaybeReal(std::log(x)) : std::nullopt;
}
MaybeReal log2_real(double x) {
  return x > 0 ? MaybeReal(std::log2(x)) : std::nullopt;
}
MaybeReal log10_real(double x) {
  return x > 0 ? MaybeReal(std::log10(x)) : std::nullopt;
}
double pow_real(double base, double exponent) {
  return power(base, exponent);
}
double sqrt_real(double x) {
  return std::sqrt(x);
}
double erf_real(double x) {
  return std::erf(x);
}
double erfc_real(double x) {
  return std::erfc(x);
}

// Zero and the negative integers, where gamma has its poles.
bool is_pole(double x) {
  return x <= 0 && std::floor(x) == x;
}
MaybeReal gamma_real(double x) {
  return is_pole(x) ? std::nullopt : MaybeReal(std::tgamma(x));
}
MaybeReal loggamma_real(double x) {
  if (is_pole(x)) {
    return std::nullopt;
  }
  int sign = 0;  // lgamma() would write it to a global
  return lgamma_r(x, &sign);
}

// Exact while the result fits 64 bits.
MaybeLong pow_long(std::int64_t base, std::int64_t exponent) {
  std::int64_t result = 1;
  while (exponent > 0) {
    if ((exponent & 1) != 0) {
      const MaybeLong product = checked_multiply(result, base);
      if (!product.has_value()) {
        return std::nullopt;
      }
      result = *product;
    }
    exponent >>= 1;
    if (exponent > 0) {
      const MaybeLong square = checked_multiply(base, base);
      if (!square.has_value()) {
        return std::nullopt;
      }
      base = *square;
    }
  }
  return result;
}

// A real, printed as an integer when it is one; longs whose power fits stay exact until then.
double pow_longs(std::int64_t base, std::int64_t exponent) {
  const MaybeLong exact = exponent >= 0 ? pow_long(base, exponent) : std::nullopt;
  return exact.has_value() ? static_cast<double>(*exact)
                           : power(static_cast<double>(base), static_cast<double>(exponent));
}

std::int64_t sign_long(std::int64_t x) {
  return (x > 0) - (x < 0);
}
MaybeLong sign_real(double x) {
  return std::isnan(x) ? std::nullopt : MaybeLong((x > 0) - (x < 0));
}
double pi_real() {
  return std::numbers::pi;
}

// A null is no finite number; what log(0) gives is none, either.
bool isfinite_real(std::optional<double> x) {
  return x.has_value() && std::isfinite(*x);
}
constexpr Overload isfinite_form() {
  Overload form = lift<isfinite_real>();
  form.required_count = 1;
  return form;
}
bool isinf_real(double x) {
  return std::isinf(x);
}
bool isnan_real(double x) {
  return std::isnan(x);
}
bool isint_real(double x) {
  return std::isfinite(x) && std::floor(x) == x;
}
bool isint_long(std::int64_t /*x*/) {
  return true;
}
bool isint_string(std::string_view /*x*/) {
  return false;
}
std::optional<bool> isint_dynamic(DynamicView x) {
  if (x.is_null()) {
    return std::nullopt;
  }
  return x.tag() == DynamicTag::kLong || (x.tag() == DynamicTag::kReal && isint_real(x.as_real()));
}
bool not_bool(bool x) {
  return !x;
}
std::optional<bool> not_dynamic(DynamicView x) {
  const std::optional<bool> truth = truth_of(x);
  return truth.has_value() ? std::optional(!*truth) : std::nullopt;
}

bool around_real(double x, double center, double delta) {
  return x >= center - delta && x <= center + delta;
}
// A bound beyond the integers is their end on its side, which a negative delta changes.
bool around_long(std::int64_t x, std::int64_t center, std::int64_t delta) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  return x >= checked_subtract(center, delta).value_or(delta < 0 ? kMost : kLeast) &&
         x <= checked_add(center, delta).value_or(delta < 0 ? kLeast : kMost);
}
bool around_time(Datetime x, Datetime center, Timespan delta) {
  return around_long(x.ns, center.ns, delta.ns);
}
bool around_span(Timespan x, Timespan center, Timespan delta) {
  return around_long(x.ns, center.ns, delta.ns);
}

constexpr std::array<ScalarFunction, 31> kMathFunctions = {{
    {.name = "abs",
     .category = "math",
     .summary = "The absolute value of a number or timespan.",
     .params = {{{"x", "A number or timespan."}}},
     .returns = "The type of `x`; null when the result does not fit.",
     .examples = {{{"print abs(-5), abs(-2.5), abs(-1h)", "5  2.5  1h0m0s"}}},
     .bind = bind_abs,
     .arguments_min = 1,
     .arguments_max = 1,
     .result_name = ResultName::kArgument},
    {.name = "acos",
     .category = "math",
     .summary = "The angle in radians whose cosine is `x`.",
     .params = {{{"x", "A number from -1 to 1."}}},
     .returns = "A real; null outside of [-1, 1].",
     .examples = {{{"print acos(1)", "0"}}},
     .overloads = {lift<acos_real>()},
     .result_name = ResultName::kArgument},
    {.name = "around",
     .category = "math",
     .summary = "Whether a value lies within a distance of a center.",
     .params = {{{"value", "A number, datetime or timespan."},
                 {"center", "The middle of the range."},
                 {"delta", "How far from it a value may lie, both ends included."}}},
     .returns = "A bool; null when an argument is.",
     .examples = {{{"print around(5, 4, 1), around(7, 4, 1)", "true  false"}}},
     .overloads = {lift<around_long>(), lift<around_real>(), lift<around_time>(),
                   lift<around_span>()}},
    {.name = "asin",
     .category = "math",
     .summary = "The angle in radians whose sine is `x`.",
     .params = {{{"x", "A number from -1 to 1."}}},
     .returns = "A real; null outside of [-1, 1].",
     .examples = {{{"print asin(0)", "0"}, {"print asin(2)", "null"}}},
     .overloads = {lift<asin_real>()},
     .result_name = ResultName::kArgument},
    {.name = "atan",
     .category = "math",
     .summary = "The angle in radians whose tangent is `x`.",
     .params = {{{"x", "A number."}}},
     .returns = "A real; null for null.",
     .examples = {{{"print atan(0)", "0"}}},
     .overloads = {lift<atan_real>()},
     .result_name = ResultName::kArgument},
    {.name = "atan2",
     .category = "math",
     .summary = "The angle in radians between the x axis and the point (x, y).",
     .params = {{{"y", "The y coordinate."}, {"x", "The x coordinate."}}},
     .returns = "A real; null for null.",
     .examples = {{{"print atan2(0, 1)", "0"}}},
     .overloads = {lift<atan2_real>()},
     .result_name = ResultName::kArgument},
    {.name = "cos",
     .category = "math",
     .summary = "The cosine of an angle in radians.",
     .params = {{{"x", "An angle in radians."}}},
     .returns = "A real; null for null.",
     .examples = {{{"print cos(0)", "1"}}},
     .overloads = {lift<cos_real>()},
     .result_name = ResultName::kArgument},
    {.name = "cot",
     .category = "math",
     .summary = "The cotangent of an angle in radians.",
     .params = {{{"x", "An angle in radians."}}},
     .returns = "A real; null for null.",
     .examples = {{{"print round(cot(pi() / 4), 6)", "1"}}},
     .overloads = {lift<cot_real>()}},
    {.name = "degrees",
     .category = "math",
     .summary = "Converts radians to degrees.",
     .params = {{{"x", "An angle in radians."}}},
     .returns = "A real; null for null.",
     .examples = {{{"print degrees(pi())", "180"}}},
     .overloads = {lift<degrees_real>()}},
    {.name = "erf",
     .category = "math",
     .summary = "The error function.",
     .params = {{{"x", "A number."}}},
     .returns = "A real; null for null.",
     .examples = {{{"print erf(0)", "0"}}},
     .overloads = {lift<erf_real>()},
     .result_name = ResultName::kArgument},
    {.name = "erfc",
     .category = "math",
     .summary = "The complementary error function, 1 - erf(x).",
     .params = {{{"x", "A number."}}},
     .returns = "A real; null for null.",
     .examples = {{{"print erfc(0)", "1"}}},
     .overloads = {lift<erfc_real>()},
     .result_name = ResultName::kArgument},
    {.name = "exp",
     .category = "math",
     .summary = "e raised to the power `x`.",
     .params = {{{"x", "A number."}}},
     .returns = "A real; null for null.",
     .examples = {{{"print exp(0)", "1"}}},
     .overloads = {lift<exp_real>()},
     .result_name = ResultName::kArgument},
    {.name = "exp10",
     .category = "math",
     .summary = "10 raised to the power `x`.",
     .params = {{{"x", "A number."}}},
     .returns = "A real; null for null.",
     .examples = {{{"print exp10(3)", "1000"}}},
     .overloads = {lift<exp10_real>()},
     .result_name = ResultName::kArgument},
    {.name = "exp2",
     .category = "math",
     .summary = "2 raised to the power `x`.",
     .params = {{{"x", "A number."}}},
     .returns = "A real; null for null.",
     .examples = {{{"print exp2(10)", "1024"}}},
     .overloads = {lift<exp2_real>()},
     .result_name = ResultName::kArgument},
    {.name = "gamma",
     .category = "math",
     .summary = "The gamma function.",
     .params = {{{"x", "A number."}}},
     .returns = "A real; null at zero and the negative integers.",
     .examples = {{{"print gamma(5)", "24"}, {"print gamma(0)", "null"}}},
     .overloads = {lift<gamma_real>()},
     .result_name = ResultName::kArgument},
    {.name = "isfinite",
     .category = "math",
     .summary = "Whether a number is neither infinite nor NaN.",
     .params = {{{"x", "A number."}}},
     .returns = "A bool; false for null.",
     .examples = {{{"print isfinite(1.0), isfinite(1.0 / 0.0), isfinite(log(0))",
                    "true  false  false"}}},
     .overloads = {isfinite_form()}},
    {.name = "isinf",
     .category = "math",
     .summary = "Whether a number is infinite.",
     .params = {{{"x", "A number."}}},
     .returns = "A bool; null for null.",
     .examples = {{{"print isinf(1.0 / 0.0)", "true"}}},
     .overloads = {lift<isinf_real>()}},
    {.name = "isint",
     .category = "math",
     .summary = "Whether a number has no fractional part.",
     .params = {{{"x", "A number."}}},
     .returns = "A bool; null for null, false for NaN and infinities.",
     .examples = {{{"print isint(42), isint(4.2)", "true  false"}}},
     .overloads = {lift<isint_long>(), lift<isint_real>(), lift<isint_string>(),
                   lift<isint_dynamic>()}},
    {.name = "isnan",
     .category = "math",
     .summary = "Whether a number is NaN.",
     .params = {{{"x", "A number."}}},
     .returns = "A bool; null for null.",
     .examples = {{{"print isnan(sqrt(-1)), isnan(1)", "true  false"}}},
     .overloads = {lift<isnan_real>()}},
    {.name = "log",
     .category = "math",
     .summary = "The natural logarithm.",
     .params = {{{"x", "A number above zero."}}},
     .returns = "A real; null when `x` is not positive.",
     .examples = {{{"print log(1)", "0"}, {"print log(0)", "null"}}},
     .overloads = {lift<log_real>()},
     .result_name = ResultName::kArgument},
    {.name = "log10",
     .category = "math",
     .summary = "The logarithm to base 10.",
     .params = {{{"x", "A number above zero."}}},
     .returns = "A real; null when `x` is not positive.",
     .examples = {{{"print log10(1000)", "3"}}},
     .overloads = {lift<log10_real>()},
     .result_name = ResultName::kArgument},
    {.name = "log2",
     .category = "math",
     .summary = "The logarithm to base 2.",
     .params = {{{"x", "A number above zero."}}},
     .returns = "A real; null when `x` is not positive.",
     .examples = {{{"print log2(8)", "3"}}},
     .overloads = {lift<log2_real>()},
     .result_name = ResultName::kArgument},
    {.name = "loggamma",
     .category = "math",
     .summary = "The natural logarithm of the absolute value of gamma(x).",
     .params = {{{"x", "A number."}}},
     .returns = "A real; null at zero and the negative integers.",
     .examples = {{{"print round(loggamma(5), 6)", "3.178054"}}},
     .overloads = {lift<loggamma_real>()},
     .result_name = ResultName::kArgument},
    {.name = "not",
     .category = "math",
     .summary = "Reverses a bool.",
     .params = {{{"expr", "The bool to reverse."}}},
     .returns = "A bool; null for null.",
     .examples = {{{"print not(true)", "false"}}},
     .overloads = {lift<not_bool>(), lift<not_dynamic>()}},
    {.name = "pi",
     .category = "math",
     .summary = "The number pi.",
     .returns = "A real.",
     .examples = {{{"print round(pi(), 4)", "3.1416"}}},
     .overloads = {lift<pi_real>()}},
    {.name = "pow",
     .category = "math",
     .summary = "Raises a base to an exponent.",
     .params = {{{"base", "The base."}, {"exponent", "The exponent."}}},
     .returns = "A real; NaN where the power is not a real number.",
     .examples = {{{"print pow(2, 10), pow(4, 0.5)", "1024  2"}}},
     .overloads = {lift<pow_longs>(), lift<pow_real>()},
     .result_name = ResultName::kArgument},
    {.name = "radians",
     .category = "math",
     .summary = "Converts degrees to radians.",
     .params = {{{"x", "An angle in degrees."}}},
     .returns = "A real; null for null.",
     .examples = {{{"print round(radians(180), 4)", "3.1416"}}},
     .overloads = {lift<radians_real>()}},
    {.name = "sign",
     .category = "math",
     .summary = "-1, 0 or 1, as a number is negative, zero or positive.",
     .params = {{{"x", "A number."}}},
     .returns = "A long; null for null and NaN.",
     .examples = {{{"print sign(-2.5), sign(0), sign(7)", "-1  0  1"}}},
     .overloads = {lift<sign_long>(), lift<sign_real>()}},
    {.name = "sin",
     .category = "math",
     .summary = "The sine of an angle in radians.",
     .params = {{{"x", "An angle in radians."}}},
     .returns = "A real; null for null.",
     .examples = {{{"print sin(0)", "0"}}},
     .overloads = {lift<sin_real>()},
     .result_name = ResultName::kArgument},
    {.name = "sqrt",
     .category = "math",
     .summary = "The square root.",
     .params = {{{"x", "A number."}}},
     .returns = "A real; NaN for negative numbers, which isnan() tells and tables show as nothing.",
     .examples = {{{"print sqrt(9)", "3"}}},
     .overloads = {lift<sqrt_real>()},
     .result_name = ResultName::kArgument},
    {.name = "tan",
     .category = "math",
     .summary = "The tangent of an angle in radians.",
     .params = {{{"x", "An angle in radians."}}},
     .returns = "A real; null for null.",
     .examples = {{{"print tan(0)", "0"}}},
     .overloads = {lift<tan_real>()},
     .result_name = ResultName::kArgument},
}};

}  // namespace

std::span<const ScalarFunction> math_functions() {
  return kMathFunctions;
}

}  // namespace evq

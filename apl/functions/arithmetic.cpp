// The arithmetic operators and member access. Integers stay integers; a result that does not fit
// 64 bits is null, as is division by zero; reals follow IEEE 754. % keeps the dividend's sign.

#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "apl/functions/lift.h"
#include "apl/functions/registry.h"

namespace evq {
namespace {

using MaybeLong = std::optional<std::int64_t>;
using MaybeSpan = std::optional<Timespan>;
using MaybeTime = std::optional<Datetime>;

MaybeLong checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? MaybeLong() : sum;
}
MaybeLong checked_subtract(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  return __builtin_sub_overflow(a, b, &difference) ? MaybeLong() : difference;
}
MaybeLong checked_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? MaybeLong() : product;
}
MaybeLong checked_divide(std::int64_t a, std::int64_t b) {
  if (b == 0 || (b == -1 && a == std::numeric_limits<std::int64_t>::min())) {
    return std::nullopt;
  }
  return a / b;
}
MaybeLong checked_modulo(std::int64_t a, std::int64_t b) {
  if (b == 0) {
    return std::nullopt;
  }
  return b == -1 ? 0 : a % b;
}

MaybeSpan span_of(MaybeLong ns) {
  return ns.has_value() ? MaybeSpan(Timespan{*ns}) : MaybeSpan();
}

// A number of nanoseconds that a real computation gave; null when it does not fit.
MaybeSpan span_of_real(double ns) {
  if (!(ns >= -0x1.0p63 && ns < 0x1.0p63)) {
    return std::nullopt;
  }
  return Timespan{static_cast<std::int64_t>(ns)};
}

double add_reals(double a, double b) {
  return a + b;
}
MaybeTime add_time_span(Datetime a, Timespan b) {
  return time_of(checked_add(a.ns, b.ns));
}
MaybeTime add_span_time(Timespan a, Datetime b) {
  return time_of(checked_add(a.ns, b.ns));
}
MaybeSpan add_spans(Timespan a, Timespan b) {
  return span_of(checked_add(a.ns, b.ns));
}

double subtract_reals(double a, double b) {
  return a - b;
}
MaybeTime subtract_time_span(Datetime a, Timespan b) {
  return time_of(checked_subtract(a.ns, b.ns));
}
MaybeSpan subtract_times(Datetime a, Datetime b) {
  return span_of(checked_subtract(a.ns, b.ns));
}
MaybeSpan subtract_spans(Timespan a, Timespan b) {
  return span_of(checked_subtract(a.ns, b.ns));
}

double multiply_reals(double a, double b) {
  return a * b;
}
MaybeSpan multiply_span_long(Timespan a, std::int64_t b) {
  return span_of(checked_multiply(a.ns, b));
}
MaybeSpan multiply_long_span(std::int64_t a, Timespan b) {
  return span_of(checked_multiply(a, b.ns));
}
MaybeSpan multiply_span_real(Timespan a, double b) {
  return span_of_real(static_cast<double>(a.ns) * b);
}
MaybeSpan multiply_real_span(double a, Timespan b) {
  return span_of_real(a * static_cast<double>(b.ns));
}

double divide_reals(double a, double b) {
  return a / b;
}
std::optional<double> divide_spans(Timespan a, Timespan b) {
  if (b.ns == 0) {
    return std::nullopt;
  }
  return static_cast<double>(a.ns) / static_cast<double>(b.ns);
}
MaybeSpan divide_span_long(Timespan a, std::int64_t b) {
  return span_of(checked_divide(a.ns, b));
}
MaybeSpan divide_span_real(Timespan a, double b) {
  return span_of_real(static_cast<double>(a.ns) / b);
}

double modulo_reals(double a, double b) {
  return std::fmod(a, b);
}
MaybeSpan modulo_spans(Timespan a, Timespan b) {
  return span_of(checked_modulo(a.ns, b.ns));
}

MaybeLong negate_long(std::int64_t a) {
  return checked_subtract(0, a);
}
double negate_real(double a) {
  return -a;
}
MaybeSpan negate_span(Timespan a) {
  return span_of(checked_subtract(0, a.ns));
}

std::optional<DynamicView> member(DynamicView container, std::string_view key) {
  const std::optional<DynamicView> found = container.find(key);
  return found.has_value() && !found->is_null() ? found : std::nullopt;
}
std::optional<DynamicView> element(DynamicView container, std::int64_t index) {
  const DynamicView found = container.at(index);
  return found.is_null() ? std::nullopt : std::optional(found);
}

constexpr std::array<ScalarFunction, 7> kArithmeticFunctions = {{
    {.name = "op_add",
     .category = "operator",
     .summary = "a + b",
     .overloads = {lift<checked_add>(), lift<add_reals>(), lift<add_time_span>(),
                   lift<add_span_time>(), lift<add_spans>()},
     .flags = FunctionFlags::kInternal},
    {.name = "op_subtract",
     .category = "operator",
     .summary = "a - b",
     .overloads = {lift<checked_subtract>(), lift<subtract_reals>(), lift<subtract_time_span>(),
                   lift<subtract_times>(), lift<subtract_spans>()},
     .flags = FunctionFlags::kInternal},
    {.name = "op_multiply",
     .category = "operator",
     .summary = "a * b",
     .overloads = {lift<checked_multiply>(), lift<multiply_reals>(), lift<multiply_span_long>(),
                   lift<multiply_long_span>(), lift<multiply_span_real>(),
                   lift<multiply_real_span>()},
     .flags = FunctionFlags::kInternal},
    {.name = "op_divide",
     .category = "operator",
     .summary = "a / b",
     .overloads = {lift<checked_divide>(), lift<divide_reals>(), lift<divide_spans>(),
                   lift<divide_span_long>(), lift<divide_span_real>()},
     .flags = FunctionFlags::kInternal},
    {.name = "op_modulo",
     .category = "operator",
     .summary = "a % b",
     .overloads = {lift<checked_modulo>(), lift<modulo_reals>(), lift<modulo_spans>()},
     .flags = FunctionFlags::kInternal},
    {.name = "op_negate",
     .category = "operator",
     .summary = "-a",
     .overloads = {lift<negate_long>(), lift<negate_real>(), lift<negate_span>()},
     .flags = FunctionFlags::kInternal},
    {.name = "op_index",
     .category = "operator",
     .summary = "a.b, a['b'], a[0]",
     .overloads = {lift<member>(), lift<element>()},
     .flags = FunctionFlags::kInternal},
}};

}  // namespace

std::span<const ScalarFunction> arithmetic_functions() {
  return kArithmeticFunctions;
}

}  // namespace evq

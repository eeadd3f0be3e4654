// The arithmetic operators and member access. Integers stay integers; a result that does not fit
// 64 bits is null, as is division by zero; reals follow IEEE 754. % keeps the dividend's sign. Of
// dynamics each row's values say what is done.

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <variant>

#include "apl/functions/lift.h"
#include "apl/functions/registry.h"
#include "store/base/checked_math.h"
#include "store/base/number.h"

namespace evq {
namespace {

// ---- whole columns of longs

// `each` of a row, and of any row what the result would be modulo 2^64; `overflow` is negative
// where that is another.
struct Sum {
  static constexpr MaybeLong (*each)(std::int64_t, std::int64_t) = checked_add;
  static std::uint64_t wrapped(std::uint64_t a, std::uint64_t b) { return a + b; }
  static std::uint64_t overflow(std::uint64_t a, std::uint64_t b, std::uint64_t result) {
    return (a ^ result) & (b ^ result);
  }
};
struct Difference {
  static constexpr MaybeLong (*each)(std::int64_t, std::int64_t) = checked_subtract;
  static std::uint64_t wrapped(std::uint64_t a, std::uint64_t b) { return a - b; }
  static std::uint64_t overflow(std::uint64_t a, std::uint64_t b, std::uint64_t result) {
    return (a ^ b) & (a ^ result);
  }
};

// Without a branch a row; nothing when some result does not fit.
template <class Operation, class Left, class Right>
std::optional<Vector> compute_all(std::size_t rows, const Left& left, const Right& right) {
  std::shared_ptr<Values> values = Values::make(Type::kLong, rows);
  auto* out = values->mutable_data<std::int64_t>();
  std::uint64_t overflow = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::uint64_t result = Operation::wrapped(left(i), right(i));
    overflow |= Operation::overflow(left(i), right(i), result);
    out[i] = static_cast<std::int64_t>(result);
  }
  return overflow >> 63U != 0 ? std::nullopt : std::optional(Vector::flat(std::move(values)));
}

template <class Operation>
Vector long_kernel(const KernelCall& call) {
  const Vector& left = call.args[0];
  const Vector& right = call.args[1];
  const auto plain = [](const Vector& side) {
    return (side.is_flat() || side.is_constant()) && !side.may_have_nulls();
  };
  std::optional<Vector> result;
  if (call.rows > 0 && plain(left) && plain(right) && (left.is_flat() || right.is_flat())) {
    const auto* a = left.values().data<std::int64_t>();
    const auto* b = right.values().data<std::int64_t>();
    const auto each = [](const std::int64_t* data) {
      return [data](std::size_t i) { return static_cast<std::uint64_t>(data[i]); };
    };
    const auto same = [](const std::int64_t* data) {
      return [value = static_cast<std::uint64_t>(*data)](std::size_t) { return value; };
    };
    result = right.is_constant()  ? compute_all<Operation>(call.rows, each(a), same(b))
             : left.is_constant() ? compute_all<Operation>(call.rows, same(a), each(b))
                                  : compute_all<Operation>(call.rows, each(a), each(b));
  }
  return result.has_value() ? *std::move(result) : lifting::kernel<Operation::each>(call);
}

template <class Operation>
constexpr Overload lift_longs() {
  Overload overload = lift<Operation::each>();
  overload.kernel = &long_kernel<Operation>;
  return overload;
}

MaybeSpan span_of(MaybeLong ns) {
  return ns.has_value() ? MaybeSpan(Timespan{*ns}) : MaybeSpan();
}

// A number of nanoseconds that a real computation gave; null when it does not fit.
MaybeSpan span_of_real(double ns) {
  return span_of(int_from_real(ns));
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

// Beyond the multiple that bin() gives, so never negative.
MaybeSpan modulo_time_span(Datetime a, Timespan b) {
  const MaybeLong rest = b.ns > 0 ? checked_modulo(a.ns, b.ns) : std::nullopt;
  return span_of(rest.has_value() && *rest < 0 ? *rest + b.ns : rest);
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

// ---- by value: what an operator makes of a dynamic depends on what the row holds

// A dynamic that arithmetic knows; monostate for anything else.
using Quantity = std::variant<std::monostate, std::int64_t, double, Timespan, Datetime>;

Quantity quantity_of(DynamicView value) {
  switch (value.tag()) {
    case DynamicTag::kLong:
      return value.as_integer();
    case DynamicTag::kReal:
      return value.as_real();
    case DynamicTag::kTimespan:
      return Timespan{value.as_integer()};
    case DynamicTag::kDatetime:
      return Datetime{value.as_integer()};
    case DynamicTag::kNull:
    case DynamicTag::kFalse:
    case DynamicTag::kTrue:
    case DynamicTag::kString:
    case DynamicTag::kArray:
    case DynamicTag::kBag:
      break;
  }
  return std::monostate{};
}

MaybeSpan add_span_ns(Timespan a, MaybeSpan ns) {
  return ns.has_value() ? add_spans(a, *ns) : std::nullopt;
}
MaybeSpan subtract_span_ns(MaybeSpan ns, MaybeSpan b) {
  return ns.has_value() && b.has_value() ? subtract_spans(*ns, *b) : std::nullopt;
}

// The typed forms of an operator; the last takes every pair that has none. Where both sides must
// be of one kind, a number beside a timespan counts nanoseconds.
struct Add {
  static MaybeLong of(std::int64_t a, std::int64_t b) { return checked_add(a, b); }
  static double of(double a, double b) { return add_reals(a, b); }
  static MaybeTime of(Datetime a, Timespan b) { return add_time_span(a, b); }
  static MaybeTime of(Timespan a, Datetime b) { return add_span_time(a, b); }
  static MaybeSpan of(Timespan a, Timespan b) { return add_spans(a, b); }
  static MaybeSpan of(Timespan a, std::int64_t b) { return add_spans(a, Timespan{b}); }
  static MaybeSpan of(std::int64_t a, Timespan b) { return add_spans(Timespan{a}, b); }
  static MaybeSpan of(Timespan a, double b) { return add_span_ns(a, span_of_real(b)); }
  static MaybeSpan of(double a, Timespan b) { return add_span_ns(b, span_of_real(a)); }
  template <class A, class B>
  static MaybeLong of(A /*a*/, B /*b*/) {
    return std::nullopt;
  }
};
struct Subtract {
  static MaybeLong of(std::int64_t a, std::int64_t b) { return checked_subtract(a, b); }
  static double of(double a, double b) { return subtract_reals(a, b); }
  static MaybeTime of(Datetime a, Timespan b) { return subtract_time_span(a, b); }
  static MaybeSpan of(Datetime a, Datetime b) { return subtract_times(a, b); }
  static MaybeSpan of(Timespan a, Timespan b) { return subtract_spans(a, b); }
  static MaybeSpan of(Timespan a, std::int64_t b) { return subtract_spans(a, Timespan{b}); }
  static MaybeSpan of(std::int64_t a, Timespan b) { return subtract_spans(Timespan{a}, b); }
  static MaybeSpan of(Timespan a, double b) { return subtract_span_ns(a, span_of_real(b)); }
  static MaybeSpan of(double a, Timespan b) { return subtract_span_ns(span_of_real(a), b); }
  template <class A, class B>
  static MaybeLong of(A /*a*/, B /*b*/) {
    return std::nullopt;
  }
};
struct Multiply {
  static MaybeLong of(std::int64_t a, std::int64_t b) { return checked_multiply(a, b); }
  static double of(double a, double b) { return multiply_reals(a, b); }
  static MaybeSpan of(Timespan a, std::int64_t b) { return multiply_span_long(a, b); }
  static MaybeSpan of(std::int64_t a, Timespan b) { return multiply_long_span(a, b); }
  static MaybeSpan of(Timespan a, double b) { return multiply_span_real(a, b); }
  static MaybeSpan of(double a, Timespan b) { return multiply_real_span(a, b); }
  template <class A, class B>
  static MaybeLong of(A /*a*/, B /*b*/) {
    return std::nullopt;
  }
};
struct Divide {
  static MaybeLong of(std::int64_t a, std::int64_t b) { return checked_divide(a, b); }
  static double of(double a, double b) { return divide_reals(a, b); }
  static std::optional<double> of(Timespan a, Timespan b) { return divide_spans(a, b); }
  static std::optional<double> of(std::int64_t a, Timespan b) {
    return divide_spans(Timespan{a}, b);
  }
  static std::optional<double> of(double a, Timespan b) {
    return divide_reals(a, static_cast<double>(b.ns));
  }
  static MaybeSpan of(Timespan a, std::int64_t b) { return divide_span_long(a, b); }
  static MaybeSpan of(Timespan a, double b) { return divide_span_real(a, b); }
  template <class A, class B>
  static MaybeLong of(A /*a*/, B /*b*/) {
    return std::nullopt;
  }
};
struct Modulo {
  static MaybeLong of(std::int64_t a, std::int64_t b) { return checked_modulo(a, b); }
  static double of(double a, double b) { return modulo_reals(a, b); }
  static MaybeSpan of(Timespan a, Timespan b) { return modulo_spans(a, b); }
  static MaybeSpan of(Datetime a, Timespan b) { return modulo_time_span(a, b); }
  template <class A, class B>
  static MaybeLong of(A /*a*/, B /*b*/) {
    return std::nullopt;
  }
};

void add_quantity(std::int64_t value, DynamicBuilder* out) {
  out->add_long(value);
}
void add_quantity(double value, DynamicBuilder* out) {
  out->add_real(value);
}
void add_quantity(Timespan value, DynamicBuilder* out) {
  out->add_timespan(value.ns);
}
void add_quantity(Datetime value, DynamicBuilder* out) {
  out->add_datetime(value.ns);
}

template <class T>
std::optional<DynamicBytes> dynamic_of(const std::optional<T>& value) {
  if (!value.has_value()) {
    return std::nullopt;
  }
  DynamicBuilder out;
  add_quantity(*value, &out);
  return DynamicBytes{out.take()};
}

template <class Operator>
std::optional<DynamicBytes> by_value(DynamicView left, DynamicView right) {
  return std::visit(
      [](auto a, auto b) -> std::optional<DynamicBytes> {
        using A = decltype(a);
        using B = decltype(b);
        if constexpr (std::is_same_v<A, std::monostate> || std::is_same_v<B, std::monostate>) {
          return std::nullopt;
        } else if constexpr (std::is_arithmetic_v<A> && std::is_arithmetic_v<B> &&
                             !std::is_same_v<A, B>) {
          return dynamic_of(
              std::optional(Operator::of(static_cast<double>(a), static_cast<double>(b))));
        } else if constexpr (std::is_same_v<A, double> && std::is_same_v<B, double>) {
          return dynamic_of(std::optional(Operator::of(a, b)));
        } else {
          return dynamic_of(Operator::of(a, b));
        }
      },
      quantity_of(left), quantity_of(right));
}

std::optional<DynamicBytes> negate_dynamic(DynamicView value) {
  if (value.tag() == DynamicTag::kLong) {
    return dynamic_of(negate_long(value.as_integer()));
  }
  if (value.tag() == DynamicTag::kTimespan) {
    return dynamic_of(negate_span(Timespan{value.as_integer()}));
  }
  return value.tag() == DynamicTag::kReal ? dynamic_of(std::optional(negate_real(value.as_real())))
                                          : std::nullopt;
}

std::optional<DynamicView> member(DynamicView container, std::string_view key) {
  const std::optional<DynamicView> found = container.find(key);
  return found.has_value() && !found->is_null() ? found : std::nullopt;
}
std::optional<DynamicView> element(DynamicView container, std::int64_t index) {
  const DynamicView found = container.at(index);
  return found.is_null() ? std::nullopt : std::optional(found);
}

std::optional<DynamicBytes> time_after(DynamicView start, DynamicView distance) {
  return start.tag() == DynamicTag::kDatetime && distance.tag() == DynamicTag::kTimespan
             ? by_value<Add>(start, distance)
             : std::nullopt;
}

// What mv-expand gives of range(0, 2) is as good an index as 0 is; a number that went through real
// keeps its place when it is whole.
std::optional<DynamicView> part_by_value(DynamicView container, DynamicView key) {
  switch (key.tag()) {
    case DynamicTag::kString:
      return member(container, key.as_string());
    case DynamicTag::kLong:
      return element(container, key.as_integer());
    case DynamicTag::kReal: {
      const std::optional<std::int64_t> whole = int_from_real(key.as_real());
      return whole.has_value() && static_cast<double>(*whole) == key.as_real()
                 ? element(container, *whole)
                 : std::nullopt;
    }
    case DynamicTag::kNull:
    case DynamicTag::kFalse:
    case DynamicTag::kTrue:
    case DynamicTag::kDatetime:
    case DynamicTag::kTimespan:
    case DynamicTag::kArray:
    case DynamicTag::kBag:
      break;
  }
  return std::nullopt;
}

template <auto kForm>
constexpr ScalarFunction by_value_row(std::string_view name, std::string_view summary) {
  return {.name = name,
          .category = "operator",
          .summary = summary,
          .overloads = {lift<kForm>()},
          .cost = CallCost::kOperator,
          .flags = FunctionFlags::kInternal};
}

constexpr std::array<ScalarFunction, 14> kArithmeticFunctions = {{
    {.name = "op_add",
     .category = "operator",
     .summary = "a + b",
     .overloads = {lift_longs<Sum>(), lift<add_reals>(), lift<add_time_span>(),
                   lift<add_span_time>(), lift<add_spans>()},
     .cost = CallCost::kOperator,
     .flags = FunctionFlags::kInternal},
    {.name = "op_subtract",
     .category = "operator",
     .summary = "a - b",
     .overloads = {lift_longs<Difference>(), lift<subtract_reals>(), lift<subtract_time_span>(),
                   lift<subtract_times>(), lift<subtract_spans>()},
     .cost = CallCost::kOperator,
     .flags = FunctionFlags::kInternal},
    {.name = "op_multiply",
     .category = "operator",
     .summary = "a * b",
     .overloads = {lift<checked_multiply>(), lift<multiply_reals>(), lift<multiply_span_long>(),
                   lift<multiply_long_span>(), lift<multiply_span_real>(),
                   lift<multiply_real_span>()},
     .cost = CallCost::kOperator,
     .flags = FunctionFlags::kInternal},
    {.name = "op_divide",
     .category = "operator",
     .summary = "a / b",
     .overloads = {lift<checked_divide>(), lift<divide_reals>(), lift<divide_spans>(),
                   lift<divide_span_long>(), lift<divide_span_real>()},
     .cost = CallCost::kOperator,
     .flags = FunctionFlags::kInternal},
    {.name = "op_modulo",
     .category = "operator",
     .summary = "a % b",
     .overloads = {lift<checked_modulo>(), lift<modulo_reals>(), lift<modulo_spans>(),
                   lift<modulo_time_span>()},
     .cost = CallCost::kOperator,
     .flags = FunctionFlags::kInternal},
    {.name = "op_negate",
     .category = "operator",
     .summary = "-a",
     .overloads = {lift<negate_long>(), lift<negate_real>(), lift<negate_span>()},
     .cost = CallCost::kOperator,
     .flags = FunctionFlags::kInternal},
    {.name = "op_index",
     .category = "operator",
     .summary = "a.b, a['b'], a[0]",
     .overloads = {lift<member>(), lift<element>(), lift<part_by_value>()},
     .cost = CallCost::kOperator,
     .flags = FunctionFlags::kInternal},
    by_value_row<by_value<Add>>("op_add_dynamic", "a + b, by value"),
    by_value_row<by_value<Subtract>>("op_subtract_dynamic", "a - b, by value"),
    by_value_row<by_value<Multiply>>("op_multiply_dynamic", "a * b, by value"),
    by_value_row<by_value<Divide>>("op_divide_dynamic", "a / b, by value"),
    by_value_row<by_value<Modulo>>("op_modulo_dynamic", "a % b, by value"),
    by_value_row<negate_dynamic>("op_negate_dynamic", "-a, by value"),
    by_value_row<time_after>("op_time_after", "a + b of a datetime and a timespan, by value"),
}};

}  // namespace

std::span<const ScalarFunction> arithmetic_functions() {
  return kArithmeticFunctions;
}

}  // namespace evq

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

MaybeSpan span_of(MaybeLong ns) {
  return ns.has_value() ? MaybeSpan(Timespan{*ns}) : MaybeSpan();
}

// A number of nanoseconds that a real computation gave; null when it does not fit.
MaybeSpan span_of_real(double ns) {
  return span_of(int_from_real(ns));
}

// ---- the operators: what each makes of two sides, by their types

struct Add {
  static MaybeLong of(std::int64_t a, std::int64_t b) { return checked_add(a, b); }
  static double of(double a, double b) { return a + b; }
  static MaybeTime of(Datetime a, Timespan b) { return time_of(checked_add(a.ns, b.ns)); }
  static MaybeTime of(Timespan a, Datetime b) { return of(b, a); }
  static MaybeSpan of(Timespan a, Timespan b) { return span_of(checked_add(a.ns, b.ns)); }
  // For dynamics only: a number beside a timespan counts nanoseconds.
  static MaybeSpan of(Timespan a, std::int64_t b) { return of(a, Timespan{b}); }
  static MaybeSpan of(std::int64_t a, Timespan b) { return of(Timespan{a}, b); }
  static MaybeSpan of(Timespan a, double b) {
    const MaybeSpan span = span_of_real(b);
    return span.has_value() ? of(a, *span) : std::nullopt;
  }
  static MaybeSpan of(double a, Timespan b) { return of(b, a); }

  // Of longs modulo 2^64; `overflow` is negative where `result` is not the exact one.
  static std::uint64_t wrapped(std::uint64_t a, std::uint64_t b) { return a + b; }
  static std::uint64_t overflow(std::uint64_t a, std::uint64_t b, std::uint64_t result) {
    return (a ^ result) & (b ^ result);
  }
};
struct Subtract {
  static MaybeLong of(std::int64_t a, std::int64_t b) { return checked_subtract(a, b); }
  static double of(double a, double b) { return a - b; }
  static MaybeTime of(Datetime a, Timespan b) { return time_of(checked_subtract(a.ns, b.ns)); }
  static MaybeSpan of(Datetime a, Datetime b) { return span_of(checked_subtract(a.ns, b.ns)); }
  static MaybeSpan of(Timespan a, Timespan b) { return span_of(checked_subtract(a.ns, b.ns)); }
  // For dynamics only, as in Add.
  static MaybeSpan of(Timespan a, std::int64_t b) { return of(a, Timespan{b}); }
  static MaybeSpan of(std::int64_t a, Timespan b) { return of(Timespan{a}, b); }
  static MaybeSpan of(Timespan a, double b) {
    const MaybeSpan span = span_of_real(b);
    return span.has_value() ? of(a, *span) : std::nullopt;
  }
  static MaybeSpan of(double a, Timespan b) {
    const MaybeSpan span = span_of_real(a);
    return span.has_value() ? of(*span, b) : std::nullopt;
  }

  // As in Add.
  static std::uint64_t wrapped(std::uint64_t a, std::uint64_t b) { return a - b; }
  static std::uint64_t overflow(std::uint64_t a, std::uint64_t b, std::uint64_t result) {
    return (a ^ b) & (a ^ result);
  }
};
struct Multiply {
  static MaybeLong of(std::int64_t a, std::int64_t b) { return checked_multiply(a, b); }
  static double of(double a, double b) { return a * b; }
  static MaybeSpan of(Timespan a, std::int64_t b) { return span_of(checked_multiply(a.ns, b)); }
  static MaybeSpan of(std::int64_t a, Timespan b) { return of(b, a); }
  static MaybeSpan of(Timespan a, double b) { return span_of_real(static_cast<double>(a.ns) * b); }
  static MaybeSpan of(double a, Timespan b) { return of(b, a); }
};
struct Divide {
  static MaybeLong of(std::int64_t a, std::int64_t b) { return checked_divide(a, b); }
  static double of(double a, double b) { return a / b; }
  static MaybeReal of(Timespan a, Timespan b) {
    return b.ns == 0 ? std::nullopt
                     : MaybeReal(static_cast<double>(a.ns) / static_cast<double>(b.ns));
  }
  static MaybeSpan of(Timespan a, std::int64_t b) { return span_of(checked_divide(a.ns, b)); }
  static MaybeSpan of(Timespan a, double b) { return span_of_real(static_cast<double>(a.ns) / b); }
  // For dynamics only, as in Add.
  static MaybeReal of(std::int64_t a, Timespan b) { return of(Timespan{a}, b); }
  static double of(double a, Timespan b) { return of(a, static_cast<double>(b.ns)); }
};
struct Modulo {
  static MaybeLong of(std::int64_t a, std::int64_t b) { return checked_modulo(a, b); }
  static double of(double a, double b) { return std::fmod(a, b); }
  static MaybeSpan of(Timespan a, Timespan b) { return span_of(checked_modulo(a.ns, b.ns)); }
  // Beyond the multiple that bin() gives, so never negative.
  static MaybeSpan of(Datetime a, Timespan b) {
    const MaybeLong rest = b.ns > 0 ? checked_modulo(a.ns, b.ns) : std::nullopt;
    return span_of(rest.has_value() && *rest < 0 ? *rest + b.ns : rest);
  }
};

MaybeLong negate_long(std::int64_t a) {
  return checked_subtract(0, a);
}
double negate_real(double a) {
  return -a;
}
MaybeSpan negate_span(Timespan a) {
  return span_of(checked_subtract(0, a.ns));
}

// ---- for columns of these types

template <class Operator, class Left, class Right>
auto operate(Left a, Right b) {
  return Operator::of(a, b);
}

template <class Operator, class Left, class Right>
constexpr Overload lift_typed() {
  return lift<&operate<Operator, Left, Right>>();
}

// Longs without a branch a row; nothing when some result does not fit.
template <class Operator, class Left, class Right>
std::optional<Vector> compute_all(std::size_t rows, const Left& left, const Right& right) {
  std::shared_ptr<Values> values = Values::make(Type::kLong, rows);
  auto* out = values->mutable_data<std::int64_t>();
  std::uint64_t overflow = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::uint64_t result = Operator::wrapped(left(i), right(i));
    overflow |= Operator::overflow(left(i), right(i), result);
    out[i] = static_cast<std::int64_t>(result);
  }
  return overflow >> 63U != 0 ? std::nullopt : std::optional(Vector::flat(std::move(values)));
}

template <class Operator>
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
    result = right.is_constant()  ? compute_all<Operator>(call.rows, each(a), same(b))
             : left.is_constant() ? compute_all<Operator>(call.rows, same(a), each(b))
                                  : compute_all<Operator>(call.rows, each(a), each(b));
  }
  return result.has_value() ? *std::move(result)
                            : lifting::kernel<&operate<Operator, std::int64_t, std::int64_t>>(call);
}

template <class Operator>
constexpr Overload lift_longs() {
  Overload overload = lift_typed<Operator, std::int64_t, std::int64_t>();
  overload.kernel = &long_kernel<Operator>;
  return overload;
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
std::optional<DynamicBytes> dynamic_of(double value) {
  return dynamic_of(MaybeReal(value));
}

// Null for sides of which the operator has no form.
template <class Operator>
std::optional<DynamicBytes> by_value(DynamicView left, DynamicView right) {
  return std::visit(
      [](auto a, auto b) -> std::optional<DynamicBytes> {
        using A = decltype(a);
        using B = decltype(b);
        if constexpr (std::is_arithmetic_v<A> && std::is_arithmetic_v<B> && !std::is_same_v<A, B>) {
          return dynamic_of(Operator::of(static_cast<double>(a), static_cast<double>(b)));
        } else if constexpr (requires { Operator::of(a, b); }) {
          return dynamic_of(Operator::of(a, b));
        } else {
          return std::nullopt;
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
  return value.tag() == DynamicTag::kReal ? dynamic_of(negate_real(value.as_real())) : std::nullopt;
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
constexpr ScalarFunction by_value_row(std::string_view name, std::string_view summary,
                                      std::string_view symbol = {}) {
  return {.name = name,
          .category = "operator",
          .summary = summary,
          .overloads = {lift<kForm>()},
          .cost = CallCost::kOperator,
          .flags = FunctionFlags::kInternal,
          .symbol = symbol};
}

constexpr std::array<ScalarFunction, 14> kArithmeticFunctions = {{
    {.name = "op_add",
     .category = "operator",
     .summary = "a + b",
     .overloads = {lift_longs<Add>(), lift_typed<Add, double, double>(),
                   lift_typed<Add, Datetime, Timespan>(), lift_typed<Add, Timespan, Datetime>(),
                   lift_typed<Add, Timespan, Timespan>()},
     .cost = CallCost::kOperator,
     .flags = FunctionFlags::kInternal,
     .symbol = "+"},
    {.name = "op_subtract",
     .category = "operator",
     .summary = "a - b",
     .overloads = {lift_longs<Subtract>(), lift_typed<Subtract, double, double>(),
                   lift_typed<Subtract, Datetime, Timespan>(),
                   lift_typed<Subtract, Datetime, Datetime>(),
                   lift_typed<Subtract, Timespan, Timespan>()},
     .cost = CallCost::kOperator,
     .flags = FunctionFlags::kInternal,
     .symbol = "-"},
    {.name = "op_multiply",
     .category = "operator",
     .summary = "a * b",
     .overloads = {lift_typed<Multiply, std::int64_t, std::int64_t>(),
                   lift_typed<Multiply, double, double>(),
                   lift_typed<Multiply, Timespan, std::int64_t>(),
                   lift_typed<Multiply, std::int64_t, Timespan>(),
                   lift_typed<Multiply, Timespan, double>(),
                   lift_typed<Multiply, double, Timespan>()},
     .cost = CallCost::kOperator,
     .flags = FunctionFlags::kInternal,
     .symbol = "*"},
    {.name = "op_divide",
     .category = "operator",
     .summary = "a / b",
     .overloads = {lift_typed<Divide, std::int64_t, std::int64_t>(),
                   lift_typed<Divide, double, double>(), lift_typed<Divide, Timespan, Timespan>(),
                   lift_typed<Divide, Timespan, std::int64_t>(),
                   lift_typed<Divide, Timespan, double>()},
     .cost = CallCost::kOperator,
     .flags = FunctionFlags::kInternal,
     .symbol = "/"},
    {.name = "op_modulo",
     .category = "operator",
     .summary = "a % b",
     .overloads = {lift_typed<Modulo, std::int64_t, std::int64_t>(),
                   lift_typed<Modulo, double, double>(), lift_typed<Modulo, Timespan, Timespan>(),
                   lift_typed<Modulo, Datetime, Timespan>()},
     .cost = CallCost::kOperator,
     .flags = FunctionFlags::kInternal,
     .symbol = "%"},
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
    by_value_row<by_value<Add>>("op_add_dynamic", "a + b, by value", "+"),
    by_value_row<by_value<Subtract>>("op_subtract_dynamic", "a - b, by value", "-"),
    by_value_row<by_value<Multiply>>("op_multiply_dynamic", "a * b, by value", "*"),
    by_value_row<by_value<Divide>>("op_divide_dynamic", "a / b, by value", "/"),
    by_value_row<by_value<Modulo>>("op_modulo_dynamic", "a % b, by value", "%"),
    by_value_row<negate_dynamic>("op_negate_dynamic", "-a, by value"),
    by_value_row<time_after>("op_time_after", "a + b of a datetime and a timespan, by value"),
}};

}  // namespace

std::span<const ScalarFunction> arithmetic_functions() {
  return kArithmeticFunctions;
}

}  // namespace evq

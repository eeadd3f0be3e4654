// The comparison operators ==, !=, <, <=, >, >= over every pair of comparable types.
//
// Null: == with one null is false, with two null; != with one null is true, with two null; an
// order with a null is null. Two numbers compare by value, whatever their types, and a number
// beside a timespan counts nanoseconds; a dynamic compares with anything: by value when the kinds
// agree, else == is false and an order null.

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "apl/functions/registry.h"
#include "store/base/ascii.h"
#include "store/base/text_hash.h"
#include "store/column/ordering.h"
#include "store/column/validity.h"

namespace evq {
namespace {

template <Comparison kOp, class T>
bool holds(const T& a, const T& b) {
  if constexpr (kOp == Comparison::kEqual) {
    return a == b;
  } else if constexpr (kOp == Comparison::kNotEqual) {
    return !(a == b);
  } else if constexpr (kOp == Comparison::kLess) {
    return a < b;
  } else if constexpr (kOp == Comparison::kLessEqual) {
    return a <= b;
  } else if constexpr (kOp == Comparison::kGreater) {
    return a > b;
  } else {
    return a >= b;
  }
}

// The same over the sign of a three-way comparison.
template <Comparison kOp>
bool holds_order(int order) {
  return holds<kOp>(order, 0);
}

constexpr bool is_equality(Comparison op) {
  return op == Comparison::kEqual || op == Comparison::kNotEqual;
}

// What a row with one null or two gives: 0, 1, or -1 for null.
template <Comparison kOp>
int null_result(bool left_null, bool right_null) {
  if (!is_equality(kOp) || (left_null && right_null)) {
    return -1;
  }
  return kOp == Comparison::kNotEqual ? 1 : 0;
}

template <Comparison kOp>
void put_null_result(Values* out, std::size_t i, bool left_null, bool right_null) {
  const int result = null_result<kOp>(left_null, right_null);
  if (result < 0) {
    out->set_null(i);
  } else {
    out->mutable_data<std::uint8_t>()[i] = static_cast<std::uint8_t>(result);
  }
}

// Rows that are null on the left, where the right is one value that is not.
template <Comparison kOp>
void put_left_nulls(const Values& left, Values* out) {
  const std::uint64_t* valid = left.validity();
  const auto otherwise = static_cast<std::uint8_t>(kOp == Comparison::kNotEqual ? 1 : 0);
  set_null_bytes(valid, left.size(), otherwise, out->mutable_data<std::uint8_t>());
  if (!is_equality(kOp)) {
    out->set_validity({valid, valid + (left.size() + 63) / 64});
  }
}

template <Comparison kOp, class T>
void compare_with_constant(const T* values, std::size_t rows, const T& bound, std::uint8_t* to) {
  if constexpr (is_equality(kOp) && std::is_same_v<T, std::string_view>) {
    for (std::size_t i = 0; i < rows; ++i) {
      to[i] =
          static_cast<std::uint8_t>(equal_text(values[i], bound) == (kOp == Comparison::kEqual));
    }
  } else {
    for (std::size_t i = 0; i < rows; ++i) {
      to[i] = static_cast<std::uint8_t>(holds<kOp>(values[i], bound));
    }
  }
}

template <Comparison kOp, class T>
Vector compare_plain(const Vector& left, const Vector& right, std::size_t rows) {
  auto out = Values::make(Type::kBool, rows);
  auto* to = out->mutable_data<std::uint8_t>();
  const T* a = left.values().data<T>();
  const T* b = right.values().data<T>();
  const bool nulls = left.may_have_nulls() || right.may_have_nulls();
  // The numbers of null rows may be compared, too; texts might lie nowhere.
  const bool left_nulls_only = std::is_arithmetic_v<T> && !right.may_have_nulls();
  if (left.is_flat() && right.is_constant() && (!nulls || left_nulls_only)) {
    compare_with_constant<kOp, T>(a, rows, b[0], to);
    if (nulls) {
      put_left_nulls<kOp>(left.values(), out.get());
    }
  } else if (!nulls && left.is_flat() && right.is_flat()) {
    for (std::size_t i = 0; i < rows; ++i) {
      to[i] = static_cast<std::uint8_t>(holds<kOp>(a[i], b[i]));
    }
  } else {
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t at = left.slot(i);
      const std::size_t bt = right.slot(i);
      const bool left_null = left.values().is_null(at);
      const bool right_null = right.values().is_null(bt);
      if (left_null || right_null) {
        put_null_result<kOp>(out.get(), i, left_null, right_null);
      } else {
        to[i] = static_cast<std::uint8_t>(holds<kOp>(a[at], b[bt]));
      }
    }
  }
  return Vector::flat(std::move(out));
}

// Reals, or longs of which each has a real of the same value.
std::optional<Vector> exact_reals(const Vector& vector) {
  if (vector.type() == Type::kReal) {
    return vector;
  }
  constexpr std::int64_t kExactMax = std::int64_t{1} << 53;
  const auto* data = vector.values().data<std::int64_t>();
  bool exact = true;
  for (std::size_t i = 0; i < vector.values().size(); ++i) {
    exact = exact & (data[i] >= -kExactMax) & (data[i] <= kExactMax);
  }
  return exact ? std::optional(vector.widen(Type::kReal)) : std::nullopt;
}

// Numbers, and timespans, which beside numbers count nanoseconds.
bool is_quantity(Type type) {
  return is_numeric(type) || type == Type::kTimespan;
}

Value number_of(const Value& value) {
  return value.type() == Type::kTimespan ? Value::integer(value.as_integer()) : value;
}

bool is_nan(const Value& value) {
  return value.type() == Type::kReal && std::isnan(value.as_real());
}

// Exactly, whatever their types; NaN is unequal to and unordered with everything.
template <Comparison kOp>
bool holds_quantities(const Value& left, const Value& right) {
  const Value a = number_of(left);
  const Value b = number_of(right);
  return is_nan(a) || is_nan(b) ? kOp == Comparison::kNotEqual
                                : holds_order<kOp>(compare_values(a, b));
}

// A long or timespan and a real.
template <Comparison kOp>
Vector compare_mixed(const Vector& left, const Vector& right, std::size_t rows) {
  auto out = Values::make(Type::kBool, rows);
  auto* to = out->mutable_data<std::uint8_t>();
  for (std::size_t i = 0; i < rows; ++i) {
    const bool left_null = left.is_null(i);
    const bool right_null = right.is_null(i);
    if (left_null || right_null) {
      put_null_result<kOp>(out.get(), i, left_null, right_null);
      continue;
    }
    to[i] = static_cast<std::uint8_t>(holds_quantities<kOp>(left.value(i), right.value(i)));
  }
  return Vector::flat(std::move(out));
}

// Whether two dynamic scalars are of one kind: all numbers are.
bool comparable(DynamicView a, DynamicView b) {
  return (is_quantity(a.type()) && is_quantity(b.type())) || a.tag() == b.tag() ||
         (a.is_bool() && b.is_bool());
}

template <Comparison kOp>
Vector compare_dynamics(const Vector& left, const Vector& right, std::size_t rows) {
  auto out = Values::make(Type::kBool, rows);
  auto* to = out->mutable_data<std::uint8_t>();
  const auto missing = [](const Vector& side, std::size_t i) {
    return side.is_null(i) || DynamicView(side.at<std::string_view>(i)).is_null();
  };
  for (std::size_t i = 0; i < rows; ++i) {
    const bool left_null = missing(left, i);
    const bool right_null = missing(right, i);
    if (left_null || right_null) {
      put_null_result<kOp>(out.get(), i, left_null, right_null);
      continue;
    }
    const DynamicView a(left.at<std::string_view>(i));
    const DynamicView b(right.at<std::string_view>(i));
    if (!comparable(a, b)) {
      if (is_equality(kOp)) {
        to[i] = kOp == Comparison::kNotEqual ? 1 : 0;
      } else {
        out->set_null(i);
      }
      continue;
    }
    const bool result = is_quantity(a.type())
                            ? holds_quantities<kOp>(value_from_dynamic(a), value_from_dynamic(b))
                            : holds_order<kOp>(compare_dynamic(a, b));
    to[i] = static_cast<std::uint8_t>(result);
  }
  return Vector::flat(std::move(out));
}

template <Comparison kOp>
class Compare final : public BoundFunction {
 public:
  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                  std::size_t rows) const override {
    const Vector& left = args[0];
    const Vector& right = args[1];
    if (left.type() != right.type()) {
      if (left.type() != Type::kReal && right.type() != Type::kReal) {
        return compare_plain<kOp, std::int64_t>(left, right, rows);  // a long and a timespan
      }
      if (is_numeric(left.type()) && is_numeric(right.type())) {
        const std::optional<Vector> a = exact_reals(left);
        const std::optional<Vector> b = exact_reals(right);
        if (a.has_value() && b.has_value()) {
          return compare_plain<kOp, double>(*a, *b, rows);
        }
      }
      return compare_mixed<kOp>(left, right, rows);
    }
    switch (left.type()) {
      case Type::kBool:
        return compare_plain<kOp, std::uint8_t>(left, right, rows);
      case Type::kLong:
      case Type::kDatetime:
      case Type::kTimespan:
        return compare_plain<kOp, std::int64_t>(left, right, rows);
      case Type::kReal:
        return compare_plain<kOp, double>(left, right, rows);
      case Type::kString:
        return compare_plain<kOp, std::string_view>(left, right, rows);
      case Type::kDynamic:
        return compare_dynamics<kOp>(left, right, rows);
      case Type::kNull:
        break;
    }
    return Vector::constant(Value::null(Type::kBool), rows);
  }
};

// `text_side` is the text of the two if there is one, else a datetime.
std::string conversion_hint(Type text_side, Type other) {
  if (text_side == Type::kString && is_numeric(other)) {
    return "convert the text with toint() or toreal(), or quote the number";
  }
  if (text_side == Type::kString && other == Type::kDatetime) {
    return "convert the text with todatetime(); write ago(1h) for an hour before now";
  }
  if (text_side == Type::kDatetime && other == Type::kTimespan) {
    return "write ago(1h) for an hour before now, or take the difference of two datetimes";
  }
  if (text_side == Type::kDatetime && is_numeric(other)) {
    return "write datetime(2024-05-01) or ago(1h)";
  }
  return "convert one side, for example with to" + std::string(type_name(other)) + "()";
}

// time != '': what is asked is whether there is one.
bool is_empty_text(const Argument& argument) {
  return argument.type == Type::kString && argument.constant != nullptr &&
         !argument.constant->is_null() && argument.constant->as_text().empty();
}

// Whether a text beside a datetime is written as a date: it would have become one if it were.
bool is_no_date(const Argument& argument, Type other) {
  if (argument.type != Type::kString || argument.constant == nullptr ||
      argument.constant->is_null() || other != Type::kDatetime) {
    return false;
  }
  const std::string_view text = argument.constant->as_text();
  return !text.empty() && is_digit(text[0]) && text.find('-') != std::string_view::npos;
}

template <Comparison kOp>
BindResult bind_comparison(const BindRequest& request) {
  const Type left = request.arguments[0].type;
  const Type right = request.arguments[1].type;
  BoundCall call;
  call.result = Type::kBool;
  call.function = std::make_shared<Compare<kOp>>();
  if (left == right || (is_quantity(left) && is_quantity(right))) {
    call.arguments = {left, right};
  } else if (left == Type::kNull || right == Type::kNull) {
    const Type known = left == Type::kNull ? right : left;
    call.arguments = {known, known};
  } else if (left == Type::kDynamic || right == Type::kDynamic) {
    call.arguments = {Type::kDynamic, Type::kDynamic};
  } else {
    const bool left_explains =
        left == Type::kString || (left == Type::kDatetime && right != Type::kString);
    std::string hint = left_explains ? conversion_hint(left, right) : conversion_hint(right, left);
    if (is_no_date(request.arguments[0], right) || is_no_date(request.arguments[1], left)) {
      hint = "there is no such date; one is written 2024-05-31 or 2024-05-31T12:30:00Z";
    }
    if (is_equality(kOp) &&
        (is_empty_text(request.arguments[0]) || is_empty_text(request.arguments[1]))) {
      hint = kOp == Comparison::kEqual ? "write isnull(field)" : "write isnotnull(field)";
    }
    return BindFailure{-1,
                       "a " + std::string(type_name(left)) + " cannot be compared with a " +
                           std::string(type_name(right)),
                       std::move(hint)};
  }
  return call;
}

// `a >= low and a <= high` with `a` computed once.
class Between final : public BoundFunction {
 public:
  explicit Between(std::array<BoundCall, 3> calls) : calls_(std::move(calls)) {}

  Vector evaluate(const EvalContext& context, std::span<const Vector> args,
                  std::size_t rows) const override {
    const auto& [above, below, both] = calls_;
    const std::array<Vector, 2> low = {args[0], args[1]};
    const std::array<Vector, 2> high = {args[0], args[2]};
    const std::array<Vector, 2> ends = {above.function->evaluate(context, low, rows),
                                        below.function->evaluate(context, high, rows)};
    return both.function->evaluate(context, ends, rows);
  }

 private:
  std::array<BoundCall, 3> calls_;  // >=, <=, and
};

BindResult bind_between(const BindRequest& request) {
  std::array<BoundCall, 3> calls;
  Type value = request.arguments[0].type;
  // The last round gives the first end what the second one made of the value.
  for (const std::size_t end : {0U, 1U, 0U}) {
    const std::array<Argument, 2> pair = {Argument{value}, request.arguments[end + 1]};
    const BindRequest comparison{pair, request.context};
    BindResult bound = end == 0 ? bind_comparison<Comparison::kGreaterEqual>(comparison)
                                : bind_comparison<Comparison::kLessEqual>(comparison);
    if (auto* failure = std::get_if<BindFailure>(&bound); failure != nullptr) {
      return std::move(*failure);
    }
    calls[end] = std::get<BoundCall>(std::move(bound));
    value = calls[end].arguments[0];
  }
  constexpr std::array<Argument, 2> kTruths = {Argument{Type::kBool}, Argument{Type::kBool}};
  calls[2] =
      std::get<BoundCall>(bind_function(*find_function("op_and"), {kTruths, request.context}));
  BoundCall call{Type::kBool, {value, calls[0].arguments[1], calls[1].arguments[1]}, nullptr};
  call.function = std::make_shared<Between>(std::move(calls));
  return call;
}

template <Comparison kOp>
constexpr ScalarFunction comparison_row(std::string_view name, std::string_view summary,
                                        std::string_view symbol) {
  ScalarFunction row = operator_row(name, summary, bind_comparison<kOp>);
  row.symbol = symbol;
  row.comparison = kOp;
  return row;
}

constexpr std::array<ScalarFunction, 7> kComparisonFunctions = {
    comparison_row<Comparison::kEqual>("op_equal", "a == b", "=="),
    comparison_row<Comparison::kNotEqual>("op_not_equal", "a != b", "!="),
    comparison_row<Comparison::kLess>("op_less", "a < b", "<"),
    comparison_row<Comparison::kLessEqual>("op_less_equal", "a <= b", "<="),
    comparison_row<Comparison::kGreater>("op_greater", "a > b", ">"),
    comparison_row<Comparison::kGreaterEqual>("op_greater_equal", "a >= b", ">="),
    operator_row("op_between", "a between (b .. c)", bind_between, 3, 3),
};

}  // namespace

std::span<const ScalarFunction> comparison_functions() {
  return kComparisonFunctions;
}

}  // namespace evq

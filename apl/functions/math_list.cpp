// max_of() and min_of() over any number of values, range() and rand().

#include <array>
#include <atomic>
#include <cmath>
#include <optional>
#include <vector>

#include "apl/functions/lift.h"
#include "apl/functions/registry.h"
#include "store/base/checked_math.h"
#include "store/base/checksum.h"
#include "store/base/limits.h"
#include "store/base/time.h"
#include "store/column/ordering.h"

namespace evq {
namespace {

// ---- range

// Adds up to kListItemsMax items: item(i) returns false past the end.
template <class Item>
DynamicBytes range_items(const Item& item) {
  DynamicBuilder out;
  out.begin_array();
  for (std::size_t i = 0; i < kListItemsMax && item(static_cast<std::int64_t>(i), &out); ++i) {
  }
  out.end_array();
  return {out.take()};
}

using AddInteger = void (DynamicBuilder::*)(std::int64_t);
std::optional<DynamicBytes> range_integers(std::int64_t start, std::int64_t stop, std::int64_t step,
                                           AddInteger add) {
  if (step == 0) {
    return std::nullopt;
  }
  MaybeLong next = start;
  return range_items([&](std::int64_t /*i*/, DynamicBuilder* out) {
    if (!next.has_value() || (step > 0 ? *next > stop : *next < stop)) {
      return false;
    }
    (out->*add)(*next);
    next = checked_add(*next, step);
    return true;
  });
}
std::optional<DynamicBytes> range_longs(std::int64_t start, std::int64_t stop, MaybeLong step) {
  return range_integers(start, stop, step.value_or(1), &DynamicBuilder::add_long);
}
std::optional<DynamicBytes> range_reals(double start, double stop, MaybeReal step) {
  const double width = step.value_or(1);
  if (!(width != 0) || !std::isfinite(start) || std::isnan(stop)) {
    return std::nullopt;
  }
  return range_items([&](std::int64_t i, DynamicBuilder* out) {
    const double value = start + static_cast<double>(i) * width;
    if (!(width > 0 ? value <= stop : value >= stop)) {
      return false;
    }
    out->add_real(value);
    return true;
  });
}
std::optional<DynamicBytes> range_times(Datetime start, Datetime stop,
                                        std::optional<Timespan> step) {
  return range_integers(start.ns, stop.ns, step.value_or(Timespan{kHourNs}).ns,
                        &DynamicBuilder::add_datetime);
}
std::optional<DynamicBytes> range_spans(Timespan start, Timespan stop,
                                        std::optional<Timespan> step) {
  return range_integers(start.ns, stop.ns, step.value_or(Timespan{kHourNs}).ns,
                        &DynamicBuilder::add_timespan);
}

// By what the three hold; a number among times counts nanoseconds, as in arithmetic.
std::optional<DynamicBytes> range_dynamics(DynamicView start, DynamicView stop,
                                           std::optional<DynamicView> step) {
  const Type type = start.type();
  const Type step_type = step.has_value() ? step->type() : type;
  if (is_numeric(type) && is_numeric(stop.type()) && is_numeric(step_type)) {
    if (type == Type::kLong && stop.type() == type && step_type == type) {
      return range_longs(start.as_integer(), stop.as_integer(),
                         step.has_value() ? MaybeLong(step->as_integer()) : std::nullopt);
    }
    return range_reals(start.as_real(), stop.as_real(),
                       step.has_value() ? MaybeReal(step->as_real()) : std::nullopt);
  }
  if (type != stop.type() ||
      (step.has_value() && step_type != Type::kTimespan && step_type != Type::kLong)) {
    return std::nullopt;
  }
  const std::int64_t width = step.has_value() ? step->as_integer() : kHourNs;
  if (type == Type::kDatetime) {
    return range_integers(start.as_integer(), stop.as_integer(), width,
                          &DynamicBuilder::add_datetime);
  }
  return type == Type::kTimespan ? range_integers(start.as_integer(), stop.as_integer(), width,
                                                  &DynamicBuilder::add_timespan)
                                 : std::nullopt;
}

constexpr ScalarFunction kRangeOfTyped = {.name = "range",
                                          .category = "math",
                                          .summary = "An array of equally spaced values.",
                                          .overloads = {lift<range_longs>(), lift<range_reals>(),
                                                        lift<range_times>(), lift<range_spans>()}};
constexpr Overload kRangeOfDynamics = lift<range_dynamics>();

// An end that has a type tells what the other one is.
BindResult bind_range(const BindRequest& request) {
  return request.arguments[0].type == Type::kDynamic && request.arguments[1].type == Type::kDynamic
             ? bind_overload(kRangeOfDynamics, request)
             : bind_function(kRangeOfTyped, request);
}

// ---- rand

// Each call of a query has a seed of its own. The counter gives each row of each worker a number of
// its own; it is all that changes.
class Random final : public BoundFunction {
 public:
  explicit Random(bool integers) : integers_(integers), seed_(random_seed()) {}

  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                  std::size_t rows) const override {
    const std::uint64_t base = drawn_.fetch_add(rows, std::memory_order_relaxed);
    auto out = Values::make(integers_ ? Type::kLong : Type::kReal, rows);
    for (std::size_t i = 0; i < rows; ++i) {
      const std::uint64_t bits = split_mix(seed_ + base + i);
      const double unit = static_cast<double>(bits >> 11) * 0x1.0p-53;
      if (!integers_) {
        out->mutable_data<double>()[i] = unit;
      } else if (args[0].is_null(i) || args[0].at<std::int64_t>(i) <= 0) {
        out->set_null(i);
      } else {
        const auto n = static_cast<std::uint64_t>(args[0].at<std::int64_t>(i));
        out->mutable_data<std::int64_t>()[i] = static_cast<std::int64_t>(bits % n);
      }
    }
    return Vector::flat(std::move(out));
  }

 private:
  bool integers_;
  std::uint64_t seed_;
  mutable std::atomic<std::uint64_t> drawn_{0};
};

BindResult bind_rand(const BindRequest& request) {
  if (request.arguments.empty()) {
    return BoundCall{Type::kReal, {}, std::make_shared<Random>(false)};
  }
  if (!implicit_cast_cost(request.arguments[0].type, Type::kLong).has_value()) {
    return BindFailure{0, "rand() takes an integer", "rand(n) gives integers below n"};
  }
  return BoundCall{Type::kLong, {Type::kLong}, std::make_shared<Random>(true)};
}

// ---- max_of, min_of

template <int kSign>
class Extreme final : public BoundFunction {
 public:
  explicit Extreme(Type type) : type_(type) {}

  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                  std::size_t rows) const override {
    VectorBuilder out(type_);
    out.reserve(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      const Vector* best = nullptr;
      for (const Vector& arg : args) {
        if (!arg.is_null(i) && (best == nullptr || compare_rows(arg, i, *best, i) * kSign > 0)) {
          best = &arg;
        }
      }
      if (best == nullptr) {
        out.append_null();
      } else {
        out.append_row(*best, i);
      }
    }
    return out.finish();
  }

 private:
  Type type_;
};

template <int kSign>
BindResult bind_extreme(const BindRequest& request) {
  Type type = Type::kNull;
  for (const Argument& argument : request.arguments) {
    type = common_type(type, argument.type);
  }
  return BoundCall{type, std::vector<Type>(request.arguments.size(), type),
                   std::make_shared<Extreme<kSign>>(type)};
}

constexpr std::array<ScalarFunction, 4> kMathListFunctions = {{
    {.name = "max_of",
     .category = "math",
     .summary = "The largest of several values.",
     .params = {{{"values...", "Two or more values of one type; numbers may be mixed."}}},
     .returns = "The common type of the values, real for longs beside reals, which beyond 2^53 are "
                "rounded; nulls are ignored, null when all are null.",
     .examples = {{{"print max_of(10, 1, -3, 17)", "17"}, {"print max_of(1h, 90s)", "1h0m0s"}}},
     .bind = bind_extreme<1>,
     .arguments_min = 1,
     .arguments_max = 64,
     .meant_aggregation = "max(x)"},
    {.name = "min_of",
     .category = "math",
     .summary = "The smallest of several values.",
     .params = {{{"values...", "Two or more values of one type; numbers may be mixed."}}},
     .returns = "The common type of the values, real for longs beside reals, which beyond 2^53 are "
                "rounded; nulls are ignored, null when all are null.",
     .examples = {{{"print min_of(10, 1, -3, 17)", "-3"}}},
     .bind = bind_extreme<-1>,
     .arguments_min = 1,
     .arguments_max = 64,
     .meant_aggregation = "min(x)"},
    {.name = "rand",
     .category = "math",
     .summary = "A random number for each row.",
     .params = {{{"[n]", "Gives integers from 0 to n - 1."}}},
     .returns = "A real from 0 up to, not including, 1; with `n` a long, null when `n` is not "
                "positive.",
     .examples = {{{"print rand() < 1", "true"}, {"print rand(1)", "0"}}},
     .bind = bind_rand,
     .arguments_min = 0,
     .arguments_max = 1,
     .flags = FunctionFlags::kPerRow,
     .result_name = ResultName::kArgument},
    {.name = kRangeOfTyped.name,
     .category = kRangeOfTyped.category,
     .summary = kRangeOfTyped.summary,
     .params = {{{"start", "The first value: a number, datetime or timespan."},
                 {"stop", "The last value that may occur."},
                 {"[step]", "The distance of two values, 1 or 1h when left out."}}},
     .returns = "An array of at most 1,048,576 items, the first ones when there would be more; "
                "null when the step is zero.",
     .examples = {{{"print range(1, 8, 3)", "[1,4,7]"},
                   {"print range(1.0, 2.0, 0.5)", "[1,1.5,2]"},
                   {"print range(5, 1, -2)", "[5,3,1]"},
                   {"print range(1h, 2h, 30m)", "[\"1h0m0s\",\"1h30m0s\",\"2h0m0s\"]"}}},
     .bind = bind_range,
     .arguments_min = 2,
     .arguments_max = 3},
}};

}  // namespace

std::span<const ScalarFunction> math_list_functions() {
  return kMathListFunctions;
}

}  // namespace evq

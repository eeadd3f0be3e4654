// bin(), bin_auto(), floor() and ceiling().
//
// bin() over integers (numbers, times, spans) remembers the bucket of the last row: events come
// ordered by time, so nearly every row falls into it and costs two comparisons instead of a
// division. When few buckets result, it answers with a dictionary, which grouping likes best.

#include "apl/functions/rounding.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "apl/functions/lift.h"
#include "apl/functions/registry.h"
#include "apl/functions/time_range.h"
#include "store/base/checked_math.h"
#include "store/base/number.h"
#include "store/base/time.h"
#include "store/column/dynamic.h"

namespace evq {
namespace {

// A dictionary pays when each entry stands for several rows.
constexpr std::size_t kRowsPerEntryMin = 4;
constexpr std::size_t kBucketEntriesMax = 1024;

// The bucket of the last value: [low, last], for values in any order.
struct Bucket {
  std::int64_t low = 0;
  std::int64_t last = -1;  // empty
  bool holds(std::int64_t value) const { return value >= low && value <= last; }
  // `size` is above 0. False when the bucket begins below the range of integers.
  bool move_to(std::int64_t value, std::int64_t size) {
    const std::int64_t rest = value % size;
    if (__builtin_sub_overflow(value, rest < 0 ? rest + size : rest, &low)) {
      last = low - 1;
      return false;
    }
    if (__builtin_add_overflow(low, size - 1, &last)) {
      last = kInstantMax;
    }
    return true;
  }
};

// Bucket starts and their codes, by open addressing; nulls have an entry of their own.
class BucketCodes {
 public:
  explicit BucketCodes(std::size_t entries_max) : entries_max_(entries_max), slots_(kSlots, 0) {}

  // Nothing when there are too many.
  std::optional<Code> code_of(std::int64_t low) {
    std::size_t at = (static_cast<std::uint64_t>(low) * 0x9E3779B97F4A7C15ULL) >> 53;
    while (slots_[at] != 0) {
      if (lows_[slots_[at] - 1U] == low && slots_[at] - 1U != null_code_) {
        return static_cast<Code>(slots_[at] - 1U);
      }
      at = (at + 1) % kSlots;
    }
    const std::optional<Code> code = add(low);
    if (code.has_value()) {
      slots_[at] = static_cast<std::uint16_t>(*code + 1);
    }
    return code;
  }
  std::optional<Code> code_of_null() {
    if (null_code_ == kNone) {
      const std::optional<Code> code = add(0);
      if (!code.has_value()) {
        return std::nullopt;
      }
      null_code_ = *code;
    }
    return static_cast<Code>(null_code_);
  }
  std::shared_ptr<Values> entries(Type type) const {
    auto values = Values::make(type, lows_.size());
    for (std::size_t i = 0; i < lows_.size(); ++i) {
      values->mutable_data<std::int64_t>()[i] = lows_[i];
    }
    if (null_code_ != kNone) {
      values->set_null(null_code_);
    }
    return values;
  }

 private:
  static constexpr std::size_t kSlots = 2048;
  static constexpr std::size_t kNone = ~std::size_t{0};
  static_assert(kBucketEntriesMax * 2 <= kSlots);

  std::optional<Code> add(std::int64_t low) {
    if (lows_.size() >= entries_max_) {
      return std::nullopt;
    }
    lows_.push_back(low);
    return static_cast<Code>(lows_.size() - 1);
  }

  std::size_t entries_max_;
  std::vector<std::uint16_t> slots_;  // code + 1; 0 is free
  std::vector<std::int64_t> lows_;
  std::size_t null_code_ = kNone;
};

// Flat input as a dictionary of buckets; nothing when there are too many of them.
std::optional<Vector> bin_to_dictionary(const Vector& input, std::int64_t size, std::size_t rows) {
  BucketCodes entries(std::min(kBucketEntriesMax, rows / kRowsPerEntryMin));
  const std::shared_ptr<Code[]> shared_codes = make_codes(rows);
  Code* codes = shared_codes.get();
  const Values& values = input.values();
  const std::int64_t* data = values.data<std::int64_t>();
  const bool nulls = values.has_nulls();
  Bucket bucket;
  Code code = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    if (!nulls && bucket.holds(data[i])) {
      codes[i] = code;
      continue;
    }
    std::optional<Code> found;
    const bool null = nulls && values.is_null(i);
    if (!null && bucket.holds(data[i])) {
      found = code;
    } else if (!null && bucket.move_to(data[i], size)) {
      found = entries.code_of(bucket.low);
      code = found.value_or(0);
    } else {
      found = entries.code_of_null();
    }
    if (!found.has_value()) {
      return std::nullopt;
    }
    codes[i] = *found;
  }
  return Vector::dictionary(entries.entries(input.type()), shared_codes, rows);
}

// Any shapes, sizes that differ from row to row included.
Vector bin_rows(const Vector& input, const Vector& sizes, std::size_t rows) {
  auto out = Values::make(input.type(), rows);
  auto* to = out->mutable_data<std::int64_t>();
  Bucket bucket;
  std::int64_t bucket_size = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::int64_t size = sizes.is_null(i) ? 0 : sizes.at<std::int64_t>(i);
    if (input.is_null(i) || size <= 0) {
      out->set_null(i);
      continue;
    }
    const std::int64_t value = input.at<std::int64_t>(i);
    if ((size != bucket_size || !bucket.holds(value)) && !bucket.move_to(value, size)) {
      out->set_null(i);
      continue;
    }
    bucket_size = size;
    to[i] = bucket.low;
  }
  return Vector::flat(std::move(out));
}

Vector bin_integers(const Vector& input, const Vector& sizes, std::size_t rows) {
  if (rows > kRowsPerEntryMin && input.is_flat() && sizes.is_constant() && !sizes.is_null(0) &&
      sizes.at<std::int64_t>(0) > 0) {
    std::optional<Vector> dictionary = bin_to_dictionary(input, sizes.at<std::int64_t>(0), rows);
    if (dictionary.has_value()) {
      return *std::move(dictionary);
    }
  }
  return bin_rows(input, sizes, rows);
}

class BinIntegers final : public BoundFunction {
 public:
  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                  std::size_t rows) const override {
    return bin_integers(args[0], args[1], rows);
  }
};

// A number of the data beside a size with a unit counts nanoseconds.
class BinSpans final : public BoundFunction {
 public:
  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                  std::size_t rows) const override {
    const Values& from = args[0].values();
    auto spans = Values::make(Type::kTimespan, from.size());
    for (std::size_t slot = 0; slot < from.size(); ++slot) {
      const std::optional<std::int64_t> ns = from.is_null(slot) ? std::nullopt
                                             : from.type() == Type::kReal
                                                 ? int_from_real(from.data<double>()[slot])
                                                 : from.data<std::int64_t>()[slot];
      spans->mutable_data<std::int64_t>()[slot] = ns.value_or(0);
      if (!ns.has_value()) {
        spans->set_null(slot);
      }
    }
    return bin_integers(args[0].with_values(std::move(spans)), args[1], rows);
  }
};

// Rounds what a field of several types holds: a long stays as it is, which a real may not hold, and
// times count nanoseconds.
template <std::optional<std::int64_t> (*kRound)(double)>
std::optional<std::int64_t> rounded(DynamicView value) {
  switch (value.tag()) {
    case DynamicTag::kLong:
    case DynamicTag::kDatetime:
    case DynamicTag::kTimespan:
      return value.as_integer();
    case DynamicTag::kReal:
      return kRound(value.as_real());
    case DynamicTag::kNull:
    case DynamicTag::kFalse:
    case DynamicTag::kTrue:
    case DynamicTag::kString:
    case DynamicTag::kArray:
    case DynamicTag::kBag:
      break;
  }
  return std::nullopt;
}

// bin() to a timespan of a dynamic, by what each row holds.
std::optional<DynamicBytes> bin_by_value(DynamicView value, Timespan size) {
  const std::optional<std::int64_t> ns = rounded<int_from_real>(value);
  Bucket bucket;
  if (!ns.has_value() || size.ns <= 0 || !bucket.move_to(*ns, size.ns)) {
    return std::nullopt;
  }
  DynamicBuilder out;
  if (value.tag() == DynamicTag::kDatetime) {
    out.add_datetime(bucket.low);
  } else {
    out.add_timespan(bucket.low);
  }
  return DynamicBytes{out.take()};
}

// bin_auto(): the width was chosen when the call was bound.
class BinAuto final : public BoundFunction {
 public:
  explicit BinAuto(std::int64_t width) : width_(Value::timespan(width)) {}
  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                  std::size_t rows) const override {
    return bin_integers(args[0], Vector::constant(width_, rows), rows);
  }

 private:
  Value width_;
};

// std::floor(), which is a call where the instruction is not among those of every machine.
double floored(double value) {
  constexpr double kWholeFrom = 0x1p52;
  if (!(std::fabs(value) < kWholeFrom)) {
    return value;  // has no fraction, or is no number
  }
  const auto whole = static_cast<double>(static_cast<std::int64_t>(value));
  return std::copysign(whole > value ? whole - 1 : whole, value);
}

std::optional<double> bin_real(double value, double size) {
  if (!(size > 0)) {
    return std::nullopt;
  }
  const double steps = value / size;
  return std::isinf(steps) ? value : floored(steps) * size;  // no step of it is as small as `size`
}

// A lifted function, where binding chooses between several by hand.
template <auto kFunction>
class LiftedCall final : public BoundFunction {
 public:
  Vector evaluate(const EvalContext& context, std::span<const Vector> args,
                  std::size_t rows) const override {
    static constexpr Overload kOverload = lift<kFunction>();
    return kOverload.kernel({context, args, rows});
  }
};

BindResult bind_bin(const BindRequest& request) {
  const Type value = request.arguments[0].type;
  const Type size = request.arguments[1].type;
  const bool loose = value == Type::kDynamic || value == Type::kNull;
  const auto integers = [](Type type, Type width) {
    return BoundCall{type, {type, width}, std::make_shared<BinIntegers>()};
  };
  if (size == Type::kTimespan && (value == Type::kDatetime || value == Type::kTimespan)) {
    return integers(value, size);
  }
  if (size == Type::kTimespan && value == Type::kDynamic) {
    return BoundCall{value, {value, size}, std::make_shared<LiftedCall<bin_by_value>>()};
  }
  if (size == Type::kTimespan && value == Type::kNull) {
    return integers(Type::kDatetime, size);
  }
  if (size == Type::kTimespan && is_numeric(value) && request.arguments[0].constant == nullptr) {
    return BoundCall{Type::kTimespan, {value, size}, std::make_shared<BinSpans>()};
  }
  if (value == Type::kLong && (size == Type::kLong || size == Type::kNull)) {
    return integers(Type::kLong, Type::kLong);
  }
  const bool size_fits = is_numeric(size) || size == Type::kDynamic || size == Type::kNull;
  if ((is_numeric(value) || loose) && size_fits) {
    return BoundCall{
        Type::kReal, {Type::kReal, Type::kReal}, std::make_shared<LiftedCall<bin_real>>()};
  }
  if (value == Type::kDatetime || value == Type::kTimespan) {
    if (size == Type::kDynamic || size == Type::kNull) {
      return integers(value, Type::kTimespan);
    }
    return BindFailure{1, "bin() of a " + std::string(type_name(value)) + " takes a timespan",
                       size == Type::kDatetime
                           ? "the size comes last: bin(_time, 1h)"
                           : "write the size with a unit, for example 1h or 30s"};
  }
  if (is_numeric(value) || loose) {
    return BindFailure{1, "bin() of a number takes a number as size", ""};
  }
  return BindFailure{
      0, "bin() takes a number, datetime or timespan, not a " + std::string(type_name(value)),
      "convert it first, for example with todatetime() or toreal()"};
}

BindResult bind_bin_auto(const BindRequest& request) {
  const Type type = request.arguments[0].type;
  if (type != Type::kDatetime && type != Type::kDynamic && type != Type::kNull) {
    return BindFailure{0, "bin_auto() takes a datetime", "use bin() with a size of your own"};
  }
  return BoundCall{
      Type::kDatetime, {Type::kDatetime}, std::make_shared<BinAuto>(auto_bin_ns(request.context))};
}

std::optional<std::int64_t> floor_real(double value) {
  return int_from_real(std::floor(value));
}
std::optional<std::int64_t> ceiling_real(double value) {
  return int_from_real(std::ceil(value));
}

class SameLongs final : public BoundFunction {
 public:
  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                  std::size_t /*rows*/) const override {
    return args[0];
  }
};

// The call that rounds values of a type to longs; nothing when they are no numbers.
template <std::optional<std::int64_t> (*kRound)(double)>
std::optional<BoundCall> rounding_call(Type type) {
  if (type == Type::kLong) {
    return BoundCall{Type::kLong, {type}, std::make_shared<SameLongs>()};
  }
  if (type == Type::kDynamic) {
    return BoundCall{Type::kLong, {type}, std::make_shared<LiftedCall<rounded<kRound>>>()};
  }
  if (type == Type::kReal || type == Type::kNull) {
    return BoundCall{Type::kLong, {Type::kReal}, std::make_shared<LiftedCall<kRound>>()};
  }
  return std::nullopt;
}

// floor(x) rounds to an integer; floor(x, size) is bin(x, size).
BindResult bind_floor(const BindRequest& request) {
  if (request.arguments.size() == 2) {
    return bind_bin(request);
  }
  const Type type = request.arguments[0].type;
  if (std::optional<BoundCall> call = rounding_call<floor_real>(type); call.has_value()) {
    return *std::move(call);
  }
  return BindFailure{0, "floor() takes a number here, not a " + std::string(type_name(type)),
                     "give a size to round times: floor(_time, 1h)"};
}

BindResult bind_ceiling(const BindRequest& request) {
  const Type type = request.arguments[0].type;
  if (std::optional<BoundCall> call = rounding_call<ceiling_real>(type); call.has_value()) {
    return *std::move(call);
  }
  return BindFailure{0, "ceiling() takes a number, not a " + std::string(type_name(type)),
                     "convert it first, for example with toreal()"};
}

constexpr std::array<ScalarFunction, 4> kRoundingFunctions = {{
    {.name = "bin",
     .category = "rounding",
     .summary = "Rounds a number, time or span down to a multiple of a size.",
     .params = {{{"value", "The number, datetime or timespan to round."},
                 {"size", "The distance of the multiples: a number, or a timespan for times."}}},
     .returns = "A value of the type of `value`; datetimes count from 1970-01-01. A number beside "
                "a timespan counts nanoseconds. Null when the size is zero or negative.",
     .examples = {{{"print bin(-7, 5)", "-10"},
                   {"print bin(datetime(2024-05-01 10:20:30), 1h)", "2024-05-01T10:00:00Z"},
                   {"print bin(4.6, 0.5)", "4.5"},
                   {"print bin(90m, 1h)", "1h0m0s"}}},
     .bind = bind_bin,
     .arguments_min = 2,
     .arguments_max = 2,
     .result_name = ResultName::kArgument},
    {.name = "bin_auto",
     .category = "rounding",
     .summary = "Rounds a time down to a width that suits the query's time range.",
     .params = {{{"time", "The datetime to round, usually _time."}}},
     .returns = "A datetime. The width is round (1s, 5m, 1h, 1d, …) and gives about 100 bins at "
                "most. Where the time range is open, what `where` on _time before it leaves of the "
                "data is taken; one hour when that is unknown, too.",
     .examples = {{{"print bin_auto(datetime(2024-05-01 10:20:30))", "2024-05-01T10:00:00Z"}}},
     .bind = bind_bin_auto,
     .arguments_min = 1,
     .arguments_max = 1,
     .flags = FunctionFlags::kContext,
     .result_name = ResultName::kArgument},
    {.name = "ceiling",
     .aliases = {"ceil"},
     .category = "rounding",
     .summary = "Rounds a number up to an integer.",
     .params = {{{"value", "The number to round."}}},
     .returns = "A long; null when the result does not fit 64 bits.",
     .examples = {{{"print ceiling(1.1), ceiling(-1.1)", "2  -1"}}},
     .bind = bind_ceiling,
     .arguments_min = 1,
     .arguments_max = 1,
     .result_name = ResultName::kArgument},
    {.name = "floor",
     .category = "rounding",
     .summary = "Rounds a number down to an integer, or with a size as bin() does.",
     .params = {{{"value", "The number to round."},
                 {"[size]", "Rounds down to a multiple of it, as bin(value, size)."}}},
     .returns = "A long; null when the result does not fit 64 bits.",
     .examples = {{{"print floor(1.9), floor(-1.1)", "1  -2"}, {"print floor(17, 5)", "15"}}},
     .bind = bind_floor,
     .arguments_min = 1,
     .arguments_max = 2,
     .result_name = ResultName::kArgument},
}};

constexpr std::array<std::int64_t, 31> kRoundWidths = {
    kMicrosecondNs,
    10 * kMicrosecondNs,
    100 * kMicrosecondNs,
    kMillisecondNs,
    2 * kMillisecondNs,
    5 * kMillisecondNs,
    10 * kMillisecondNs,
    20 * kMillisecondNs,
    50 * kMillisecondNs,
    100 * kMillisecondNs,
    200 * kMillisecondNs,
    500 * kMillisecondNs,
    kSecondNs,
    2 * kSecondNs,
    5 * kSecondNs,
    10 * kSecondNs,
    15 * kSecondNs,
    30 * kSecondNs,
    kMinuteNs,
    2 * kMinuteNs,
    5 * kMinuteNs,
    10 * kMinuteNs,
    15 * kMinuteNs,
    30 * kMinuteNs,
    kHourNs,
    2 * kHourNs,
    4 * kHourNs,
    6 * kHourNs,
    12 * kHourNs,
    kDayNs,
    kWeekNs,
};

}  // namespace

std::int64_t auto_bin_ns(const EvalContext& context) {
  const std::optional<KnownRange> range = known_time_range(context);
  if (!range.has_value()) {
    return kHourNs;
  }
  const std::optional<std::int64_t> span = checked_subtract(range->end_ns, range->start_ns);
  const std::int64_t width_min = span.value_or(kInstantMax) / context.auto_bins;
  for (const std::int64_t width : kRoundWidths) {
    if (width >= width_min) {
      return width;
    }
  }
  return (width_min / kWeekNs + 1) * kWeekNs;
}

std::span<const ScalarFunction> rounding_functions() {
  return kRoundingFunctions;
}

}  // namespace evq

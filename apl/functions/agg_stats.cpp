// stdev, variance, covariance, rate and the bitwise aggregates.

#include <algorithm>
#include <cmath>

#include "apl/functions/aggregate_binding.h"
#include "apl/functions/aggregate_rows.h"
#include "apl/functions/exact_sum.h"
#include "apl/functions/moments.h"
#include "apl/functions/registry.h"
#include "apl/functions/size_meter.h"
#include "apl/functions/time_range.h"
#include "store/base/time.h"
#include "store/column/vector_builder.h"

namespace evq {
namespace {

// ---- stdev, variance

enum class Spread : std::uint8_t { kStdev, kVariance };
enum class Divisor : std::uint8_t { kSample, kPopulation };

struct SpreadResult {
  Spread spread;
  Divisor divisor;
  Type type;  // kReal, or kTimespan for the deviation of timespans
};

constexpr double kIntegerEnd = 9223372036854775808.0;  // the first that is none

// Sums of reals grow with their values' digits, which hardly any rows do.
constexpr std::size_t kRowBytesTypical = 0;

// The divisor of a variance of `count` values.
double divisor_of(Divisor divisor, std::uint64_t count) {
  return static_cast<double>(divisor == Divisor::kSample && count > 1 ? count - 1 : count);
}

// `kWhole` is 1 for longs and timespans, 0 for reals.
template <unsigned kWhole>
class SpreadState final : public AggregateState {
 public:
  explicit SpreadState(std::vector<SpreadResult> results) : results_(std::move(results)) {}

  static bool join(std::vector<SpreadResult>* results, const std::vector<SpreadResult>& others) {
    results->insert(results->end(), others.begin(), others.end());
    return true;
  }

  void resize(std::size_t groups) override { moments_.resize(groups); }

  void add(const EvalContext& /*context*/, std::span<const Vector> args,
           const std::uint32_t* groups, std::size_t rows) override {
    if (rows > 0) {
      moments_.add({args[0]}, groups, rows);
    }
  }

  void merge(const AggregateState& other, std::span<const GroupPair> pairs) override {
    moments_.merge(static_cast<const SpreadState&>(other).moments_, pairs);
  }

  std::vector<Vector> finish(const EvalContext& /*context*/, std::size_t begin,
                             std::size_t count) const override {
    std::vector<Vector> columns;
    for (const SpreadResult& result : results_) {
      VectorBuilder builder(result.type);
      for (std::size_t group = begin; group < begin + count; ++group) {
        append_result(group, result, &builder);
      }
      columns.push_back(builder.finish());
    }
    return columns;
  }

  std::size_t size_bytes() const override { return moments_.size_bytes(); }

 private:
  void append_result(std::size_t group, SpreadResult result, VectorBuilder* builder) const {
    const std::uint64_t count = moments_.count(group);
    if (count == 0) {
      builder->append_null();
      return;
    }
    const double squares = moments_.co_moment(group);
    const double variance = (squares < 0 ? 0 : squares) / divisor_of(result.divisor, count);
    const double value = result.spread == Spread::kStdev ? std::sqrt(variance) : variance;
    if (result.type == Type::kReal) {
      builder->append_real(value);
    } else if (std::rint(value) < kIntegerEnd) {
      builder->append_integer(static_cast<std::int64_t>(std::rint(value)));
    } else {
      builder->append_null();
    }
  }

  std::vector<SpreadResult> results_;
  MomentStates<1, kWhole> moments_;
};

template <Spread kSpread, Divisor kDivisor>
AggregateBindResult bind_spread(const AggregateBindRequest& request) {
  const std::optional<Type> type = number_type(request.arguments[0].type);
  if (!type.has_value()) {
    return not_a_number(request, 0);
  }
  const bool spans = *type == Type::kTimespan;
  const Type result = spans && kSpread == Spread::kStdev ? Type::kTimespan : Type::kReal;
  std::vector<SpreadResult> results{{kSpread, kDivisor, result}};
  return one_result(request, result, *type,
                    *type == Type::kReal ? make_aggregate<SpreadState<0>>(std::move(results))
                                         : make_aggregate<SpreadState<1>>(std::move(results)));
}

// ---- covariance

// Of as many longs as `kWhole` has bits, the others being reals.
template <unsigned kWhole>
class CovarianceState final : public AggregateState {
 public:
  explicit CovarianceState(Divisor divisor) : divisor_(divisor) {}

  void resize(std::size_t groups) override { moments_.resize(groups); }

  void add(const EvalContext& /*context*/, std::span<const Vector> args,
           const std::uint32_t* groups, std::size_t rows) override {
    if (rows > 0) {
      const bool swapped = kWhole == 1 && args[0].type() == Type::kReal;
      moments_.add({args[swapped ? 1 : 0], args[swapped ? 0 : 1]}, groups, rows);
    }
  }

  void merge(const AggregateState& other, std::span<const GroupPair> pairs) override {
    moments_.merge(static_cast<const CovarianceState&>(other).moments_, pairs);
  }

  std::vector<Vector> finish(const EvalContext& /*context*/, std::size_t begin,
                             std::size_t count) const override {
    VectorBuilder builder(Type::kReal);
    for (std::size_t group = begin; group < begin + count; ++group) {
      const std::uint64_t pairs = moments_.count(group);
      if (pairs == 0) {
        builder.append_null();
      } else {
        builder.append_real(moments_.co_moment(group) / divisor_of(divisor_, pairs));
      }
    }
    return {builder.finish()};
  }

  std::size_t size_bytes() const override { return moments_.size_bytes(); }

 private:
  Divisor divisor_;
  MomentStates<2, kWhole> moments_;  // a long comes first: what is x, and what y, shows nowhere
};

template <Divisor kDivisor>
AggregateBindResult bind_covariance(const AggregateBindRequest& request) {
  Type types[2];
  for (int i = 0; i < 2; ++i) {
    const Type type = request.arguments[static_cast<std::size_t>(i)].type;
    const std::optional<Type> number = number_type(type);
    if (!number.has_value() || *number == Type::kTimespan) {
      return not_a_number(request, i);
    }
    types[i] = *number;
  }
  const bool alike = types[0] == types[1];
  BoundAggregateCall call =
      one_result(request, Type::kReal, types[0],
                 !alike                    ? make_aggregate<CovarianceState<1>>(kDivisor)
                 : types[0] == Type::kReal ? make_aggregate<CovarianceState<0>>(kDivisor)
                                           : make_aggregate<CovarianceState<3>>(kDivisor));
  call.arguments[1] = types[1];
  return call;
}

// ---- rate

class RateState final : public AggregateState {
 public:
  explicit RateState(std::int64_t bin_ns) : bin_ns_(bin_ns) {}

  void resize(std::size_t groups) override { sums_.resize(std::max(groups, sums_.size())); }

  void add(const EvalContext& /*context*/, std::span<const Vector> args,
           const std::uint32_t* groups, std::size_t rows) override {
    if (rows == 0) {
      return;
    }
    if (args[0].type() == Type::kLong) {
      add_values<std::int64_t>(args[0], groups, rows);
    } else {
      add_values<double>(args[0], groups, rows);
    }
    meter_.note_rows(rows, sums_);
  }

  void merge(const AggregateState& other, std::span<const GroupPair> pairs) override {
    const auto& from = static_cast<const RateState&>(other);
    for (const GroupPair pair : pairs) {
      sums_[pair.to].add(from.sums_[pair.from]);
    }
    meter_.measure(sums_);
  }

  std::vector<Vector> finish(const EvalContext& context, std::size_t begin,
                             std::size_t count) const override {
    double seconds = static_cast<double>(bin_ns_) / static_cast<double>(kSecondNs);
    if (bin_ns_ <= 0) {
      seconds = range_seconds(context);
    }
    VectorBuilder builder(Type::kReal);
    for (std::size_t group = begin; group < begin + count; ++group) {
      if (seconds > 0) {
        builder.append_real(sums_[group].value() / seconds);
      } else {
        builder.append_null();
      }
    }
    return {builder.finish()};
  }

  std::size_t size_bytes() const override { return meter_.bytes(sums_); }

 private:
  template <class T>
  void add_values(const Vector& values, const std::uint32_t* groups, std::size_t rows) {
    const T* data = values.values().data<T>();
    if (groups == nullptr && values.is_flat() && !values.may_have_nulls()) {
      sums_[0].add(addend(sum_of(data, rows)));
      return;
    }
    visit_counted(values, groups, rows,
                  [&](std::size_t group, std::size_t slot, std::size_t count) {
                    sums_[group].add_times(addend(data[slot]), count);
                  });
  }

  // Longs, and sums of them, have more digits than a double, but no more than two of them.
  static DoublePair addend(Int128 value) {
    constexpr double kLowRange = 0x1p32;
    return {static_cast<double>(static_cast<std::int64_t>(value >> 32)) * kLowRange,
            static_cast<double>(static_cast<std::uint32_t>(value))};
  }
  static DoublePair addend(std::int64_t value) { return addend(Int128{value}); }
  static double addend(double value) { return value; }
  static const RealSum& addend(const RealSum& sum) { return sum; }

  // Of the query's time range, up to now where its end is open; without one, of its data's. 0 when
  // nothing is known.
  static double range_seconds(const EvalContext& context) {
    EvalContext up_to_now = context;
    if (context.range_start_ns != kUnboundedStart && context.range_end_ns == kUnboundedEnd) {
      up_to_now.range_end_ns = context.now_ns;
    }
    const KnownRange range = known_time_range(up_to_now).value_or(KnownRange());
    return (static_cast<double>(range.end_ns) - static_cast<double>(range.start_ns)) /
           static_cast<double>(kSecondNs);
  }

  std::int64_t bin_ns_;
  std::vector<RealSum> sums_;
  SizeMeter meter_{kRowBytesTypical};
};

AggregateBindResult bind_rate(const AggregateBindRequest& request) {
  const std::optional<Type> type = number_type(request.arguments[0].type);
  if (!type.has_value() || *type == Type::kTimespan) {
    return not_a_number(request, 0);
  }
  return one_result(request, Type::kReal, *type,
                    make_aggregate<RateState>(request.bin_ns.value_or(0)));
}

// ---- binary_all_…

enum class BitOp : std::uint8_t { kAnd, kOr, kXor };

template <BitOp kOp>
std::int64_t combine(std::int64_t a, std::int64_t b) {
  return kOp == BitOp::kAnd ? a & b : kOp == BitOp::kOr ? a | b : a ^ b;
}

template <BitOp kOp>
class BitState final : public AggregateState {
 public:
  void resize(std::size_t groups) override {
    if (groups > bits_.size()) {
      bits_.resize(groups, kOp == BitOp::kAnd ? -1 : 0);
      seen_.resize(groups, 0);
    }
  }

  void add(const EvalContext& /*context*/, std::span<const Vector> args,
           const std::uint32_t* groups, std::size_t rows) override {
    visit_rows<std::int64_t>(args[0], groups, rows, [&](std::size_t group, std::int64_t value) {
      bits_[group] = combine<kOp>(bits_[group], value);
      seen_[group] = 1;
    });
  }

  void merge(const AggregateState& other, std::span<const GroupPair> pairs) override {
    const auto& from = static_cast<const BitState&>(other);
    for (const GroupPair pair : pairs) {
      bits_[pair.to] = combine<kOp>(bits_[pair.to], from.bits_[pair.from]);
      seen_[pair.to] = static_cast<std::uint8_t>(seen_[pair.to] | from.seen_[pair.from]);
    }
  }

  std::vector<Vector> finish(const EvalContext& /*context*/, std::size_t begin,
                             std::size_t count) const override {
    VectorBuilder builder(Type::kLong);
    for (std::size_t group = begin; group < begin + count; ++group) {
      if (seen_[group] != 0) {
        builder.append_integer(bits_[group]);
      } else {
        builder.append_null();
      }
    }
    return {builder.finish()};
  }

  std::size_t size_bytes() const override { return bits_.capacity() * (sizeof(std::int64_t) + 1); }

 private:
  std::vector<std::int64_t> bits_;
  std::vector<std::uint8_t> seen_;
};

template <BitOp kOp>
AggregateBindResult bind_bits(const AggregateBindRequest& request) {
  const Type type = request.arguments[0].type;
  if (type != Type::kLong && type != Type::kDynamic && type != Type::kNull) {
    return BindFailure{
        0, "the bits of a long are needed, but this is a " + std::string(type_name(type)),
        "convert the value with tolong() first"};
  }
  return one_result(request, Type::kLong, Type::kLong, make_aggregate<BitState<kOp>>());
}

// ---- the table

constexpr ParameterDoc kSpreadValue{
    "value", "long, real, timespan, or dynamic holding numbers or times (nanoseconds)."};
constexpr ParameterDoc kNumber{"value",
                               "long, real, or dynamic holding numbers or times (nanoseconds)."};
constexpr ParameterDoc kLong{"value", "A long."};
constexpr std::string_view kDeviationReturns =
    "real, timespan for timespans; 0 for a single value, null when no value is there.";
constexpr std::string_view kVarianceReturns =
    "real, in square nanoseconds for timespans; 0 for a single value, null when no value is there.";
constexpr std::string_view kPairReturns =
    "real; rows with a null are left out. Null when none is left.";

constexpr AggregateFunction kStatsRows[] = {
    {.name = "stdev",
     .summary = "Gives the standard deviation of a sample (divided by n - 1).",
     .params = {{kSpreadValue}},
     .returns = kDeviationReturns,
     .examples = {{{"datatable (x:long) [1, 3, 5] | summarize s = stdev(x)", "2"}}},
     .bind = bind_spread<Spread::kStdev, Divisor::kSample>,
     .arguments_min = 1,
     .arguments_max = 1,
     .api_name = "stdev"},
    {.name = "stdevif",
     .summary = "Gives the standard deviation of the rows for which the predicate is true.",
     .params = {{kSpreadValue, kPredicate}},
     .returns = kDeviationReturns,
     .examples = {{{"datatable (x:long) [1, 3, 5, 99] | summarize s = stdevif(x, x < 9)", "2"}}},
     .bind = bind_spread<Spread::kStdev, Divisor::kSample>,
     .predicate = kLastArgument,
     .arguments_min = 2,
     .arguments_max = 2,
     .api_name = "stdevif"},
    {.name = "stdevp",
     .summary = "Gives the standard deviation of a whole population (divided by n).",
     .params = {{kSpreadValue}},
     .returns = kDeviationReturns,
     .examples = {{{"datatable (x:long) [1, 3] | summarize s = stdevp(x)", "1"}}},
     .bind = bind_spread<Spread::kStdev, Divisor::kPopulation>,
     .arguments_min = 1,
     .arguments_max = 1},
    {.name = "stdevpif",
     .summary = "As stdevp(), of the rows for which the predicate is true.",
     .params = {{kSpreadValue, kPredicate}},
     .returns = kDeviationReturns,
     .examples = {{{"datatable (x:long) [1, 3, 99] | summarize s = stdevpif(x, x < 9)", "1"}}},
     .bind = bind_spread<Spread::kStdev, Divisor::kPopulation>,
     .predicate = kLastArgument,
     .arguments_min = 2,
     .arguments_max = 2},
    {.name = "variance",
     .summary = "Gives the variance of a sample (divided by n - 1).",
     .params = {{kSpreadValue}},
     .returns = kVarianceReturns,
     .examples = {{{"datatable (x:long) [1, 3, 5] | summarize v = variance(x)", "4"}}},
     .bind = bind_spread<Spread::kVariance, Divisor::kSample>,
     .arguments_min = 1,
     .arguments_max = 1,
     .api_name = "variance"},
    {.name = "varianceif",
     .summary = "Gives the variance of the rows for which the predicate is true.",
     .params = {{kSpreadValue, kPredicate}},
     .returns = kVarianceReturns,
     .examples = {{{"datatable (x:long) [1, 3, 5, 99] | summarize v = varianceif(x, x < 9)", "4"}}},
     .bind = bind_spread<Spread::kVariance, Divisor::kSample>,
     .predicate = kLastArgument,
     .arguments_min = 2,
     .arguments_max = 2,
     .api_name = "varianceif"},
    {.name = "variancep",
     .summary = "Gives the variance of a whole population (divided by n).",
     .params = {{kSpreadValue}},
     .returns = kVarianceReturns,
     .examples = {{{"datatable (x:long) [1, 3] | summarize v = variancep(x)", "1"}}},
     .bind = bind_spread<Spread::kVariance, Divisor::kPopulation>,
     .arguments_min = 1,
     .arguments_max = 1},
    {.name = "variancepif",
     .summary = "As variancep(), of the rows for which the predicate is true.",
     .params = {{kSpreadValue, kPredicate}},
     .returns = kVarianceReturns,
     .examples = {{{"datatable (x:long) [1, 3, 99] | summarize v = variancepif(x, x < 9)", "1"}}},
     .bind = bind_spread<Spread::kVariance, Divisor::kPopulation>,
     .predicate = kLastArgument,
     .arguments_min = 2,
     .arguments_max = 2},
    {.name = "covariance",
     .summary = "Gives the covariance of two values over a sample (divided by n - 1).",
     .params = {{{"x", "A number."}, {"y", "A number."}}},
     .returns = kPairReturns,
     .examples = {{{"datatable (x:long, y:long) [1, 2, 3, 6] | summarize c = covariance(x, y)",
                    "4"}}},
     .bind = bind_covariance<Divisor::kSample>,
     .arguments_min = 2,
     .arguments_max = 2,
     .naming_arguments = 2},
    {.name = "covariancep",
     .summary = "Gives the covariance of two values over a whole population (divided by n).",
     .params = {{{"x", "A number."}, {"y", "A number."}}},
     .returns = kPairReturns,
     .examples = {{{"datatable (x:long, y:long) [1, 2, 3, 6] | summarize c = covariancep(x, y)",
                    "2"}}},
     .bind = bind_covariance<Divisor::kPopulation>,
     .arguments_min = 2,
     .arguments_max = 2,
     .naming_arguments = 2},
    {.name = "covarianceif",
     .summary = "As covariance(), of the rows for which the predicate is true.",
     .params = {{{"x", "A number."}, {"y", "A number."}, kPredicate}},
     .returns = kPairReturns,
     .examples = {{{"datatable (x:long, y:long) [1, 2, 3, 6, 99, 0] | summarize c = "
                    "covarianceif(x, y, x < 9)",
                    "4"}}},
     .bind = bind_covariance<Divisor::kSample>,
     .predicate = kLastArgument,
     .arguments_min = 3,
     .arguments_max = 3,
     .naming_arguments = 2},
    {.name = "covariancepif",
     .summary = "As covariancep(), of the rows for which the predicate is true.",
     .params = {{{"x", "A number."}, {"y", "A number."}, kPredicate}},
     .returns = kPairReturns,
     .examples = {{{"datatable (x:long, y:long) [1, 2, 3, 6, 99, 0] | summarize c = "
                    "covariancepif(x, y, x < 9)",
                    "2"}}},
     .bind = bind_covariance<Divisor::kPopulation>,
     .predicate = kLastArgument,
     .arguments_min = 3,
     .arguments_max = 3,
     .naming_arguments = 2},
    {.name = "rate",
     .summary = "Gives the sum of the values per second of the time bin or step, or of the query's "
                "time range.",
     .params = {{kNumber}},
     .returns =
         "real; 0 when no value is there. Where the time range is open, what `where` on _time "
         "before it leaves of the data is taken; null when that is unknown, too.",
     .examples = {{{"datatable (t:datetime, x:long) [datetime(2024-01-01), 120] | summarize r = "
                    "rate(x) by bin(t, 1m) | project r",
                    "2"}}},
     .bind = bind_rate,
     .arguments_min = 1,
     .arguments_max = 1,
     .api_name = "rate",
     .reads_bin_width = true},
    {.name = "binary_all_and",
     .summary = "Combines the bits of all values with and.",
     .params = {{kLong}},
     .returns = "long; null when no value is there.",
     .examples = {{{"datatable (x:long) [7, 6] | summarize b = binary_all_and(x)", "6"}}},
     .bind = bind_bits<BitOp::kAnd>,
     .arguments_min = 1,
     .arguments_max = 1},
    {.name = "binary_all_or",
     .summary = "Combines the bits of all values with or.",
     .params = {{kLong}},
     .returns = "long; null when no value is there.",
     .examples = {{{"datatable (x:long) [1, 6] | summarize b = binary_all_or(x)", "7"}}},
     .bind = bind_bits<BitOp::kOr>,
     .arguments_min = 1,
     .arguments_max = 1},
    {.name = "binary_all_xor",
     .summary = "Combines the bits of all values with exclusive or.",
     .params = {{kLong}},
     .returns = "long; null when no value is there.",
     .examples = {{{"datatable (x:long) [7, 6] | summarize b = binary_all_xor(x)", "1"}}},
     .bind = bind_bits<BitOp::kXor>,
     .arguments_min = 1,
     .arguments_max = 1},
};

}  // namespace

std::span<const AggregateFunction> stats_aggregates() {
  return kStatsRows;
}

}  // namespace evq

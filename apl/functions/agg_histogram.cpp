// histogram and histogramif: counts in buckets of equal width between the extremes.

#include <algorithm>
#include <cmath>

#include "apl/functions/aggregate_binding.h"
#include "apl/functions/aggregate_rows.h"
#include "apl/functions/group_values.h"
#include "apl/functions/quantile_sketch.h"
#include "apl/functions/quantile_states.h"
#include "apl/functions/registry.h"
#include "store/base/limits.h"
#include "store/column/vector_builder.h"

namespace evq {
namespace {

// Both ends of bucket `i` of `n` between `low` and `high`; the last end is `high` itself.
template <class T>
T bucket_edge(T low, T high, std::size_t i, std::size_t n) {
  if (i == n) {
    return high;
  }
  const double share = static_cast<double>(i) / static_cast<double>(n);
  if constexpr (std::is_same_v<T, double>) {
    const double step = (high - low) * share;
    return std::isfinite(step) ? low + step : low * (1 - share) + high * share;
  } else {
    const auto span =
        static_cast<double>(static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low));
    return static_cast<T>(static_cast<std::uint64_t>(low) +
                          static_cast<std::uint64_t>(span * share));
  }
}

template <class T>
class HistogramState final : public QuantileStates<T> {
 public:
  HistogramState(std::size_t buckets, Type type) : buckets_(buckets), type_(type) {}

  void add(const EvalContext& /*context*/, std::span<const Vector> args,
           const std::uint32_t* groups, std::size_t rows) override {
    if (rows == 0) {
      return;
    }
    const T* data = args[0].values().template data<T>();
    visit_counted(args[0], groups, rows,
                  [&](std::size_t group, std::size_t slot, std::size_t count) {
                    if (!is_finite(data[slot])) {
                      return;
                    }
                    if (count == 1) {
                      this->sketches()[group].add(data[slot]);
                    } else {
                      this->sketches()[group].add(data[slot], static_cast<double>(count));
                    }
                  });
    this->note_rows(rows);
  }

  std::vector<Vector> finish(const EvalContext& /*context*/, std::size_t begin,
                             std::size_t count) const override {
    return {dynamics_of_groups(begin, count, [&](std::size_t group, DynamicBuilder* list) {
      list->begin_array();
      this->sketches()[group].with_flushed([&](const QuantileSketch<T>& sketch) {
        if (sketch.count() > 0) {
          add_buckets(sketch, list);
        }
      });
      list->end_array();
    })};
  }

 private:
  static bool is_finite(T value) {
    if constexpr (std::is_same_v<T, double>) {
      return std::isfinite(value);
    } else {
      return true;
    }
  }

  void add_buckets(const QuantileSketch<T>& sketch, DynamicBuilder* list) const {
    const T low = sketch.min();
    const T high = sketch.max();
    // Equal values have one bucket: there is no width to divide.
    const std::size_t n = low == high ? 1 : buckets_;
    std::vector<double> counts(n, 0);
    std::size_t bucket = 0;
    for (const auto& held : sketch.buckets()) {
      while (bucket + 1 < n && held.middle() >= bucket_edge(low, high, bucket + 1, n)) {
        ++bucket;
      }
      counts[bucket] += held.weight;
    }
    for (std::size_t i = 0; i < n; ++i) {
      list->begin_bag();
      list->key("from");
      add_number(bucket_edge(low, high, i, n), list);
      list->key("to");
      add_number(bucket_edge(low, high, i + 1, n), list);
      list->key("count");
      list->add_long(std::llround(counts[i]));
      list->end_bag();
    }
  }

  void add_number(T value, DynamicBuilder* list) const {
    if constexpr (std::is_same_v<T, double>) {
      list->add_real(value);
    } else if (type_ == Type::kTimespan) {
      list->add_timespan(value);
    } else {
      list->add_datetime(value);
    }
  }

  std::size_t buckets_;
  Type type_;
};

AggregateBindResult bind_histogram(const AggregateBindRequest& request) {
  std::optional<Type> type = number_or_time_type(request.arguments[0].type);
  if (!type.has_value()) {
    return not_a_number(request, 0);
  }
  // Edges of buckets of longs are rarely whole.
  type = *type == Type::kLong ? Type::kReal : *type;
  const auto number =
      constant_whole_number(request, 1, {"the number of buckets", 1, kHistogramBucketsMax, 10});
  if (const auto* failure = std::get_if<BindFailure>(&number)) {
    return *failure;
  }
  const auto buckets = static_cast<std::size_t>(std::get<std::int64_t>(number));
  return one_result(request, Type::kDynamic, *type,
                    *type == Type::kReal
                        ? make_aggregate<HistogramState<double>>(buckets, *type)
                        : make_aggregate<HistogramState<std::int64_t>>(buckets, *type));
}

constexpr ParameterDoc kHistogramValue{
    "value", "long, real, timespan, datetime, or dynamic holding numbers or times (nanoseconds)."};
constexpr ParameterDoc kBuckets{"buckets", "A constant from 1 to 10,000: how many buckets."};
constexpr std::string_view kHistogramReturns =
    "dynamic: an array of {\"from\", \"to\", \"count\"} from the smallest to the largest value, "
    "each without its end but for the last; [] when no value is there. Exact up to 4,096 different "
    "values; beyond, at each edge at most 0.5 % of the rows count on the wrong side.";

constexpr AggregateFunction kHistogramRows[] = {
    {.name = "histogram",
     .summary = "Counts the values in buckets of equal width.",
     .params = {{kHistogramValue, kBuckets}},
     .returns = kHistogramReturns,
     .examples = {{{"datatable (x:long) [0, 1, 4] | summarize h = histogram(x, 2)",
                    "[{\"from\":0,\"to\":2,\"count\":2},{\"from\":2,\"to\":4,\"count\":1}]"}}},
     .bind = bind_histogram,
     .arguments_min = 2,
     .arguments_max = 2,
     .api_name = "histogram"},
    {.name = "histogramif",
     .summary = "Counts the values of the rows with a true predicate in buckets of equal width.",
     .params = {{kHistogramValue, kBuckets, {"predicate", "A bool; null is not true."}}},
     .returns = kHistogramReturns,
     .examples = {{{"datatable (x:long) [0, 1, 4] | summarize h = histogramif(x, 1, x > 0)",
                    "[{\"from\":1,\"to\":4,\"count\":2}]"}}},
     .bind = bind_histogram,
     .predicate = kLastArgument,
     .arguments_min = 3,
     .arguments_max = 3,
     .api_name = "histogramif"},
};

}  // namespace

std::span<const AggregateFunction> histogram_aggregates() {
  return kHistogramRows;
}

}  // namespace evq

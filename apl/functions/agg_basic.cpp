// count, sum, avg, min, max and their …if forms.

#include <algorithm>
#include <limits>

#include "apl/functions/aggregate_binding.h"
#include "apl/functions/aggregate_rows.h"
#include "apl/functions/exact_sum.h"
#include "apl/functions/registry.h"
#include "store/column/dynamic.h"
#include "store/column/vector_builder.h"

namespace evq {
namespace {

std::vector<Vector> one_column(VectorBuilder& builder) {
  std::vector<Vector> columns;
  columns.push_back(builder.finish());
  return columns;
}

// ---- count

class CountState final : public AggregateState {
 public:
  void resize(std::size_t groups) override { counts_.resize(std::max(groups, counts_.size())); }

  void add(const EvalContext& /*context*/, std::span<const Vector> /*args*/,
           const std::uint32_t* groups, std::size_t rows) override {
    if (groups == nullptr) {
      counts_[0] += static_cast<std::int64_t>(rows);
      return;
    }
    std::int64_t* counts = counts_.data();
    for (std::size_t row = 0; row < rows; ++row) {
      ++counts[groups[row]];
    }
  }

  void merge(const AggregateState& other, std::span<const std::uint32_t> to) override {
    const auto& from = static_cast<const CountState&>(other);
    for (std::size_t j = 0; j < to.size(); ++j) {
      counts_[to[j]] += from.counts_[j];
    }
  }

  std::vector<Vector> finish(const EvalContext& /*context*/, std::size_t begin,
                             std::size_t count) const override {
    auto values = Values::make(Type::kLong, count);
    std::copy_n(counts_.begin() + static_cast<std::ptrdiff_t>(begin), count,
                values->mutable_data<std::int64_t>());
    return {Vector::flat(std::move(values))};
  }

  std::size_t size_bytes() const override { return counts_.capacity() * sizeof(std::int64_t); }

 private:
  std::vector<std::int64_t> counts_;
};

AggregateBindResult bind_count(const AggregateBindRequest& /*request*/) {
  BoundAggregateCall call;
  call.results = {Type::kLong};
  call.result_suffixes = {""};
  call.aggregate = make_aggregate<CountState>();
  return call;
}

// Counts without gathering: the predicate is all there is.
class CountIfState final : public AggregateState {
 public:
  void resize(std::size_t groups) override { counts_.resize(groups); }

  void add(const EvalContext& /*context*/, std::span<const Vector> args,
           const std::uint32_t* groups, std::size_t rows) override {
    if (rows == 0) {
      return;
    }
    const std::uint8_t* flags = args[0].values().data<std::uint8_t>();
    std::int64_t* counts = counts_.data();
    if (groups == nullptr && args[0].is_flat() && !args[0].may_have_nulls()) {
      std::int64_t total = 0;
      for (std::size_t row = 0; row < rows; ++row) {
        total += flags[row];
      }
      counts[0] += total;
      return;
    }
    visit_counted(args[0], groups, rows,
                  [&](std::size_t group, std::size_t slot, std::size_t count) {
                    counts[group] += flags[slot] != 0 ? static_cast<std::int64_t>(count) : 0;
                  });
  }

  void merge(const AggregateState& other, std::span<const std::uint32_t> to) override {
    const auto& from = static_cast<const CountIfState&>(other);
    for (std::size_t j = 0; j < to.size(); ++j) {
      counts_[to[j]] += from.counts_[j];
    }
  }

  std::vector<Vector> finish(const EvalContext& /*context*/, std::size_t begin,
                             std::size_t count) const override {
    VectorBuilder builder(Type::kLong);
    for (std::size_t group = begin; group < begin + count; ++group) {
      builder.append_integer(counts_[group]);
    }
    return one_column(builder);
  }

  std::size_t size_bytes() const override { return counts_.capacity() * sizeof(std::int64_t); }

 private:
  std::vector<std::int64_t> counts_;
};

AggregateBindResult bind_countif(const AggregateBindRequest& request) {
  if (!implicit_cast_cost(request.arguments[0].type, Type::kBool).has_value()) {
    return BindFailure{0,
                       "The predicate must be a bool, but this is a " +
                           std::string(type_name(request.arguments[0].type)) + ".",
                       "Compare the value with something."};
  }
  return one_result(request, Type::kLong, Type::kBool, make_aggregate<CountIfState>());
}

// ---- sum, avg

enum class SumKind : std::uint8_t { kSum, kAverage };

template <class T>
struct Summing;
template <>
struct Summing<std::int64_t> {
  using Total = Int128;
  static void add(Total* total, std::int64_t value, std::size_t count) {
    *total += static_cast<Int128>(value) * static_cast<Int128>(count);
  }
  static void add_one(Total* total, std::int64_t value) { *total += value; }
  static void add_total(Total* total, const Total& other) { *total += other; }
  static double real(const Total& total) { return static_cast<double>(total); }
};
template <>
struct Summing<double> {
  using Total = RealSum;
  static void add(Total* total, double value, std::size_t count) {
    total->add_times(value, static_cast<double>(count));
  }
  static void add_one(Total* total, double value) { total->add(value); }
  static void add_total(Total* total, const Total& other) { total->add(other); }
  static double real(const Total& total) { return total.value(); }
};

template <class T>
class SumState final : public AggregateState {
 public:
  using S = Summing<T>;

  SumState(SumKind kind, Type result) : kind_(kind), result_(result) {}

  void resize(std::size_t groups) override {
    totals_.resize(std::max(groups, totals_.size()));
    if (kind_ == SumKind::kAverage) {
      counts_.resize(totals_.size());
    }
  }

  void add(const EvalContext& /*context*/, std::span<const Vector> args,
           const std::uint32_t* groups, std::size_t rows) override {
    if (rows == 0) {
      return;
    }
    if (groups == nullptr) {
      add_one_group(args[0], rows);
    } else if (kind_ == SumKind::kSum) {
      visit_rows<T>(args[0], groups, rows, [totals = totals_.data()](std::size_t group, T value) {
        S::add_one(&totals[group], value);
      });
    } else {
      visit_rows<T>(args[0], groups, rows,
                    [totals = totals_.data(), counts = counts_.data()](std::size_t group, T value) {
                      S::add_one(&totals[group], value);
                      ++counts[group];
                    });
    }
  }

  void merge(const AggregateState& other, std::span<const std::uint32_t> to) override {
    const auto& from = static_cast<const SumState&>(other);
    for (std::size_t j = 0; j < to.size(); ++j) {
      S::add_total(&totals_[to[j]], from.totals_[j]);
      if (kind_ == SumKind::kAverage) {
        counts_[to[j]] += from.counts_[j];
      }
    }
  }

  std::vector<Vector> finish(const EvalContext& /*context*/, std::size_t begin,
                             std::size_t count) const override {
    VectorBuilder builder(result_);
    for (std::size_t group = begin; group < begin + count; ++group) {
      append_result(group, &builder);
    }
    return one_column(builder);
  }

  std::size_t size_bytes() const override {
    return totals_.capacity() * sizeof(totals_[0]) + counts_.capacity() * sizeof(std::uint64_t);
  }

 private:
  void add_one_group(const Vector& vector, std::size_t rows) {
    typename S::Total total{};
    std::uint64_t seen = 0;
    const T* data = vector.values().template data<T>();
    if (vector.is_flat() && !vector.may_have_nulls()) {
      total = sum_of(data, rows);
      seen = rows;
    } else if (counts_by_slot(vector, nullptr, rows)) {
      count_slots(vector, rows, [&](std::size_t slot, std::size_t count) {
        S::add(&total, data[slot], count);
        seen += count;
      });
    } else {
      visit_rows<T>(vector, nullptr, rows, [&](std::size_t, T value) {
        S::add_one(&total, value);
        ++seen;
      });
    }
    S::add_total(&totals_[0], total);
    if (kind_ == SumKind::kAverage) {
      counts_[0] += seen;
    }
  }

  void append_result(std::size_t group, VectorBuilder* builder) const {
    if (kind_ == SumKind::kAverage && counts_[group] == 0) {
      builder->append_null();
    } else if (result_ == Type::kReal) {
      const double sum = S::real(totals_[group]);
      builder->append_real(kind_ == SumKind::kSum ? sum
                                                  : sum / static_cast<double>(counts_[group]));
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
      const std::optional<std::int64_t> fits =
          narrow(kind_ == SumKind::kSum ? totals_[group]
                                        : totals_[group] / static_cast<Int128>(counts_[group]));
      if (fits.has_value()) {
        builder->append_integer(*fits);
      } else {
        builder->append_null();
      }
    }
  }

  SumKind kind_;
  Type result_;
  std::vector<typename S::Total> totals_;
  std::vector<std::uint64_t> counts_;
};

template <SumKind kKind>
AggregateBindResult bind_sum(const AggregateBindRequest& request) {
  constexpr bool kAverage = kKind == SumKind::kAverage;
  const std::optional<Type> type = number_type(request.arguments[0].type, kAverage);
  if (!type.has_value()) {
    return not_a_number(kAverage ? "avg" : "sum", 0, request.arguments[0].type);
  }
  const Type result = kAverage && *type == Type::kLong ? Type::kReal : *type;
  return one_result(request, result, *type,
                    *type == Type::kReal ? make_aggregate<SumState<double>>(kKind, result)
                                         : make_aggregate<SumState<std::int64_t>>(kKind, result));
}

// ---- min, max

enum class Side : std::uint8_t { kMin, kMax };

template <Side kSide, class T>
bool beats(const T& challenger, const T& holder) {
  return kSide == Side::kMin ? challenger < holder : challenger > holder;
}

// Numbers, times and bools. NaN is passed over like a null: it beats nothing.
template <class T, Side kSide>
class ExtremeState final : public AggregateState {
 public:
  explicit ExtremeState(Type type) : type_(type) {}

  void resize(std::size_t groups) override {
    if (groups > best_.size()) {
      best_.resize(groups, worst());
      seen_.resize(groups, 0);
    }
  }

  void add(const EvalContext& /*context*/, std::span<const Vector> args,
           const std::uint32_t* groups, std::size_t rows) override {
    if (rows == 0) {
      return;
    }
    const T* data = args[0].values().template data<T>();
    if (groups == nullptr && args[0].is_flat() && !args[0].may_have_nulls()) {
      reduce(data, rows);
      return;
    }
    T* best = best_.data();
    std::uint8_t* seen = seen_.data();
    visit_counted(args[0], groups, rows, [&](std::size_t group, std::size_t slot, std::size_t) {
      offer(data[slot], &best[group], &seen[group]);
    });
  }

  void merge(const AggregateState& other, std::span<const std::uint32_t> to) override {
    const auto& from = static_cast<const ExtremeState&>(other);
    for (std::size_t j = 0; j < to.size(); ++j) {
      if (from.seen_[j] != 0) {
        offer(from.best_[j], &best_[to[j]], &seen_[to[j]]);
      }
    }
  }

  std::vector<Vector> finish(const EvalContext& /*context*/, std::size_t begin,
                             std::size_t count) const override {
    auto values = Values::make(type_, count);
    std::copy_n(best_.begin() + static_cast<std::ptrdiff_t>(begin), count,
                values->template mutable_data<T>());
    for (std::size_t i = 0; i < count; ++i) {
      if (seen_[begin + i] == 0) {
        values->set_null(i);
      }
    }
    return {Vector::flat(std::move(values))};
  }

  std::size_t size_bytes() const override { return best_.capacity() * (sizeof(T) + 1); }

 private:
  static T worst() {
    if constexpr (std::is_same_v<T, double>) {
      return kSide == Side::kMin ? std::numeric_limits<T>::infinity()
                                 : -std::numeric_limits<T>::infinity();
    } else {
      return kSide == Side::kMin ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min();
    }
  }

  static bool is_number(T value) {
    if constexpr (std::is_same_v<T, double>) {
      return value == value;
    } else {
      return true;
    }
  }

  static void offer(T value, T* best, std::uint8_t* seen) {
    *best = beats<kSide>(value, *best) ? value : *best;
    *seen = static_cast<std::uint8_t>(*seen | (is_number(value) ? 1U : 0U));
  }

  void reduce(const T* data, std::size_t rows) {
    T lanes[4] = {worst(), worst(), worst(), worst()};
    std::uint8_t seen = 0;
    std::size_t i = 0;
    for (; i + 4 <= rows; i += 4) {
      for (std::size_t lane = 0; lane < 4; ++lane) {
        offer(data[i + lane], &lanes[lane], &seen);
      }
    }
    for (; i < rows; ++i) {
      offer(data[i], lanes, &seen);
    }
    for (const T lane : lanes) {
      best_[0] = beats<kSide>(lane, best_[0]) ? lane : best_[0];
    }
    seen_[0] = static_cast<std::uint8_t>(seen_[0] | seen);
  }

  Type type_;
  std::vector<T> best_;
  std::vector<std::uint8_t> seen_;
};

// Strings by bytes, dynamics in their total order.
template <Side kSide>
class TextExtremeState final : public AggregateState {
 public:
  explicit TextExtremeState(Type type) : type_(type) {}

  void resize(std::size_t groups) override {
    if (groups > best_.size()) {
      best_.resize(groups);
      seen_.resize(groups, 0);
    }
  }

  void add(const EvalContext& /*context*/, std::span<const Vector> args,
           const std::uint32_t* groups, std::size_t rows) override {
    if (rows == 0) {
      return;
    }
    const std::string_view* data = args[0].values().data<std::string_view>();
    visit_counted(args[0], groups, rows, [&](std::size_t group, std::size_t slot, std::size_t) {
      offer(group, data[slot]);
    });
  }

  void merge(const AggregateState& other, std::span<const std::uint32_t> to) override {
    const auto& from = static_cast<const TextExtremeState&>(other);
    for (std::size_t j = 0; j < to.size(); ++j) {
      if (from.seen_[j] != 0) {
        offer(to[j], from.best_[j]);
      }
    }
  }

  std::vector<Vector> finish(const EvalContext& /*context*/, std::size_t begin,
                             std::size_t count) const override {
    VectorBuilder builder(type_);
    for (std::size_t group = begin; group < begin + count; ++group) {
      if (seen_[group] != 0) {
        builder.append_text(best_[group]);
      } else {
        builder.append_null();
      }
    }
    return one_column(builder);
  }

  std::size_t size_bytes() const override {
    return best_.capacity() * (sizeof(std::string) + 1) + text_bytes_;
  }

 private:
  void offer(std::size_t group, std::string_view text) {
    std::string& best = best_[group];
    if (seen_[group] != 0) {
      const int order = type_ == Type::kDynamic
                            ? compare_dynamic(DynamicView(text), DynamicView(best))
                            : text.compare(best);
      if (kSide == Side::kMin ? order >= 0 : order <= 0) {
        return;
      }
    }
    text_bytes_ += text.size();
    text_bytes_ -= best.size();
    best.assign(text);
    seen_[group] = 1;
  }

  Type type_;
  std::vector<std::string> best_;
  std::vector<std::uint8_t> seen_;
  std::size_t text_bytes_ = 0;
};

template <Side kSide>
AggregateBindResult bind_extreme(const AggregateBindRequest& request) {
  Type type = request.arguments[0].type;
  std::shared_ptr<const BoundAggregate> aggregate;
  switch (physical_of(type)) {
    case Physical::kNone:
      type = Type::kReal;
      aggregate = make_aggregate<ExtremeState<double, kSide>>(type);
      break;
    case Physical::kDouble:
      aggregate = make_aggregate<ExtremeState<double, kSide>>(type);
      break;
    case Physical::kByte:
      aggregate = make_aggregate<ExtremeState<std::uint8_t, kSide>>(type);
      break;
    case Physical::kInt64:
      aggregate = make_aggregate<ExtremeState<std::int64_t, kSide>>(type);
      break;
    case Physical::kView:
      aggregate = make_aggregate<TextExtremeState<kSide>>(type);
      break;
  }
  return one_result(request, type, type, std::move(aggregate));
}

// ---- the table

constexpr AggregateFunction kRows[] = {
    {.name = "count",
     .summary = "Counts rows.",
     .params = {{{"[value]", "Ignored: rows are counted, null or not."}}},
     .returns = "long; 0 without rows.",
     .examples = {{{"datatable (x:long) [1, 2, 3] | summarize n = count()", "3"}}},
     .bind = bind_count,
     .arguments_min = 0,
     .arguments_max = 1,
     .api_name = "count"},
    {.name = "countif",
     .summary = "Counts the rows for which the predicate is true.",
     .params = {{{"predicate", "A bool; null is not true."}}},
     .returns = "long; 0 without such rows.",
     .examples = {{{"datatable (x:long) [1, 2, 3] | summarize n = countif(x > 1)", "2"}}},
     .bind = bind_countif,
     .arguments_min = 1,
     .arguments_max = 1,
     .api_name = "countif"},
    {.name = "sum",
     .summary = "Adds up values.",
     .params = {{{"value", "long, real, timespan, or dynamic holding numbers."}}},
     .returns = "long for longs, timespan for timespans, otherwise real. 0 when no value is there; "
                "null when the sum does not fit a long.",
     .examples = {{{"datatable (x:long) [1, 2, 3] | summarize s = sum(x)", "6"}}},
     .bind = bind_sum<SumKind::kSum>,
     .arguments_min = 1,
     .arguments_max = 1,
     .api_name = "sum"},
    {.name = "sumif",
     .summary = "Adds up the values of the rows for which the predicate is true.",
     .params = {{{"value", "long, real, timespan, or dynamic holding numbers."},
                 {"predicate", "A bool; null is not true."}}},
     .returns = "As sum().",
     .examples = {{{"datatable (x:long) [1, 2, 3] | summarize s = sumif(x, x > 1)", "5"}}},
     .bind = bind_if<bind_sum<SumKind::kSum>>,
     .arguments_min = 2,
     .arguments_max = 2,
     .api_name = "sumif"},
    {.name = "avg",
     .summary = "Gives the arithmetic mean of the values that are not null.",
     .params = {{{"value", "long, real, timespan, datetime, or dynamic holding numbers."}}},
     .returns = "real; timespan and datetime stay what they are. Null when no value is there.",
     .examples = {{{"datatable (x:long) [1, 2, 4, 5] | summarize a = avg(x)", "3"}}},
     .bind = bind_sum<SumKind::kAverage>,
     .arguments_min = 1,
     .arguments_max = 1,
     .api_name = "avg"},
    {.name = "avgif",
     .summary = "Gives the mean of the rows for which the predicate is true.",
     .params = {{{"value", "long, real, timespan, datetime, or dynamic holding numbers."},
                 {"predicate", "A bool; null is not true."}}},
     .returns = "As avg().",
     .examples = {{{"datatable (x:long) [1, 2, 4] | summarize a = avgif(x, x > 1)", "3"}}},
     .bind = bind_if<bind_sum<SumKind::kAverage>>,
     .arguments_min = 2,
     .arguments_max = 2,
     .api_name = "avgif"},
    {.name = "min",
     .summary = "Gives the smallest value that is not null.",
     .params = {{{"value", "A value of any type; strings compare by code point."}}},
     .returns = "The argument's type; null when no value is there. NaN counts as null.",
     .examples = {{{"datatable (x:long) [2, 1, 3] | summarize m = min(x)", "1"}}},
     .bind = bind_extreme<Side::kMin>,
     .arguments_min = 1,
     .arguments_max = 1,
     .api_name = "min"},
    {.name = "minif",
     .summary = "Gives the smallest value of the rows for which the predicate is true.",
     .params = {{{"value", "A value of any type; strings compare by code point."},
                 {"predicate", "A bool; null is not true."}}},
     .returns = "As min().",
     .examples = {{{"datatable (x:long) [2, 1, 3] | summarize m = minif(x, x > 1)", "2"}}},
     .bind = bind_if<bind_extreme<Side::kMin>>,
     .arguments_min = 2,
     .arguments_max = 2,
     .api_name = "minif"},
    {.name = "max",
     .summary = "Gives the largest value that is not null.",
     .params = {{{"value", "A value of any type; strings compare by code point."}}},
     .returns = "The argument's type; null when no value is there. NaN counts as null.",
     .examples = {{{"datatable (x:long) [2, 1, 3] | summarize m = max(x)", "3"}}},
     .bind = bind_extreme<Side::kMax>,
     .arguments_min = 1,
     .arguments_max = 1,
     .api_name = "max"},
    {.name = "maxif",
     .summary = "Gives the largest value of the rows for which the predicate is true.",
     .params = {{{"value", "A value of any type; strings compare by code point."},
                 {"predicate", "A bool; null is not true."}}},
     .returns = "As max().",
     .examples = {{{"datatable (x:long) [2, 1, 3] | summarize m = maxif(x, x < 3)", "2"}}},
     .bind = bind_if<bind_extreme<Side::kMax>>,
     .arguments_min = 2,
     .arguments_max = 2,
     .api_name = "maxif"},
};

}  // namespace

std::span<const AggregateFunction> basic_aggregates() {
  return kRows;
}

}  // namespace evq

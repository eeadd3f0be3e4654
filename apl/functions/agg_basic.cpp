// count, sum, avg and their …if forms.

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>

#include "apl/functions/aggregate_binding.h"
#include "apl/functions/aggregate_rows.h"
#include "apl/functions/exact_sum.h"
#include "apl/functions/linear_sum.h"
#include "apl/functions/registry.h"
#include "apl/functions/size_meter.h"
#include "store/base/large_pages.h"
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

  bool counts_rows() const override { return true; }
  void add_counts(std::span<const std::uint32_t> groups,
                  std::span<const std::uint32_t> counts) override {
    for (std::size_t j = 0; j < groups.size(); ++j) {
      counts_[groups[j]] += counts[j];
    }
  }

  void merge(const AggregateState& other, std::span<const GroupPair> pairs) override {
    const auto& from = static_cast<const CountState&>(other);
    for (const GroupPair pair : pairs) {
      counts_[pair.to] += from.counts_[pair.from];
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
  LargeVector<std::int64_t> counts_;
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
  void resize(std::size_t groups) override { counts_.resize(std::max(groups, counts_.size())); }

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

  void merge(const AggregateState& other, std::span<const GroupPair> pairs) override {
    const auto& from = static_cast<const CountIfState&>(other);
    for (const GroupPair pair : pairs) {
      counts_[pair.to] += from.counts_[pair.from];
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
  LargeVector<std::int64_t> counts_;
};

AggregateBindResult bind_countif(const AggregateBindRequest& request) {
  if (!implicit_cast_cost(request.arguments[0].type, Type::kBool).has_value()) {
    return BindFailure{0,
                       "the predicate must be a bool, but this is a " +
                           std::string(type_name(request.arguments[0].type)),
                       "compare the value with something"};
  }
  return one_result(request, Type::kLong, Type::kBool, make_aggregate<CountIfState>());
}

// ---- sum, avg

enum class SumKind : std::uint8_t { kSum, kAverage };

struct SumResult {
  SumKind kind;
  Type type;
  LinearForm form{};  // of what is summed for it
};

// The value of a form, wide enough for all, and whether it is one.
Int128 value_of(const LinearForm& form, std::int64_t x) {
  return static_cast<Int128>(x) * form.scale + form.shift;
}
bool has_value(const LinearForm& form, std::int64_t x) {
  return (form.scale == -1 || narrow(static_cast<Int128>(x) * form.scale).has_value()) &&
         narrow(value_of(form, x)).has_value();
}

// Where forms have values for all numbers in [-2^bits, 2^bits).
class SurelyLinear {
 public:
  explicit SurelyLinear(const std::vector<SumResult>& results) {
    for (const SumResult& result : results) {
      const auto scale = static_cast<std::uint64_t>(std::abs(result.form.scale));
      bits_ =
          std::min(bits_, 62 - static_cast<unsigned>(std::bit_width(scale - (scale != 0 ? 1 : 0))));
      plain_ = plain_ && result.form.is_plain();
    }
  }
  // Whether all forms have values for all of `data`.
  bool covers(const std::int64_t* data, std::size_t count) const {
    if (plain_) {
      return true;
    }
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < count; ++i) {
      seen |= static_cast<std::uint64_t>(data[i]) + (std::uint64_t{1} << bits_);
    }
    return seen >> (bits_ + 1) == 0;
  }

 private:
  unsigned bits_ = 62;
  bool plain_ = true;
};

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
  static DoublePair digits(const Total& total) {
    const auto high = static_cast<double>(total);
    return {high, static_cast<double>(total - static_cast<Total>(high))};
  }
  static std::size_t size_bytes(const Total& /*total*/) { return 0; }
};
template <>
struct Summing<double> {
  using Total = RealSum;
  static void add(Total* total, double value, std::size_t count) { total->add_times(value, count); }
  static void add_one(Total* total, double value) { total->add(value); }
  static void add_total(Total* total, const Total& other) { total->add(other); }
  static DoublePair digits(const Total& total) { return total.digits(); }
  static std::size_t size_bytes(const Total& total) { return total.size_bytes(); }
};

template <class T>
class SumState final : public AggregateState {
 public:
  using S = Summing<T>;

  explicit SumState(std::vector<SumResult> results)
      : results_(std::move(results)), linear_(results_) {}

  static bool join(std::vector<SumResult>* results, const std::vector<SumResult>& others) {
    results->insert(results->end(), others.begin(), others.end());
    return true;
  }

  void resize(std::size_t groups) override { parts_.resize(std::max(groups, parts_.size())); }

  void add(const EvalContext& /*context*/, std::span<const Vector> args,
           const std::uint32_t* groups, std::size_t rows) override {
    if (rows == 0) {
      return;
    }
    if (groups == nullptr) {
      add_one_group(args[0], rows);
    } else if (lanes_pay(parts_.size(), rows)) {
      add_in_lanes(args[0], groups, rows);
    } else {
      visit_rows<T>(args[0], groups, rows, [parts = parts_.data()](std::size_t group, T value) {
        parts[group].add_one(value);
      });
    }
    if constexpr (std::is_same_v<T, std::int64_t>) {
      const Values& values = args[0].values();
      if (!linear_.covers(values.data<std::int64_t>(), values.size())) {
        note_lost(args[0], groups, rows);
      }
    }
    meter_.note_rows(rows, parts_);
  }

  void merge(const AggregateState& other, std::span<const GroupPair> pairs) override {
    const auto& from = static_cast<const SumState&>(other);
    for (const GroupPair pair : pairs) {
      parts_[pair.to].add(from.parts_[pair.from]);
    }
    merge_lost(from, pairs);
    meter_.measure(parts_);
  }

  std::vector<Vector> finish(const EvalContext& /*context*/, std::size_t begin,
                             std::size_t count) const override {
    std::vector<Vector> columns;
    for (std::size_t result = 0; result < results_.size(); ++result) {
      VectorBuilder builder(results_[result].type);
      for (std::size_t group = begin; group < begin + count; ++group) {
        Part linear;
        append_result(part_of(group, result, &linear), results_[result], &builder);
      }
      columns.push_back(builder.finish());
    }
    return columns;
  }

  std::size_t size_bytes() const override {
    return meter_.bytes(parts_) + lost_.capacity() * sizeof(Part);
  }

 private:
  struct Part {
    typename S::Total total{};
    std::uint64_t count = 0;  // of values that are not null

    void add_one(T value) {
      S::add_one(&total, value);
      ++count;
    }
    void add(const Part& other) {
      S::add_total(&total, other.total);
      count += other.count;
    }
    std::size_t size_bytes() const { return S::size_bytes(total); }
  };

  void add_in_lanes(const Vector& vector, const std::uint32_t* groups, std::size_t rows) {
    std::vector<Part> lanes(parts_.size() * kLanes);
    visit_rows_in_lanes<T>(vector, groups, rows, [to = lanes.data()](std::size_t lane, T value) {
      to[lane].add_one(value);
    });
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      parts_[lane / kLanes].add(lanes[lane]);
    }
  }

  void add_one_group(const Vector& vector, std::size_t rows) {
    Part part;
    const T* data = vector.values().template data<T>();
    if (vector.is_flat() && !vector.may_have_nulls()) {
      part.total = sum_of(data, rows);
      part.count = rows;
    } else if (counts_by_slot(vector, nullptr, rows)) {
      count_slots(vector, rows, [&](std::size_t slot, std::size_t count) {
        S::add(&part.total, data[slot], count);
        part.count += count;
      });
    } else {
      visit_rows<T>(vector, nullptr, rows, [&](std::size_t, T value) { part.add_one(value); });
    }
    parts_[0].add(part);
  }

  // Rows without a value of a form are in the sum of x all the same: keeps what they add to it.
  void note_lost(const Vector& vector, const std::uint32_t* groups, std::size_t rows) {
    lost_.resize(parts_.size() * results_.size());
    visit_rows<T>(vector, groups, rows, [&](std::size_t group, T value) {
      for (std::size_t result = 0; result < results_.size(); ++result) {
        const LinearForm& form = results_[result].form;
        if (!has_value(form, value)) {
          Part& lost = lost_[group * results_.size() + result];
          lost.total += value_of(form, value);
          ++lost.count;
        }
      }
    });
  }

  void merge_lost(const SumState& from, std::span<const GroupPair> pairs) {
    if (from.lost_.empty()) {
      return;
    }
    lost_.resize(parts_.size() * results_.size());
    for (const GroupPair pair : pairs) {
      for (std::size_t result = 0; result < results_.size(); ++result) {
        const std::size_t place = pair.from * results_.size() + result;
        if (place < from.lost_.size()) {
          lost_[pair.to * results_.size() + result].add(from.lost_[place]);
        }
      }
    }
  }

  // What a result is of; `linear` is room for it.
  const Part& part_of(std::size_t group, std::size_t result, Part* linear) const {
    if constexpr (std::is_same_v<T, std::int64_t>) {
      const LinearForm& form = results_[result].form;
      if (!form.is_plain()) {
        const Part& plain = parts_[group];
        linear->total = plain.total * form.scale + static_cast<Int128>(plain.count) * form.shift;
        linear->count = plain.count;
        const std::size_t place = group * results_.size() + result;
        if (place < lost_.size()) {
          linear->total -= lost_[place].total;
          linear->count -= lost_[place].count;
        }
        return *linear;
      }
    }
    return parts_[group];
  }

  static void append_result(const Part& part, const SumResult& result, VectorBuilder* builder) {
    if (result.kind == SumKind::kAverage && part.count == 0) {
      builder->append_null();
    } else if (result.type == Type::kReal) {
      const DoublePair sum = S::digits(part.total);
      if (result.kind == SumKind::kSum) {
        builder->append_real(sum.high);
      } else {
        const DoublePair mean = quotient_of(sum, static_cast<double>(part.count));
        builder->append_real(mean.high + mean.low);
      }
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
      const std::optional<std::int64_t> fits = narrow(
          result.kind == SumKind::kSum ? part.total : part.total / static_cast<Int128>(part.count));
      if (fits.has_value()) {
        builder->append_integer(*fits);
      } else {
        builder->append_null();
      }
    }
  }

  std::vector<SumResult> results_;
  SurelyLinear linear_;
  LargeVector<Part> parts_;
  LargeVector<Part> lost_;  // by group and result; empty while there is nothing
  SizeMeter meter_{0};      // a total seldom grows
};

template <SumKind kKind>
AggregateBindResult bind_sum(const AggregateBindRequest& request) {
  constexpr bool kAverage = kKind == SumKind::kAverage;
  const Type given = request.arguments[0].type;
  const std::optional<Type> type = kAverage ? number_or_time_type(given) : number_type(given);
  if (!type.has_value()) {
    return not_a_number(request, 0);
  }
  const Type result = kAverage && *type == Type::kLong ? Type::kReal : *type;
  std::vector<SumResult> results{{kKind, result}};
  return one_result(request, result, *type,
                    *type == Type::kReal
                        ? make_aggregate<SumState<double>>(std::move(results))
                        : make_aggregate<SumState<std::int64_t>>(std::move(results)));
}

// ---- the table

constexpr std::string_view kSummed =
    "long, real, timespan, or dynamic holding numbers or times (nanoseconds).";
constexpr std::string_view kAveraged =
    "long, real, timespan, datetime, or dynamic holding numbers or times (nanoseconds).";

constexpr AggregateFunction kBasicRows[] = {
    {.name = "count",
     .summary = "Counts rows.",
     .params = {{{"[value]", "Ignored: rows are counted, null or not."}}},
     .returns = "long; 0 without rows.",
     .examples = {{{"datatable (x:long) [1, 2, 3] | summarize n = count()", "3"}}},
     .bind = bind_count,
     .arguments_min = 0,
     .arguments_max = 1,
     .api_name = "count",
     .ignores_argument = true,
     .zero_of_nothing = true,
     .over_groups = "sum"},
    {.name = "countif",
     .summary = "Counts the rows for which the predicate is true.",
     .params = {{{"predicate", "A bool; null is not true."}}},
     .returns = "long; 0 without such rows.",
     .examples = {{{"datatable (x:long) [1, 2, 3] | summarize n = countif(x > 1)", "2"}}},
     .bind = bind_countif,
     .predicate = 0,
     .reads_predicate = true,
     .arguments_min = 1,
     .arguments_max = 1,
     .api_name = "countif",
     .naming_arguments = 0,
     .zero_of_nothing = true,
     .over_groups = "sum"},
    {.name = "sum",
     .summary = "Adds up values.",
     .params = {{{"value", kSummed}}},
     .returns = "long for longs, timespan for timespans, otherwise real. 0 when no value is there; "
                "null when the sum does not fit a long.",
     .examples = {{{"datatable (x:long) [1, 2, 3] | summarize s = sum(x)", "6"}}},
     .bind = bind_sum<SumKind::kSum>,
     .arguments_min = 1,
     .arguments_max = 1,
     .api_name = "sum",
     .zero_of_nothing = true,
     .over_groups = "sum"},
    {.name = "sumif",
     .summary = "Adds up the values of the rows for which the predicate is true.",
     .params = {{{"value", kSummed}, {"predicate", "A bool; null is not true."}}},
     .returns = "As sum().",
     .examples = {{{"datatable (x:long) [1, 2, 3] | summarize s = sumif(x, x > 1)", "5"}}},
     .bind = bind_sum<SumKind::kSum>,
     .predicate = kLastArgument,
     .arguments_min = 2,
     .arguments_max = 2,
     .api_name = "sumif",
     .zero_of_nothing = true,
     .over_groups = "sum"},
    {.name = "avg",
     .summary = "Gives the arithmetic mean of the values that are not null.",
     .params = {{{"value", kAveraged}}},
     .returns = "real; timespan and datetime stay what they are. Null when no value is there.",
     .examples = {{{"datatable (x:long) [1, 2, 4, 5] | summarize a = avg(x)", "3"}}},
     .bind = bind_sum<SumKind::kAverage>,
     .arguments_min = 1,
     .arguments_max = 1,
     .api_name = "avg"},
    {.name = "avgif",
     .summary = "Gives the mean of the rows for which the predicate is true.",
     .params = {{{"value", kAveraged}, {"predicate", "A bool; null is not true."}}},
     .returns = "As avg().",
     .examples = {{{"datatable (x:long) [1, 2, 4] | summarize a = avgif(x, x > 1)", "3"}}},
     .bind = bind_sum<SumKind::kAverage>,
     .predicate = kLastArgument,
     .arguments_min = 2,
     .arguments_max = 2,
     .api_name = "avgif"},
};

}  // namespace

std::shared_ptr<const BoundAggregate> aggregate_of_linear(const BoundAggregate& aggregate,
                                                          const LinearForm& form) {
  using SumOfLongs = StateMaker<SumState<std::int64_t>, std::vector<SumResult>>;
  const auto* sum = dynamic_cast<const SumOfLongs*>(&aggregate);
  if (sum == nullptr) {
    return nullptr;
  }
  std::vector<SumResult> results = std::get<0>(sum->args());
  if (results.size() != 1 || !results[0].form.is_plain()) {
    return nullptr;
  }
  results[0].form = form;
  return make_aggregate<SumState<std::int64_t>>(std::move(results));
}

std::span<const AggregateFunction> basic_aggregates() {
  return kBasicRows;
}

}  // namespace evq

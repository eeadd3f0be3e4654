// percentile, percentiles, their array, weighted and …if forms, over QuantileSketch, and its
// states: tdigest, tdigest_merge.

#include <algorithm>
#include <cmath>

#include "apl/functions/aggregate_binding.h"
#include "apl/functions/aggregate_rows.h"
#include "apl/functions/digest_state.h"
#include "apl/functions/quantile_sketch.h"
#include "apl/functions/quantile_states.h"
#include "apl/functions/registry.h"
#include "store/base/allocation_meter.h"
#include "store/base/limits.h"
#include "store/base/number.h"
#include "store/column/dynamic.h"
#include "store/column/vector_builder.h"

namespace evq {
namespace {

struct Shape {
  Type type = Type::kReal;       // of the values
  bool array = false;            // one column with an array instead of one column a percentile
  bool weighted = false;         // the second argument is a weight
  std::vector<double> percents;  // 0 to 100
};

template <class T>
class PercentileState final : public QuantileStates<T> {
 public:
  explicit PercentileState(Shape shape) : shape_(std::move(shape)) {}

  static bool join(Shape* shape, const Shape& other) {
    shape->percents.insert(shape->percents.end(), other.percents.begin(), other.percents.end());
    return !shape->array && !other.array && shape->type == other.type &&
           shape->weighted == other.weighted;
  }

  void add(const EvalContext& /*context*/, std::span<const Vector> args,
           const std::uint32_t* groups, std::size_t rows) override {
    if (rows == 0) {
      return;
    }
    if (shape_.weighted) {
      add_weighted(args[0], args[1], groups, rows);
    } else {
      add_plain(args[0], groups, rows);
    }
    this->note_rows(rows);
  }

  std::vector<Vector> finish(const EvalContext& /*context*/, std::size_t begin,
                             std::size_t count) const override {
    std::vector<VectorBuilder> builders;
    const std::size_t columns = shape_.array ? 1 : shape_.percents.size();
    for (std::size_t i = 0; i < columns; ++i) {
      builders.emplace_back(shape_.array ? Type::kDynamic : shape_.type);
    }
    for (std::size_t group = begin; group < begin + count; ++group) {
      this->sketches()[group].with_flushed(
          [&](const QuantileSketch<T>& sketch) { append_group(sketch, &builders); });
    }
    std::vector<Vector> vectors;
    vectors.reserve(builders.size());
    for (VectorBuilder& builder : builders) {
      vectors.push_back(builder.finish());
    }
    return vectors;
  }

 private:
  static bool is_number(T value) { return value == value; }

  void add_plain(const Vector& vector, const std::uint32_t* groups, std::size_t rows) {
    const T* data = vector.values().template data<T>();
    QuantileSketch<T>* sketches = this->sketches().data();
    visit_pairs(vector, groups, this->sketches().size(), rows,
                [&](std::size_t group, std::size_t slot, std::size_t count) {
                  const T value = data[slot];
                  if (!is_number(value)) {
                    return;
                  }
                  if (count == 1) {
                    sketches[group].add(value);
                  } else {
                    sketches[group].add(value, static_cast<double>(count));
                  }
                });
  }

  void add_weighted(const Vector& vector, const Vector& weights, const std::uint32_t* groups,
                    std::size_t rows) {
    for (std::size_t row = 0; row < rows; ++row) {
      if (vector.is_null(row) || weights.is_null(row)) {
        continue;
      }
      const T value = vector.at<T>(row);
      const std::int64_t weight = weights.at<std::int64_t>(row);
      if (is_number(value) && weight > 0) {
        this->sketches()[groups == nullptr ? 0 : groups[row]].add(value,
                                                                  static_cast<double>(weight));
      }
    }
  }

  void append_group(const QuantileSketch<T>& sketch, std::vector<VectorBuilder>* builders) const {
    if (shape_.array) {
      DynamicBuilder array;
      array.begin_array();
      for (const double percent : shape_.percents) {
        array.add_value(sketch.count() == 0 ? Value() : value_of(sketch.quantile(percent / 100)));
      }
      array.end_array();
      (*builders)[0].append_text(array.bytes());
      return;
    }
    for (std::size_t i = 0; i < shape_.percents.size(); ++i) {
      (*builders)[i].append(sketch.count() == 0
                                ? Value::null(shape_.type)
                                : value_of(sketch.quantile(shape_.percents[i] / 100)));
    }
  }

  Value value_of(T value) const {
    if constexpr (std::is_same_v<T, double>) {
      return Value::real(value);
    } else {
      return shape_.type == Type::kDatetime   ? Value::datetime(value)
             : shape_.type == Type::kTimespan ? Value::timespan(value)
                                              : Value::integer(value);
    }
  }

  Shape shape_;
};

// ---- states

using Sketch = QuantileSketch<double>;

// Of values, or of states when kMerges.
template <bool kMerges>
class DigestState final : public QuantileStates<double> {
 public:
  void add(const EvalContext& /*context*/, std::span<const Vector> args,
           const std::uint32_t* groups, std::size_t rows) override {
    if (rows == 0) {
      return;
    }
    if constexpr (kMerges) {
      const std::string_view* texts = args[0].values().data<std::string_view>();
      PollCounter poll;
      visit_counted(args[0], groups, rows, [&](std::size_t group, std::size_t slot, std::size_t) {
        poll.add(1 + texts[slot].size() / kPollTextBytes);
        if (const std::optional<Sketch> sketch = digest_of_text(texts[slot])) {
          merge_into(group, *sketch);
        }
      });
    } else {
      const bool weighted = args.size() > 1;
      const bool nanoseconds = args[0].type() != Type::kReal;
      for (std::size_t row = 0; row < rows; ++row) {
        if (args[0].is_null(row) || (weighted && args[1].is_null(row))) {
          continue;
        }
        const double value = nanoseconds ? static_cast<double>(args[0].at<std::int64_t>(row))
                                         : args[0].at<double>(row);
        const double weight = weighted ? static_cast<double>(args[1].at<std::int64_t>(row)) : 1;
        if (!std::isnan(value)) {
          sketches()[groups == nullptr ? 0 : groups[row]].add(value, weight);
        }
      }
      note_rows(rows);
    }
  }

  std::vector<Vector> finish(const EvalContext& /*context*/, std::size_t begin,
                             std::size_t count) const override {
    VectorBuilder builder(Type::kString);
    for (std::size_t group = begin; group < begin + count; ++group) {
      sketches()[group].with_flushed(
          [&](const Sketch& sketch) { builder.append_text(digest_text(sketch)); });
    }
    return {builder.finish()};
  }
};

AggregateBindResult bind_tdigest(const AggregateBindRequest& request) {
  const Type type = request.arguments[0].type;
  if (!number_or_time_type(type).has_value()) {
    return not_a_number(request, 0);
  }
  BoundAggregateCall call;
  call.results = {Type::kString};
  call.result_suffixes = {""};
  call.arguments.assign(request.arguments.size(), Type::kLong);
  const bool time = type == Type::kDatetime || type == Type::kTimespan;
  call.arguments[0] = time ? type : Type::kReal;
  call.aggregate = make_aggregate<DigestState<false>>();
  return call;
}

AggregateBindResult bind_tdigest_merge(const AggregateBindRequest& request) {
  return one_result(request, Type::kString, Type::kString, make_aggregate<DigestState<true>>());
}

// ---- binding

bool add_percent(const Value& value, std::vector<double>* percents) {
  if (value.is_null() || !is_numeric(value.type())) {
    return false;
  }
  const double percent =
      value.type() == Type::kLong ? static_cast<double>(value.as_integer()) : value.as_real();
  if (!(percent >= 0 && percent <= 100)) {
    return false;
  }
  percents->push_back(percent);
  return true;
}

// Numbers, or arrays of numbers.
std::variant<std::vector<double>, BindFailure> percents_of(const AggregateBindRequest& request,
                                                           std::size_t first) {
  std::vector<double> percents;
  for (std::size_t i = first; i < request.arguments.size(); ++i) {
    const Value* constant = request.arguments[i].constant;
    bool good = constant != nullptr && !constant->is_null();
    if (good && constant->type() == Type::kDynamic) {
      DynamicView::Iterator elements{DynamicView(constant->as_text())};
      good = DynamicView(constant->as_text()).is_array();
      while (good && elements.next()) {
        good = add_percent(value_from_dynamic(elements.value()), &percents);
      }
    } else {
      good = good && add_percent(*constant, &percents);
    }
    if (!good || percents.size() > kPercentilesMax) {
      return BindFailure{static_cast<int>(i),
                         "a percentile must be a constant number from 0 to 100; a call takes at "
                         "most " +
                             std::to_string(kPercentilesMax) + " of them",
                         "for example 50, 99.9 or dynamic([50, 95, 99])"};
    }
  }
  return percents;
}

// One value, called after the function as other results are; a column for each percentage, which is
// in its name; all in one array.
enum class Form : std::uint8_t { kValue, kColumns, kArray };

template <Form kForm, bool kWeighted>
AggregateBindResult bind_percentiles(const AggregateBindRequest& request) {
  const std::optional<Type> type = number_or_time_type(request.arguments[0].type);
  if (!type.has_value()) {
    return not_a_number(request, 0);
  }
  auto percents = percents_of(request, kWeighted ? 2 : 1);
  if (auto* failure = std::get_if<BindFailure>(&percents)) {
    return *failure;
  }
  if (kForm == Form::kValue && std::get<std::vector<double>>(percents).size() > 1) {
    return BindFailure{kWeighted ? 2 : 1, std::string(request.function) + "() takes one percentile",
                       "percentiles() gives a column for each of several, percentiles_array() one "
                       "array of them"};
  }
  Shape shape{*type, kForm == Form::kArray, kWeighted, std::get<std::vector<double>>(percents)};
  BoundAggregateCall call;
  call.arguments = types_of(request.arguments);
  call.arguments[0] = *type;
  if (kWeighted) {
    if (!implicit_cast_cost(request.arguments[1].type, Type::kLong).has_value()) {
      return BindFailure{1, "the weight must be a long", ""};
    }
    call.arguments[1] = Type::kLong;
  }
  if (kForm != Form::kColumns) {
    call.results = {shape.array ? Type::kDynamic : *type};
    call.result_suffixes = {""};
  } else {
    for (const double percent : shape.percents) {
      call.results.push_back(*type);
      std::string text;
      append_real(text, percent);
      std::ranges::replace(text, '.', '_');
      call.result_suffixes.push_back("percentile_*_" + text);
    }
  }
  if (shape.percents.empty()) {
    return BindFailure{-1, "at least one percentile is needed", ""};
  }
  call.settled_begin = kWeighted ? 2 : 1;
  call.settled_end = call.arguments.size();
  call.aggregate = *type == Type::kReal
                       ? make_aggregate<PercentileState<double>>(std::move(shape))
                       : make_aggregate<PercentileState<std::int64_t>>(std::move(shape));
  return call;
}

constexpr ParameterDoc kPercentileValue{
    "value", "long, real, timespan, datetime, or dynamic holding numbers or times (nanoseconds)."};
constexpr ParameterDoc kWeight{"weight", "A long: how many rows this one stands for."};
constexpr ParameterDoc kPercent{"percentile", "A constant number from 0 to 100."};
constexpr ParameterDoc kPercents{"percentiles...",
                                 "Constant numbers from 0 to 100, or an array of them."};
constexpr std::string_view kPercentileReturns =
    "The value's type, null when no value is there. Up to 4,096 different values the value of "
    "nearest rank exactly; beyond, a value near the true one: 0.8 % off at most where values span "
    "ten decades, less where they span less. The same rows give the same answer in any order.";
constexpr std::string_view kReturnsArray =
    "dynamic: an array with a value for each percentile, null where no value is there; estimated "
    "as by percentile().";

constexpr AggregateFunction kPercentileRows[] = {
    {.name = "percentile",
     .summary = "Estimates the value below which the given percentage of the values lie.",
     .params = {{kPercentileValue, kPercent}},
     .returns = kPercentileReturns,
     .examples = {{{"datatable (x:long) [1, 2, 3, 4] | summarize p = percentile(x, 50)", "2"}}},
     .bind = bind_percentiles<Form::kValue, false>,
     .arguments_min = 2,
     .arguments_max = 2,
     .api_name = "percentiles",
     .takes_percentages = true},
    {.name = "percentileif",
     .summary = "Estimates a percentile of the rows for which the predicate is true.",
     .params = {{kPercentileValue, kPercent, kPredicate}},
     .returns = kPercentileReturns,
     .examples = {{{"datatable (x:long) [1, 2, 3, 4] | summarize p = percentileif(x, 50, x > 1)",
                    "3"}}},
     .bind = bind_percentiles<Form::kValue, false>,
     .predicate = kLastArgument,
     .arguments_min = 3,
     .arguments_max = 3,
     .api_name = "percentilesif",
     .takes_percentages = true},
    {.name = "percentiles",
     .summary = "Estimates several percentiles in one pass, each in a column of its own.",
     .params = {{kPercentileValue, kPercents}},
     .returns = kPercentileReturns,
     .examples = {{{"datatable (x:long) [1, 2, 3, 4] | summarize percentiles(x, 50, 100)",
                    "2  4"}}},
     .bind = bind_percentiles<Form::kColumns, false>,
     .arguments_min = 2,
     .api_name = "percentiles",
     .takes_percentages = true},
    {.name = "percentiles_array",
     .summary = "Estimates several percentiles in one pass, as an array.",
     .params = {{kPercentileValue, kPercents}},
     .returns = kReturnsArray,
     .examples = {{{"datatable (x:long) [1, 2, 3, 4] | summarize p = percentiles_array(x, 50, "
                    "100)",
                    "[2,4]"}}},
     .bind = bind_percentiles<Form::kArray, false>,
     .arguments_min = 2,
     .api_name = "percentiles",
     .takes_percentages = true},
    {.name = "percentiles_arrayif",
     .summary = "Estimates several percentiles of the rows with a true predicate, as an array.",
     .params = {{kPercentileValue, kPercents, kPredicate}},
     .returns = kReturnsArray,
     .examples = {{{"datatable (x:long) [1, 2, 3, 4] | summarize p = percentiles_arrayif(x, "
                    "dynamic([50, 100]), x < 4)",
                    "[2,3]"}}},
     .bind = bind_percentiles<Form::kArray, false>,
     .predicate = kLastArgument,
     .arguments_min = 3,
     .api_name = "percentilesif",
     .takes_percentages = true},
    {.name = "percentilew",
     .summary = "Estimates a percentile of values that each stand for several rows.",
     .params = {{kPercentileValue, kWeight, kPercent}},
     .returns = kPercentileReturns,
     .examples = {{{"datatable (x:long, n:long) [1, 1, 2, 9] | summarize p = percentilew(x, n, 50)",
                    "2"}}},
     .bind = bind_percentiles<Form::kValue, true>,
     .arguments_min = 3,
     .arguments_max = 3,
     .api_name = "percentiles",
     .takes_percentages = true},
    {.name = "percentilesw",
     .summary = "Estimates several weighted percentiles, each in a column of its own.",
     .params = {{kPercentileValue, kWeight, kPercents}},
     .returns = kPercentileReturns,
     .examples = {{{"datatable (x:long, n:long) [1, 1, 2, 9] | summarize percentilesw(x, n, 5, 50)",
                    "1  2"}}},
     .bind = bind_percentiles<Form::kColumns, true>,
     .arguments_min = 3,
     .api_name = "percentiles",
     .takes_percentages = true},
    {.name = "percentilesw_array",
     .summary = "Estimates several weighted percentiles, as an array.",
     .params = {{kPercentileValue, kWeight, kPercents}},
     .returns = kReturnsArray,
     .examples = {{{"datatable (x:long, n:long) [1, 1, 2, 9] | summarize p = "
                    "percentilesw_array(x, n, 5, 50)",
                    "[1,2]"}}},
     .bind = bind_percentiles<Form::kArray, true>,
     .arguments_min = 3,
     .api_name = "percentiles",
     .takes_percentages = true},
    {.name = "tdigest",
     .summary = "Makes a state that percentile_tdigest() and tdigest_merge() read: how the values "
                "are distributed.",
     .params = {{{"value",
                  "long, real, timespan, datetime, or dynamic holding numbers; of times their "
                  "nanoseconds."},
                 {"[weight]", "A long: how many rows this one stands for."}}},
     .returns = "string. States of several groups merge into the state of all their rows.",
     .examples = {{{"datatable (x:long) [1, 2, 3, 4] | summarize t = tdigest(x) | project p = "
                    "percentile_tdigest(t, 50)",
                    "2"}}},
     .bind = bind_tdigest,
     .arguments_min = 1,
     .arguments_max = 2},
    {.name = "tdigest_merge",
     .aliases = {"merge_tdigest"},
     .summary = "Merges states made by tdigest() into one.",
     .params = {{{"state", "A state; anything else is passed over."}}},
     .returns = "string, a state.",
     .examples = {{{"datatable (k:long, x:long) [1, 1, 1, 2, 2, 9] | summarize t = tdigest(x) by k "
                    "| summarize m = tdigest_merge(t) | project p = percentile_tdigest(m, 100)",
                    "9"}}},
     .bind = bind_tdigest_merge,
     .arguments_min = 1,
     .arguments_max = 1},
};

}  // namespace

std::span<const AggregateFunction> percentile_aggregates() {
  return kPercentileRows;
}

}  // namespace evq

// Questions to the states that hll() and tdigest() leave in a column, and states of one row merged.

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "apl/functions/digest_state.h"
#include "apl/functions/dynamic_rows.h"
#include "apl/functions/hll_state.h"
#include "apl/functions/lift.h"
#include "apl/functions/registry.h"
#include "store/base/number.h"

namespace evq {
namespace {

using Digest = QuantileSketch<double>;

std::optional<std::int64_t> dcount_hll(std::string_view state) {
  const std::optional<HyperLogLog> sketch = hll_of_text(state);
  return sketch.has_value() ? std::optional(static_cast<std::int64_t>(sketch->estimate()))
                            : std::nullopt;
}

// Arguments that are no states are passed over; null when none is one.
void hll_merge(std::span<const DynamicView> args, VectorBuilder* out) {
  std::optional<HyperLogLog> merged;
  for (const DynamicView& arg : args) {
    const auto sketch = arg.is_string() ? hll_of_text(arg.as_string()) : std::nullopt;
    if (!merged.has_value()) {
      merged = sketch;
    } else if (sketch.has_value()) {
      merged->merge(*sketch);
    }
  }
  out->append(merged.has_value() ? Value::string(hll_text(*merged)) : Value::null(Type::kString));
}

void tdigest_merge(std::span<const DynamicView> args, VectorBuilder* out) {
  std::optional<Digest> merged;
  for (const DynamicView& arg : args) {
    const auto sketch = arg.is_string() ? digest_of_text(arg.as_string()) : std::nullopt;
    if (!merged.has_value()) {
      merged = sketch;
    } else if (sketch.has_value()) {
      merged->merge(*sketch);
    }
  }
  if (merged.has_value()) {
    merged->flush();
  }
  out->append(merged.has_value() ? Value::string(digest_text(*merged))
                                 : Value::null(Type::kString));
}

std::optional<double> percentile(std::string_view state, double percent) {
  const std::optional<Digest> sketch = digest_of_text(state);
  if (!sketch.has_value() || sketch->count() == 0 || !(percent >= 0 && percent <= 100)) {
    return std::nullopt;
  }
  return sketch->quantile(percent / 100);
}

// The type arrives as a null of it.
std::optional<std::int64_t> percentile_long(std::string_view state, double percent,
                                            std::optional<std::int64_t> /*type*/) {
  const std::optional<double> value = percentile(state, percent);
  return value.has_value() ? int_from_real(*value) : std::nullopt;
}

std::optional<double> percentile_real(std::string_view state, double percent,
                                      std::optional<double> /*type*/) {
  return percentile(state, percent);
}

// States hold the nanoseconds of times.
std::optional<Timespan> percentile_span(std::string_view state, double percent,
                                        std::optional<Timespan> /*type*/) {
  const std::optional<std::int64_t> ns = percentile_long(state, percent, std::nullopt);
  return ns.has_value() ? std::optional(Timespan{*ns}) : std::nullopt;
}
std::optional<Datetime> percentile_time(std::string_view state, double percent,
                                        std::optional<Datetime> /*type*/) {
  return time_of(percentile_long(state, percent, std::nullopt));
}

// The percents as arguments of their own or as one array; a typeof(…) arrives as a null and says
// nothing, since the elements of an array have types of their own.
bool percentiles_array(std::span<const DynamicView> args, DynamicBuilder* out) {
  const std::optional<Digest> sketch =
      args[0].is_string() ? digest_of_text(args[0].as_string()) : std::nullopt;
  if (!sketch.has_value() || sketch->count() == 0) {
    return false;
  }
  bool valid = true;
  const auto add = [&](DynamicView percent) {
    valid = valid && percent.is_number() && percent.as_real() >= 0 && percent.as_real() <= 100;
    if (valid) {
      out->add_real(sketch->quantile(percent.as_real() / 100));
    }
  };
  out->begin_array();
  for (const DynamicView& arg : args.subspan(1)) {
    DynamicView::Iterator elements(arg);
    while (arg.is_array() && elements.next()) {
      add(elements.value());
    }
    if (!arg.is_array() && !arg.is_null()) {
      add(arg);
    }
  }
  out->end_array();
  return valid;
}

// How many of the values seen are not above `value`; of the bucket it falls into, the share that a
// straight line between the bucket's ends gives.
std::optional<double> rank(std::string_view state, double value) {
  const std::optional<Digest> sketch = digest_of_text(state);
  if (!sketch.has_value() || sketch->count() == 0) {
    return std::nullopt;
  }
  double below = 0;
  for (const Digest::Bucket& bucket : sketch->buckets()) {
    if (value >= bucket.last) {
      below += bucket.weight;
    } else if (value > bucket.first) {
      below += std::floor(bucket.weight * (value - bucket.first) / (bucket.last - bucket.first));
    }
  }
  return below;
}

std::optional<std::int64_t> rank_tdigest(std::string_view state, double value) {
  const std::optional<double> below = rank(state, value);
  return below.has_value() ? int_from_real(*below) : std::nullopt;
}

std::optional<double> percentrank_tdigest(std::string_view state, double value) {
  const std::optional<double> below = rank(state, value);
  return below.has_value() ? std::optional(*below / digest_of_text(state)->count() * 100)
                           : std::nullopt;
}

constexpr ParameterDoc kHll{"state", "A state that hll() or hll_merge() made."};
constexpr ParameterDoc kDigest{"state", "A state that tdigest() or tdigest_merge() made."};

constexpr std::array<ScalarFunction, 7> kSketchFunctions = {{
    {.name = "dcount_hll",
     .category = "math",
     .summary = "Estimates how many different values a state has seen.",
     .params = {{kHll}},
     .returns = "long, with the error of dcount(); null when it is no state.",
     .examples = {{{"datatable (x:long) [1, 2, 2] | summarize h = hll(x) | project n = "
                    "dcount_hll(h)",
                    "2"}}},
     .overloads = {lift<dcount_hll>()},
     .result_name = ResultName::kFunctionArgument},
    {.name = "hll_merge",
     .category = "math",
     .summary = "Merges states of one row; in summarize, the states of many rows.",
     .params = {{{"states...", "States that hll() made; anything else is passed over."}}},
     .returns = "string, a state; null when none is one.",
     .examples = {{{"datatable (x:long) [1, 2] | summarize a = hll(x), b = hll(x + 1) | project n "
                    "= dcount_hll(hll_merge(a, b))",
                    "3"}}},
     .bind = bind_rows<hll_merge, Type::kString>,
     .arguments_min = 1,
     .arguments_max = 64},
    {.name = "percentile_tdigest",
     .category = "math",
     .summary = "A percentile of the values that a state of tdigest() has seen.",
     .params =
         {{kDigest,
           {"percentile", "A number from 0 to 100."},
           {"[type]",
            "typeof(long) for a whole number, typeof(timespan) or typeof(datetime) for a time.",
            true}}},
     .returns = "A real, or the type asked for, of times otherwise their nanoseconds; null when it "
                "is no state or has seen nothing. As exact as percentile().",
     .examples = {{{"datatable (x:long) [1, 2, 3, 4] | summarize t = tdigest(x) | project p = "
                    "percentile_tdigest(t, 75, typeof(long))",
                    "3"}}},
     .overloads = {lift<percentile>(), lift<percentile_long>(), lift<percentile_real>(),
                   lift<percentile_span>(), lift<percentile_time>()},
     .result_name = ResultName::kFunctionArgument},
    {.name = "percentiles_array_tdigest",
     .aliases = {"percentile_array_tdigest"},
     .category = "math",
     .summary = "Several percentiles of the values that a state of tdigest() has seen.",
     .params = {{kDigest, {"percentiles...", "Numbers from 0 to 100, or an array of them."}}},
     .returns = "An array of reals; null when it is no state or has seen nothing.",
     .examples = {{{"datatable (x:long) [1, 2, 3, 4] | summarize t = tdigest(x) | project p = "
                    "percentiles_array_tdigest(t, dynamic([50, 100]))",
                    "[2,4]"}}},
     .bind = bind_dynamic_rows<percentiles_array>,
     .arguments_min = 2,
     .arguments_max = 64},
    {.name = "percentrank_tdigest",
     .category = "math",
     .summary = "Which percentage of the values that a state has seen are not above a value.",
     .params = {{kDigest, {"value", "A number."}}},
     .returns = "A real from 0 to 100; null when it is no state or has seen nothing.",
     .examples = {{{"datatable (x:long) [1, 2, 3, 4] | summarize t = tdigest(x) | project p = "
                    "percentrank_tdigest(t, 3)",
                    "75"}}},
     .overloads = {lift<percentrank_tdigest>()}},
    {.name = "rank_tdigest",
     .category = "math",
     .summary = "How many of the values that a state has seen are not above a value.",
     .params = {{kDigest, {"value", "A number."}}},
     .returns = "A long; null when it is no state or has seen nothing.",
     .examples = {{{"datatable (x:long) [1, 2, 3, 4] | summarize t = tdigest(x) | project n = "
                    "rank_tdigest(t, 2.5)",
                    "2"}}},
     .overloads = {lift<rank_tdigest>()}},
    {.name = "tdigest_merge",
     .aliases = {"merge_tdigest"},
     .category = "math",
     .summary = "Merges states of one row; in summarize, the states of many rows.",
     .params = {{{"states...", "States that tdigest() made; anything else is passed over."}}},
     .returns = "string, a state; null when none is one.",
     .examples = {{{"datatable (x:long) [1, 2] | summarize a = tdigest(x), b = tdigest(x + 7) | "
                    "project p = percentile_tdigest(tdigest_merge(a, b), 100)",
                    "9"}}},
     .bind = bind_rows<tdigest_merge, Type::kString>,
     .arguments_min = 1,
     .arguments_max = 64},
}};

}  // namespace

std::span<const ScalarFunction> sketch_functions() {
  return kSketchFunctions;
}

}  // namespace evq

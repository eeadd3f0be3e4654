#pragma once
// The registry: every scalar function and aggregate of the language, joined from the category
// tables that the other files of this folder define. Lookup by name, listing in order, names for
// suggestions, and the two steps of a call (bind, evaluate). Immutable; safe from any thread.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apl/functions/function.h"

namespace evq {

// Finds a row by name or alias, exact case; null when there is none.
const ScalarFunction* find_function(std::string_view name);
const AggregateFunction* find_aggregate(std::string_view name);

// Returns all rows by category and then name, internal ones left out.
const std::vector<const ScalarFunction*>& all_functions();
const std::vector<const AggregateFunction*>& all_aggregates();

// The smallest and largest number of arguments any form of the function takes; 255 = no limit.
struct ArgumentCount {
  std::size_t min = 0;
  std::size_t max = 0;
};
ArgumentCount argument_count(const ScalarFunction& function);

// Writes a call as help and messages show it: bin(value, size), strcat_array(array, [delimiter]).
std::string signature(const ScalarFunction& function);
std::string signature(const AggregateFunction& function);
// Whether that calls the parameter at `position` so, but for case and underscores: maxSize.
bool is_parameter(std::span<const ParameterDoc> params, std::size_t position,
                  std::string_view name);

// Chooses the overload with the cheapest conversions, or asks the row's `bind`.
BindResult bind_function(const ScalarFunction& function, const BindRequest& request);
// Binds the call of one typed form, for use by a row's `bind`.
BindResult bind_overload(const Overload& overload, const BindRequest& request);
AggregateBindResult bind_aggregate(const AggregateFunction& function,
                                   const AggregateBindRequest& request);

// Runs a bound call in the cheapest way its arguments' shapes allow: once when all are constant,
// once per entry, or combination of entries, when those that vary are dictionaries, else row by
// row. Results keep those shapes. `flags` are the function row's.
Vector evaluate_call(const BoundCall& call, FunctionFlags flags, const EvalContext& context,
                     std::span<const Vector> args, std::size_t rows);

// Converts by the implicit conversions of calls: null to anything, long to real, anything to
// dynamic, dynamic to anything (a value of another kind gives null; numbers convert among each
// other; scalars convert to string by tostring).
Vector implicit_cast(const Vector& vector, Type type);
// Returns the cost of that conversion, 0 for equal types; nullopt when there is none.
std::optional<int> implicit_cast_cost(Type from, Type to);

// Category tables; each is defined in the file named after it.
#define EVQ_FUNCTION_TABLE(table) std::span<const ScalarFunction> table##_functions()
EVQ_FUNCTION_TABLE(arithmetic);  // op_add, op_less, … of the expression grammar
EVQ_FUNCTION_TABLE(comparison);
EVQ_FUNCTION_TABLE(logic);
EVQ_FUNCTION_TABLE(string_operator);
EVQ_FUNCTION_TABLE(string);
EVQ_FUNCTION_TABLE(string_search);
EVQ_FUNCTION_TABLE(text_parse);
EVQ_FUNCTION_TABLE(url);
EVQ_FUNCTION_TABLE(regex);
EVQ_FUNCTION_TABLE(math);
EVQ_FUNCTION_TABLE(math_list);  // max_of, range, rand
EVQ_FUNCTION_TABLE(bit);
EVQ_FUNCTION_TABLE(probability);   // beta distribution, welch_test
EVQ_FUNCTION_TABLE(sketch);        // dcount_hll, percentile_tdigest, …
EVQ_FUNCTION_TABLE(unit);          // convert_length and its kin
EVQ_FUNCTION_TABLE(rounding);      // bin, floor, ceiling
EVQ_FUNCTION_TABLE(round_digits);  // round
EVQ_FUNCTION_TABLE(datetime);
EVQ_FUNCTION_TABLE(datetime_make);  // make_datetime, unixtime_…
EVQ_FUNCTION_TABLE(time_format);    // format_datetime, time zones
EVQ_FUNCTION_TABLE(conversion);
EVQ_FUNCTION_TABLE(type);
EVQ_FUNCTION_TABLE(conditional);
EVQ_FUNCTION_TABLE(array);
EVQ_FUNCTION_TABLE(bag);
EVQ_FUNCTION_TABLE(set);
EVQ_FUNCTION_TABLE(series);
EVQ_FUNCTION_TABLE(series_fill);
EVQ_FUNCTION_TABLE(series_filter);
EVQ_FUNCTION_TABLE(series_stats);
EVQ_FUNCTION_TABLE(series_fit);    // lines and polynomials that fit best
EVQ_FUNCTION_TABLE(series_model);  // outliers, seasons, forecasts
EVQ_FUNCTION_TABLE(ip);
EVQ_FUNCTION_TABLE(geo);  // distances and areas on the globe
EVQ_FUNCTION_TABLE(geohash);
EVQ_FUNCTION_TABLE(hash);
EVQ_FUNCTION_TABLE(encode);
EVQ_FUNCTION_TABLE(punycode);
EVQ_FUNCTION_TABLE(document);  // parse_xml, parse_user_agent, parse_command_line
EVQ_FUNCTION_TABLE(sql);
EVQ_FUNCTION_TABLE(genai);
EVQ_FUNCTION_TABLE(metadata);
EVQ_FUNCTION_TABLE(pair);
EVQ_FUNCTION_TABLE(window);  // row_number, prev, next, …: planned by serialize
#undef EVQ_FUNCTION_TABLE

#define EVQ_AGGREGATE_TABLE(table) std::span<const AggregateFunction> table##_aggregates()
EVQ_AGGREGATE_TABLE(basic);    // count, sum, avg and their …if forms
EVQ_AGGREGATE_TABLE(extreme);  // min, max and their …if forms
EVQ_AGGREGATE_TABLE(arg);      // arg_max, arg_min, take_any
EVQ_AGGREGATE_TABLE(list);     // make_list, make_set, make_bag
EVQ_AGGREGATE_TABLE(stats);    // stdev, variance, covariance, rate
EVQ_AGGREGATE_TABLE(histogram);
EVQ_AGGREGATE_TABLE(distinct);  // dcount
EVQ_AGGREGATE_TABLE(percentile);
EVQ_AGGREGATE_TABLE(topk);
EVQ_AGGREGATE_TABLE(spotlight);
EVQ_AGGREGATE_TABLE(phrases);
EVQ_AGGREGATE_TABLE(presence);
#undef EVQ_AGGREGATE_TABLE

}  // namespace evq

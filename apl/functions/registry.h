#pragma once
// The registry: every scalar function and aggregate of the language, joined from the category
// tables that the other files of this folder define. Lookup by name, listing in order, names for
// suggestions, and the two steps of a call (bind, evaluate). Immutable; safe from any thread.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apl/functions/aggregate_function.h"
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
// Makes the call null where an argument at one of `positions` is, as bind_function() does for the
// optional ones that have a place of their own.
void make_null_where_null(std::vector<std::size_t> positions, const BindRequest& request,
                          BoundCall* call);
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

// Category tables; each is defined in the file named after it, and all of them are searched.
#define EVQ_FUNCTION_TABLES(table)                                                                \
  table(arithmetic) table(comparison) table(logic) table(string_operator) table(string)           \
      table(string_search) table(text_parse) table(url) table(regex) table(math) table(math_list) \
          table(bit) table(probability) table(sketch) table(unit) table(rounding)                 \
              table(round_digits) table(datetime) table(datetime_make) table(time_format)         \
                  table(conversion) table(type) table(conditional) table(array) table(array_sort) \
                      table(bag) table(set) table(series) table(series_fill) table(series_filter) \
                          table(series_stats) table(series_fit) table(series_model) table(ip)     \
                              table(geo) table(geohash) table(hash) table(encode) table(punycode) \
                                  table(document) table(sql) table(genai) table(metadata)         \
                                      table(pair) table(window)

#define EVQ_AGGREGATE_TABLES(table)                                                                \
  table(basic) table(extreme) table(arg) table(list) table(stats) table(histogram) table(distinct) \
      table(percentile) table(topk) table(spotlight) table(phrases) table(presence)

#define EVQ_DECLARE(table) std::span<const ScalarFunction> table##_functions();
EVQ_FUNCTION_TABLES(EVQ_DECLARE)
#undef EVQ_DECLARE
#define EVQ_DECLARE(table) std::span<const AggregateFunction> table##_aggregates();
EVQ_AGGREGATE_TABLES(EVQ_DECLARE)
#undef EVQ_DECLARE

}  // namespace evq

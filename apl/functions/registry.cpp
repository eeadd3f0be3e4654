#include "apl/functions/registry.h"

#include <algorithm>
#include <limits>

#include "apl/functions/aggregate_binding.h"
#include "apl/functions/number_codes.h"
#include "apl/functions/value_combinations.h"
#include "store/base/allocation_meter.h"
#include "store/base/ascii.h"
#include "store/base/limits.h"

namespace evq {
namespace {

using ScalarTable = std::span<const ScalarFunction> (*)();
using AggregateTable = std::span<const AggregateFunction> (*)();

#define EVQ_TABLE(table) table##_functions,
constexpr ScalarTable kScalarTables[] = {EVQ_FUNCTION_TABLES(EVQ_TABLE)};
#undef EVQ_TABLE
#define EVQ_TABLE(table) table##_aggregates,
constexpr AggregateTable kAggregateTables[] = {EVQ_AGGREGATE_TABLES(EVQ_TABLE)};
#undef EVQ_TABLE

// Rows sorted by every name they answer to, built once on first use.
template <class Row>
class NameIndex {
 public:
  template <class Tables>
  explicit NameIndex(const Tables& tables) {
    for (const auto table : tables) {
      for (const Row& row : table()) {
        entries_.push_back({row.name, &row});
        for (const std::string_view alias : row.aliases) {
          if (!alias.empty()) {
            entries_.push_back({alias, &row});
          }
        }
      }
    }
    std::ranges::sort(entries_, {}, &Entry::name);
  }

  const Row* find(std::string_view name) const {
    const auto at = std::ranges::lower_bound(entries_, name, {}, &Entry::name);
    return at != entries_.end() && at->name == name ? at->row : nullptr;
  }

 private:
  struct Entry {
    std::string_view name;
    const Row* row;
  };
  std::vector<Entry> entries_;
};

bool has_flag(FunctionFlags flags, FunctionFlags flag) {
  return (static_cast<unsigned>(flags) & static_cast<unsigned>(flag)) != 0;
}

// A BoundFunction around a kernel; constant once bound.
class KernelFunction final : public BoundFunction {
 public:
  KernelFunction(Kernel kernel, const Overload& overload) : kernel_(kernel), overload_(overload) {}

  Vector evaluate(const EvalContext& context, std::span<const Vector> args,
                  std::size_t rows) const override {
    if (args.size() == overload_.parameter_count) {
      return kernel_({context, args, rows});
    }
    std::vector<Vector> padded(args.begin(), args.end());
    for (std::size_t i = args.size(); i < overload_.parameter_count; ++i) {
      padded.push_back(Vector::constant(Value::null(overload_.parameters[i]), rows));
    }
    return kernel_({context, padded, rows});
  }

 private:
  Kernel kernel_;
  Overload overload_;
};

// A call that is null where an argument at one of `positions` is.
class NullWhereNull final : public BoundFunction {
 public:
  NullWhereNull(const BoundCall& call, std::vector<std::size_t> positions)
      : call_(call.function), result_(call.result), positions_(std::move(positions)) {}

  Vector evaluate(const EvalContext& context, std::span<const Vector> args,
                  std::size_t rows) const override {
    const auto among_them = [&](const auto& test) {
      return std::ranges::any_of(positions_, [&](std::size_t at) { return test(args[at]); });
    };
    Vector null = Vector::constant(Value::null(result_), rows);
    if (among_them([](const Vector& a) { return a.is_constant() && a.may_have_nulls(); })) {
      return null;
    }
    Vector result = call_->evaluate(context, args, rows);
    if (!among_them([](const Vector& a) { return a.may_have_nulls(); })) {
      return result;
    }
    std::vector<RowPlace> places(rows);
    for (std::uint32_t row = 0; row < rows; ++row) {
      const bool missing = among_them([row](const Vector& a) { return a.is_null(row); });
      places[row] = {missing ? 1U : 0U, row};
    }
    const Vector parts[] = {std::move(result), null};
    return interleave(parts, places);
  }

 private:
  std::shared_ptr<const BoundFunction> call_;
  Type result_;
  std::vector<std::size_t> positions_;
};

// The places of optional arguments whose null is not the same as to leave them out. What stands
// before others that are needed, or after any number of them, has no place of its own.
std::vector<std::size_t> strict_options(const ScalarFunction& function, std::size_t arguments) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < function.params.size() && !function.params[i].name.empty(); ++i) {
    const ParameterDoc& param = function.params[i];
    if (param.name.ends_with("...")) {
      return {};
    }
    if (!param.name.starts_with('[')) {
      positions.clear();
    } else if (i < arguments && !param.null_is_left_out) {
      positions.push_back(i);
    }
  }
  return positions;
}

// The summed conversion cost of a call, or nothing when the overload does not take it.
std::optional<int> overload_cost(const Overload& overload, std::span<const Argument> arguments) {
  if (arguments.size() < overload.required_count || arguments.size() > overload.parameter_count) {
    return std::nullopt;
  }
  int total = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::optional<int> cost = implicit_cast_cost(arguments[i].type, overload.parameters[i]);
    if (!cost.has_value()) {
      return std::nullopt;
    }
    total += *cost;
  }
  return total;
}

template <class Row>
std::string signature_of(const Row& row) {
  std::string text = std::string(row.name) + "(";
  bool first = true;
  for (const ParameterDoc& param : row.params) {
    if (!param.name.empty()) {
      text.append(first ? "" : ", ").append(param.name);
      first = false;
    }
  }
  return text + ")";
}

// What people call a function: an operator's row is known to them by its summary, a + b.
std::string shown_name(const ScalarFunction& function) {
  return has_flag(function.flags, FunctionFlags::kInternal)
             ? "'" + std::string(function.summary) + "'"
             : std::string(function.name) + "()";
}

// Each argument would do in some form, but not together with the others.
BindFailure explain_combination(const ScalarFunction& function,
                                std::span<const Argument> arguments) {
  std::string types;
  bool timespan = false;
  bool number = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    types.append(i == 0 ? "" : i + 1 == arguments.size() ? " and " : ", ");
    types.append("a ").append(type_name(arguments[i].type));
    timespan = timespan || arguments[i].type == Type::kTimespan;
    number = number || arguments[i].type == Type::kLong || arguments[i].type == Type::kReal;
  }
  return {-1, shown_name(function) + " does not take " + types + " together",
          timespan && number ? "totimespan() makes a timespan of a number of nanoseconds" : ""};
}

// Names the first argument that keeps every overload of the right length from matching.
BindFailure explain_mismatch(const ScalarFunction& function, std::span<const Argument> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string wanted;
    bool fits = false;
    for (const Overload& overload : function.overloads) {
      if (overload.kernel == nullptr || i >= overload.parameter_count) {
        continue;
      }
      const Type parameter = overload.parameters[i];
      fits = fits || implicit_cast_cost(arguments[i].type, parameter).has_value();
      if (wanted.find(type_name(parameter)) == std::string::npos) {
        wanted.append(wanted.empty() ? "" : " or ").append(type_name(parameter));
      }
    }
    if (!fits) {
      return {static_cast<int>(i),
              shown_name(function) + " takes a " + wanted + " here, not a " +
                  std::string(type_name(arguments[i].type)),
              wanted == type_name(Type::kTimespan) && is_numeric(arguments[i].type)
                  ? "give the number a unit: 1d, 2h, 30s"
                  : "convert it first, for example with to" + wanted.substr(0, wanted.find(' ')) +
                        "()"};
    }
  }
  return explain_combination(function, arguments);
}

Vector evaluate_once(const BoundCall& call, const EvalContext& context,
                     std::span<const Vector> args, std::size_t rows) {
  std::vector<Vector> single;
  single.reserve(args.size());
  for (const Vector& arg : args) {
    single.push_back(Vector::constant(arg.shared_values(), 1));
  }
  const Vector result = call.function->evaluate(context, single, 1);
  return Vector::constant(
      result.is_dictionary() ? result.flatten().shared_values() : result.shared_values(), rows);
}

// The text that the arguments' rows may hold, without looking at each: what is known of flat
// columns, and what the expressions so far have made.
std::size_t text_bytes_of(std::span<const Vector> args) {
  std::size_t bytes = 0;
  bool texts = false;
  for (const Vector& arg : args) {
    if (physical_of(arg.type()) == Physical::kView && !arg.is_constant()) {
      bytes += arg.values().contiguous_text().size();
      texts = true;
    }
  }
  return texts ? std::max(bytes, AllocationMeter::held_bytes()) : 0;
}

// Some rows at a time where they are long, so that a query that must end does so between them.
Vector evaluate_rows(const BoundCall& call, const EvalContext& context,
                     std::span<const Vector> args, std::size_t rows) {
  AllocationMeter::poll();
  const std::size_t bytes = text_bytes_of(args);
  if (bytes <= kUncutTextBytesMax) {
    return call.function->evaluate(context, args, rows);
  }
  const std::size_t step = std::max<std::size_t>(1, rows / (bytes / kCallTextBytesMax));
  std::vector<Vector> parts;
  std::vector<Vector> cut(args.size());
  for (std::size_t begin = 0; begin < rows; begin += step) {
    AllocationMeter::poll();
    const std::size_t count = std::min(step, rows - begin);
    std::ranges::transform(args, cut.begin(),
                           [&](const Vector& arg) { return arg.slice(begin, count); });
    parts.push_back(call.function->evaluate(context, cut, count));
  }
  return parts.size() == 1 ? std::move(parts[0]) : concatenate(parts);
}

// The same rows in a dictionary without the entries that none of them has, as a filter leaves them:
// a text that was filtered out may be one that a function refuses, or takes long for.
Vector with_used_entries(const Vector& dictionary) {
  const Values& values = dictionary.values();
  const std::span<const Code> codes(dictionary.codes(), dictionary.size());
  std::vector<Code> places(values.size(), 0);  // 1: it is used; then where the entry will be
  std::vector<std::uint32_t> used;
  for (std::size_t i = 0; i < codes.size() && used.size() < values.size(); ++i) {
    if (places[codes[i]] == 0) {
      used.push_back(codes[i]);
      places[codes[i]] = 1;
    }
  }
  if (used.size() == values.size()) {
    return dictionary;
  }
  for (std::size_t place = 0; place < used.size(); ++place) {
    places[used[place]] = static_cast<Code>(place);
  }
  auto moved = make_codes(codes.size());
  std::ranges::transform(codes, moved.get(), [&](Code code) { return places[code]; });
  const Vector entries = Vector::flat(dictionary.shared_values()).gather(used);
  return Vector::dictionary(entries.shared_values(), std::move(moved), codes.size());
}

Vector evaluate_entries(const BoundCall& call, const EvalContext& context,
                        std::span<const Vector> args, std::size_t varying) {
  const bool texts = physical_of(args[varying].type()) == Physical::kView;
  const Vector dictionary = texts ? with_used_entries(args[varying]) : args[varying];
  const std::size_t entries = dictionary.values().size();
  std::vector<Vector> flat;
  flat.reserve(args.size());
  for (std::size_t i = 0; i < args.size(); ++i) {
    flat.push_back(i == varying ? Vector::flat(dictionary.shared_values())
                                : Vector::constant(args[i].shared_values(), entries));
  }
  const Vector result = evaluate_rows(call, context, flat, entries);
  if (result.is_constant()) {
    return Vector::constant(result.shared_values(), dictionary.size());
  }
  return dictionary.with_values(result.flatten().shared_values());
}

}  // namespace

const ScalarFunction* find_function(std::string_view name) {
  static const NameIndex<ScalarFunction> kIndex(kScalarTables);
  return kIndex.find(name);
}

const AggregateFunction* find_aggregate(std::string_view name) {
  static const NameIndex<AggregateFunction> kIndex(kAggregateTables);
  return kIndex.find(name);
}

const std::vector<const ScalarFunction*>& all_functions() {
  static const std::vector<const ScalarFunction*> kRows = [] {
    std::vector<const ScalarFunction*> all;
    for (const ScalarTable table : kScalarTables) {
      for (const ScalarFunction& row : table()) {
        if (!has_flag(row.flags, FunctionFlags::kInternal)) {
          all.push_back(&row);
        }
      }
    }
    std::ranges::sort(all, [](const ScalarFunction* a, const ScalarFunction* b) {
      return std::pair(a->category, a->name) < std::pair(b->category, b->name);
    });
    return all;
  }();
  return kRows;
}

const std::vector<const AggregateFunction*>& all_aggregates() {
  static const std::vector<const AggregateFunction*> kRows = [] {
    std::vector<const AggregateFunction*> all;
    for (const AggregateTable table : kAggregateTables) {
      for (const AggregateFunction& row : table()) {
        all.push_back(&row);
      }
    }
    std::ranges::sort(all, {}, [](const AggregateFunction* row) { return row->name; });
    return all;
  }();
  return kRows;
}

ArgumentCount argument_count(const ScalarFunction& function) {
  if (function.bind != nullptr) {
    return {function.arguments_min, function.arguments_max};
  }
  ArgumentCount count{std::numeric_limits<std::size_t>::max(), 0};
  for (const Overload& overload : function.overloads) {
    if (overload.kernel != nullptr) {
      count.min = std::min<std::size_t>(count.min, overload.required_count);
      count.max = std::max<std::size_t>(count.max, overload.parameter_count);
    }
  }
  return count;
}

std::string signature(const ScalarFunction& function) {
  return signature_of(function);
}
std::string signature(const AggregateFunction& function) {
  return signature_of(function);
}

bool is_parameter(std::span<const ParameterDoc> params, std::size_t position,
                  std::string_view name) {
  const auto letters = [](std::string_view text) {
    std::string kept = ascii_lower(text);
    std::erase_if(kept, [](char c) { return c == '_' || c == '[' || c == ']'; });
    return kept;
  };
  return position < params.size() && !name.empty() &&
         letters(params[position].name) == letters(name);
}

namespace {

BindResult choose_form(const ScalarFunction& function, const BindRequest& request) {
  if (function.bind != nullptr) {
    return function.bind(request);
  }
  const Overload* best = nullptr;
  int best_cost = std::numeric_limits<int>::max();
  for (const Overload& overload : function.overloads) {
    if (overload.kernel == nullptr) {
      continue;
    }
    const std::optional<int> cost = overload_cost(overload, request.arguments);
    if (cost.has_value() && *cost < best_cost) {
      best = &overload;
      best_cost = *cost;
    }
  }
  return best != nullptr ? bind_overload(*best, request)
                         : explain_mismatch(function, request.arguments);
}

}  // namespace

BindResult bind_function(const ScalarFunction& function, const BindRequest& request) {
  if (function.check != nullptr) {
    if (std::optional<BindFailure> failure = function.check(request)) {
      return *std::move(failure);
    }
  }
  BindResult bound = choose_form(function, request);
  if (auto* call = std::get_if<BoundCall>(&bound); call != nullptr) {
    make_null_where_null(strict_options(function, request.arguments.size()), request, call);
  }
  return bound;
}

void make_null_where_null(std::vector<std::size_t> positions, const BindRequest& request,
                          BoundCall* call) {
  // Of a dynamic constant the conversion may make a null.
  std::erase_if(positions, [&](std::size_t at) {
    const Value* constant = request.arguments[at].constant;
    return constant != nullptr && !constant->is_null() &&
           (constant->type() != Type::kDynamic || call->arguments[at] == Type::kDynamic);
  });
  if (!positions.empty()) {
    call->function = std::make_shared<NullWhereNull>(*call, std::move(positions));
  }
}

BindResult bind_overload(const Overload& overload, const BindRequest& request) {
  const std::size_t count = request.arguments.size();
  BoundCall call;
  call.result = overload.result;
  for (std::size_t i = 0; i < count; ++i) {
    const Type from = request.arguments[i].type;
    const Type to = overload.parameters[i];
    if (!implicit_cast_cost(from, to).has_value()) {
      return BindFailure{static_cast<int>(i),
                         "this must be a " + std::string(type_name(to)) + ", not a " +
                             std::string(type_name(from)),
                         "convert it with to" + std::string(type_name(to)) + "()"};
    }
    call.arguments.push_back(to);
  }
  call.function = std::make_shared<KernelFunction>(overload.kernel, overload);
  return call;
}

AggregateBindResult bind_aggregate(const AggregateFunction& function,
                                   const AggregateBindRequest& request) {
  AggregateBindRequest named = request;
  named.function = function.name;
  return function.predicate.has_value() && !function.reads_predicate
             ? bind_filtered(named, function.bind, *function.predicate)
             : function.bind(named);
}

Vector evaluate_call(const BoundCall& call, FunctionFlags flags, const EvalContext& context,
                     std::span<const Vector> args, std::size_t rows) {
  if (has_flag(flags, FunctionFlags::kPerRow) || rows == 0) {
    return call.function->evaluate(context, args, rows);
  }
  std::size_t varying_count = 0;
  std::size_t varying = 0;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!args[i].is_constant()) {
      ++varying_count;
      varying = i;
    }
  }
  if (varying_count == 0) {
    return evaluate_once(call, context, args, rows);
  }
  if (varying_count == 1 && args[varying].is_dictionary() &&
      args[varying].values().size() <= rows) {
    return evaluate_entries(call, context, args, varying);
  }
  // Texts of numbers take so much longer than to see that few of the numbers are different.
  if (varying_count == 1 && physical_of(call.result) == Physical::kView) {
    std::vector<Vector> coded(args.begin(), args.end());
    coded[varying] = code_numbers(args[varying]);
    if (coded[varying].is_dictionary()) {
      return evaluate_entries(call, context, coded, varying);
    }
  }
  if (const auto combinations = ValueCombinations::find(args, rows)) {
    return combinations->spread(
        call.function->evaluate(context, combinations->columns(), combinations->size()));
  }
  return evaluate_rows(call, context, args, rows);
}

}  // namespace evq

#pragma once
// The rows of the function tables. A scalar function is one row: its names, documentation,
// runnable examples and either typed overloads (made by lift<F>() from ordinary C++ functions,
// lift.h) or a `bind` function that chooses result type and implementation by itself. Help,
// manual, completion, "did you mean" and the registry test read the same rows.
//
// A call goes through two steps. Binding happens once a query: argument types and constant
// arguments in, a BoundCall out, which names the types its arguments must be converted to.
// Evaluation happens once a chunk and worker: Vectors in, one Vector out. A bad row gives null,
// never an error. BoundFunctions are immutable and shared by workers.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "apl/functions/rounding.h"
#include "store/base/control.h"
#include "store/column/dynamic.h"
#include "store/column/vector.h"

namespace evq {

inline constexpr std::int64_t kUnboundedStart = INT64_MIN;
inline constexpr std::int64_t kUnboundedEnd = INT64_MAX;

// The context of a query for its function calls; the same for all of them.
struct EvalContext {
  std::int64_t now_ns = 0;                        // one instant for the whole query
  std::int64_t range_start_ns = kUnboundedStart;  // the query's time range, closed
  std::int64_t range_end_ns = kUnboundedEnd;
  std::int64_t auto_bins = kAutoBinsDefault;  // most bins that bin_auto() makes of the range
  std::uint64_t random_seed = 0;
  const QueryControl* control = nullptr;     // may be null in tests
  const class GeoDatabase* geo = nullptr;    // geo_info_from_ip_address; may be null
  const class TimeExtent* extent = nullptr;  // extent of the query's data; may be null
};

// An argument as binding sees it: its type, and its value when it is a constant.
struct Argument {
  Type type = Type::kNull;
  const Value* constant = nullptr;
};

class BoundFunction {
 public:
  virtual ~BoundFunction() = default;
  // Computes the call. `args` have `rows` rows each, of the types BoundCall named, in any shape.
  // The result has `rows` rows of BoundCall::result.
  virtual Vector evaluate(const EvalContext& context, std::span<const Vector> args,
                          std::size_t rows) const = 0;
};

struct BoundCall {
  Type result = Type::kNull;
  std::vector<Type> arguments;  // convert each argument to this type first (cast.h)
  std::shared_ptr<const BoundFunction> function;
};

// The reason why a call does not bind: one sentence and a hint, at `argument` (-1: the whole call).
struct BindFailure {
  int argument = -1;
  std::string message;
  std::string hint;
};

struct BindRequest {
  std::span<const Argument> arguments;
  const EvalContext& context;
};

using BindResult = std::variant<BoundCall, BindFailure>;

struct KernelCall {
  const EvalContext& context;
  std::span<const Vector> args;
  std::size_t rows;
};
using Kernel = Vector (*)(const KernelCall& call);

inline constexpr std::size_t kOverloadParametersMax = 7;

// One typed form. A call matches when each argument's type equals the parameter's or converts
// implicitly (null to anything, long to real, anything to dynamic, dynamic to anything).
struct Overload {
  std::array<Type, kOverloadParametersMax> parameters{};
  std::uint8_t parameter_count = 0;
  std::uint8_t required_count = 0;  // trailing std::optional parameters may be left out
  Type result = Type::kNull;
  Kernel kernel = nullptr;
};

struct ParameterDoc {
  std::string_view name;         // "[times]" when optional, "values..." when repeated
  std::string_view description;  // one sentence
};

struct Example {
  std::string_view query;   // a whole query; often `print f(…)`
  std::string_view result;  // the printed cells of the result, see the registry test
};

enum class FunctionFlags : std::uint8_t {
  kNone = 0,
  kPerRow = 1,    // every row differs though the arguments are equal: rand(), row_number()
  kContext = 2,   // depends on EvalContext (now()): folds only once a query has started
  kInternal = 4,  // an operator's function ("op_add"): not listed, not callable by name
};

// Relative cost of a call for one row, arguments excluded; 1 is reading a number. The filters of a
// scan are put in this order.
enum class CallCost : std::uint16_t {
  kLogic = 1,
  kOperator = 4,  // on numbers
  kUsual = 40,
  kTextTest = 100,  // looks for pieces of text: contains, has, startswith
  kSearch = 500,    // looks for several in many fields
  kPattern = 1000,  // runs a regular expression over a text, or takes one apart
};

struct ScalarFunction {
  std::string_view name;
  std::array<std::string_view, 3> aliases{};
  std::string_view category;  // "string", "datetime", … as in the manual
  std::string_view summary;   // one sentence
  std::array<ParameterDoc, 8> params{};
  std::string_view returns{};  // result type and what null or invalid input gives; may be empty
  std::array<Example, 4> examples{};
  std::array<Overload, 8> overloads{};
  // Refuses constant arguments that no row could make sense of, before an overload is chosen.
  std::optional<BindFailure> (*check)(const BindRequest& request) = nullptr;
  BindResult (*bind)(const BindRequest& request) = nullptr;  // instead of overloads
  // Bounds of the number of arguments, for rows with `bind`; overloads derive them themselves.
  std::uint8_t arguments_min = 0;
  std::uint8_t arguments_max = 255;
  CallCost cost = CallCost::kUsual;
  FunctionFlags flags = FunctionFlags::kNone;
  // Names of the elements of an array result. A call without a name in project or extend becomes a
  // column for each, called function_argument_part.
  std::span<const std::string_view> parts{};
  // Internal function that takes the call's arguments and an index (from 0) or a key and gives that
  // element without making the rest of the list or bag. May be empty.
  std::string_view element{};
};

// The row of a function that stands behind an operator of the language: no one calls it by name.
constexpr ScalarFunction operator_row(std::string_view name, std::string_view summary,
                                      BindResult (*bind)(const BindRequest&),
                                      std::uint8_t arguments_min = 2,
                                      std::uint8_t arguments_max = 2,
                                      CallCost cost = CallCost::kOperator) {
  ScalarFunction row;
  row.name = name;
  row.category = "operator";
  row.summary = summary;
  row.bind = bind;
  row.arguments_min = arguments_min;
  row.arguments_max = arguments_max;
  row.cost = cost;
  row.flags = FunctionFlags::kInternal;
  return row;
}

// ---- aggregates

// A group of one table of groups and the group of another with the same key.
struct GroupPair {
  std::uint32_t from;
  std::uint32_t to;
};

// The per-group states of one aggregate in one worker, held column-wise. Calls that take memory or
// long fail as allocations do when the query has no more of it (store/base/allocation_meter.h);
// what they were making is of no use then.
class AggregateState {
 public:
  virtual ~AggregateState() = default;
  // Makes room for groups [0, groups); new ones start empty. Never shrinks.
  virtual void resize(std::size_t groups) = 0;
  // Adds `rows` rows; row i belongs to groups[i], or all to group 0 when `groups` is null.
  virtual void add(const EvalContext& context, std::span<const Vector> args,
                   const std::uint32_t* groups, std::size_t rows) = 0;
  // True for states for which add() only counts rows: add_counts() serves them too.
  virtual bool counts_rows() const { return false; }
  // True for states that need only the least and the greatest of the values.
  virtual bool keeps_extremes() const { return false; }
  // Adds counts[j] rows to groups[j]; called only where counts_rows() is true.
  virtual void add_counts(std::span<const std::uint32_t> /*groups*/,
                          std::span<const std::uint32_t> /*counts*/) {}
  // Completes work that add() deferred. Called by the thread that added, when no more rows come,
  // before others merge from this state and before finish().
  virtual void settle() {}
  // Whether others may merge from this state before settle().
  virtual bool merges_unsettled() const { return false; }
  // Merges groups `from` of `other` (made by the same BoundAggregate) into groups `to`; other's
  // rows count as coming after this state's rows. Several states may merge from one at a time.
  virtual void merge(const AggregateState& other, std::span<const GroupPair> pairs) = 0;
  // Returns the results of groups [begin, begin + count), one vector a result column.
  virtual std::vector<Vector> finish(const EvalContext& context, std::size_t begin,
                                     std::size_t count) const = 0;
  // Memory held, for the query's budget; may be an estimate but grows with the data.
  virtual std::size_t size_bytes() const = 0;
};

class BoundAggregate {
 public:
  virtual ~BoundAggregate() = default;
  virtual std::unique_ptr<AggregateState> make_state() const = 0;
  // Returns the aggregate whose states, given the same rows, give the results of this one and then
  // those of `other`; null when there is none.
  virtual std::shared_ptr<const BoundAggregate> joined(const BoundAggregate& /*other*/) const {
    return nullptr;
  }
};

struct BoundAggregateCall {
  std::vector<Type> results;                 // usually one; arg_max(x, a, b) has three
  std::vector<std::string> result_suffixes;  // names of further columns; empty for usual ones
  std::vector<Type> arguments;
  std::shared_ptr<const BoundAggregate> aggregate;
  // Arguments [settled_begin, settled_end) are constants that went into `aggregate`: its states do
  // not read them.
  std::size_t settled_begin = 0;
  std::size_t settled_end = 0;
};
using AggregateBindResult = std::variant<BoundAggregateCall, BindFailure>;

struct AggregateBindRequest {
  std::span<const Argument> arguments;
  const EvalContext& context;
  // Width of the group key bin(_time, …), where the summarize has one; for rate().
  std::optional<std::int64_t> bin_ns;
  // Names of the arguments, for results that mention their fields; may be empty.
  std::span<const std::string> argument_names{};
  // Name of the function's row, since several rows share a `bind`; bind_aggregate() sets it.
  std::string_view function{};
};

// Stands for the last argument's position, wherever that is.
inline constexpr std::size_t kLastArgument = static_cast<std::size_t>(-1);

struct AggregateFunction {
  std::string_view name;
  std::array<std::string_view, 3> aliases{};
  std::string_view summary;
  std::array<ParameterDoc, 8> params{};
  std::string_view returns{};
  std::array<Example, 4> examples{};
  AggregateBindResult (*bind)(const AggregateBindRequest& request) = nullptr;
  // Position of the bool argument of an …if form, which selects the rows. `bind` does not see it
  // and gets those rows only, unless the row reads it by itself.
  std::optional<std::size_t> predicate{};
  bool reads_predicate = false;
  std::uint8_t arguments_min = 0;
  std::uint8_t arguments_max = 255;
  bool order_sensitive = false;  // make_list, take_any: input must arrive in stream order
  std::string_view api_name{};   // "distinct" for dcount: the op name of API answers; may be empty
  // Number of leading arguments that an unnamed result is named after: covariance_x_y.
  std::uint8_t naming_arguments = 1;
  // Prefix of the result's name where the call uses an alias; empty: the alias.
  std::string_view alias_prefix{};
  // An unnamed result has its argument's name without the function's, unless an alias is called.
  bool keeps_names = false;
  // Results are values of the arguments; those that * chose keep the names of their fields.
  bool gives_fields = false;
};

}  // namespace evq

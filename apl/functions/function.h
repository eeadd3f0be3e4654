#pragma once
// The rows of the function tables. A scalar function is one row: its names, documentation,
// runnable examples, either typed overloads (made by lift<F>() from ordinary C++ functions,
// lift.h) or a `bind` function that chooses result type and implementation by itself, and what
// else the planner has to know of it. Help, manual, completion, "did you mean", the planner and the
// registry test read the same rows. Those of aggregates are in aggregate_function.h.
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
  // Of an optional one: a null is the same as to leave it out. Others make the result null.
  bool null_is_left_out = false;
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

// What the result of a call is called where the query gives it no name.
enum class ResultName : std::uint8_t {
  kNone,              // Column1, … as any expression
  kArgument,          // as the first argument: tostring(status) is status
  kFunctionArgument,  // dcount_hll(h) is dcount_hll_h
  kFieldOrDefault,    // as the field that the first argument names, else as the second argument
};

// What * among the arguments of a call stands for.
enum class StarArgument : std::uint8_t { kNothing, kValues, kNamesAndValues };

// What a value of a row is that depends on the rows around it, in an ordered stream.
enum class WindowKind : std::uint8_t {
  kRowNumber,
  kRowCumsum,
  kRowRankDense,
  kRowRankMin,
  kPrev,
  kNext,
  kRowWindowSession,
  kNear,  // for rows_near(), no function: whether a row that meets the condition is near
};

// What a comparison operator tests. mirrored() is the one that tests the same with its sides
// exchanged.
enum class Comparison : std::uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual
};
constexpr Comparison mirrored(Comparison comparison) {
  switch (comparison) {
    case Comparison::kLess:
      return Comparison::kGreater;
    case Comparison::kLessEqual:
      return Comparison::kGreaterEqual;
    case Comparison::kGreater:
      return Comparison::kLess;
    case Comparison::kGreaterEqual:
      return Comparison::kLessEqual;
    case Comparison::kEqual:
    case Comparison::kNotEqual:
      break;
  }
  return comparison;
}

// Of a search for a text: whether its first and its last term may be parts of longer terms.
struct OpenEnds {
  bool begin = false;
  bool end = false;
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
  // Internal function that takes the call's arguments and keys and gives a bag of these members
  // alone, which is as good as the call for whoever asks it for nothing else. May be empty.
  std::string_view members{};
  ResultName result_name = ResultName::kNone;
  StarArgument star = StarArgument::kNothing;
  // How many of the first arguments are texts: numbers, times and bools are taken for theirs.
  std::uint8_t texts_first = 0;
  // Kusto puts the text, which is the last of the required arguments here, before the others.
  bool kusto_text_first = false;
  // The first argument is a set of characters, where name_regex() has a regular expression.
  bool takes_character_set = false;
  // _time and _sysTime are null among the arguments where the rows have lost them.
  bool takes_lost_times = false;
  // The aggregation that is meant where a summarize calls this of a field. May be empty.
  std::string_view meant_aggregation{};
  std::optional<WindowKind> window{};  // planned as an operator over an ordered stream
  // Of operators: the symbol, where the name is another word, and what is compared or sought.
  std::string_view symbol{};
  std::optional<Comparison> comparison{};
  std::optional<OpenEnds> required_terms{};  // a match has the terms of the text that is sought
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

}  // namespace evq

#pragma once
// The rows of the aggregates' tables. An aggregate is one row, as a scalar function is
// (function.h): its names, documentation, examples, a `bind` function, and what else the planner
// has to know of it. Binding happens once a query and gives a BoundAggregate, which is immutable
// and shared; each worker makes a state of its own from it, adds its rows to that, and the states
// are merged and finished.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "apl/functions/function.h"
#include "store/column/vector.h"

namespace evq {

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
  // Copies what merge() left in the memory of others, so that this need not live on.
  virtual void own_shared() {}
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
  // Collects values of the argument into an array.
  bool collects_values = false;
  // Counts all rows: an argument is ignored, and * may stand in its place.
  bool ignores_argument = false;
  // Divides by the width of the time bins (AggregateBindRequest::bin_ns).
  bool reads_bin_width = false;
  // Some of the arguments are percentages, from 0 to 100.
  bool takes_percentages = false;
  // A cell of pivot without rows is zero, not null.
  bool zero_of_nothing = false;
  // 1 if only the rows with the largest first argument have a say in the result, -1 for the
  // smallest, 0 if all rows have.
  int extreme = 0;
  // Takes several fields from the first row of its group, whatever is in them; of a single field it
  // takes the first value that is not null.
  bool takes_first_row = false;
  // The aggregate that makes the result for several groups together of the results for each; empty
  // where only their rows give it.
  std::string_view over_groups{};
};

}  // namespace evq

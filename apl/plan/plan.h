#pragma once
// The logical plan: about a dozen node kinds that carry every operator of the language. Binding
// makes it from the AST, the optimiser rewrites it, the executor runs it, the printer shows it.
// Nodes know nothing of blocks or SQLite: a Scan names its table, for which the executor asks.
//
// Row order. A stream is either ordered (after Sort, TopN, Values, Window, Series) or natural.
// The natural order of a Scan is newest first: by `_time` descending, then by arrival descending.
// The binder keeps two hidden columns, kTimeColumn and kRowColumn, on every natural stream so that
// Limit, the end of the query and order-sensitive aggregates can become a TopN or Sort on them;
// column pruning drops them where nothing needs them. Hidden columns have names that no query and
// no event can have (kHiddenMark) and are never part of a result.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "apl/functions/linear_sum.h"
#include "apl/plan/expr.h"
#include "apl/plan/hidden_columns.h"
#include "apl/plan/table_source.h"
#include "store/column/ordering.h"
#include "store/column/table.h"

namespace evq::plan {

struct Node;
struct RowCells;
using NodePtr = std::unique_ptr<Node>;

// Reads fields of a dataset. Output: one column a ScanColumn, then nothing else.
struct ScanColumn {
  std::string field;  // name in the dataset, or kTimeColumn / kRowColumn
  Type type = Type::kNull;
  bool filter_only = false;  // nothing above the scan reads it: its values need not come out
};
struct Scan {
  TableRef table;
  std::vector<ScanColumn> columns;
  // Conjuncts over the output columns, in the order to evaluate; filled by pushing filters.
  std::vector<ExprPtr> filters;
  // Closed time range; blocks outside are skipped and rows outside are dropped.
  std::int64_t time_min = kUnboundedStart;
  std::int64_t time_max = kUnboundedEnd;
  // Half-open range of the order of arrival; other rows are dropped.
  std::uint64_t arrived_from = 0;
  std::uint64_t arrived_before = UINT64_MAX;
  bool counted = true;  // else another scan of the plan counts the rows, for the query's statistics
};

// range: one column, start, start + step, …; made chunk by chunk, so that its length costs nothing.
// Start and step are of the column's type; the step of datetimes is a timespan.
struct Sequence {
  Value start;
  Value step;
  std::uint64_t count = 0;
};

// Rows known at binding: print, datatable, getschema, folded subqueries.
struct ValuesNode {
  std::shared_ptr<const Table> table;
};

struct Filter {
  ExprPtr predicate;
  // Keeps what lies beyond the request's cursor: a mark of binding, which the optimiser drops.
  bool of_page = false;
};

struct Project {
  std::vector<ExprPtr> exprs;  // one an output column
};

// Several output columns from one text: parse, parse-where, parse-kv. Appends columns.
class Extractor {
 public:
  virtual ~Extractor() = default;
  // Returns one vector a produced column; `matched` gets 1 for rows of `source` that matched.
  virtual std::vector<Vector> extract(const EvalContext& context, const Vector& source,
                                      std::vector<std::uint8_t>* matched) const = 0;
  virtual std::string describe() const = 0;
};
struct Extract {
  ExprPtr source;
  std::shared_ptr<const Extractor> extractor;
  std::size_t produced = 0;     // columns appended
  bool drop_unmatched = false;  // parse-where
};

struct AggregateCall {
  const AggregateFunction* function = nullptr;
  BoundAggregateCall call;
  std::vector<std::size_t> args;  // input columns, already of the call's argument types
  std::string text;               // as written, for the printer
  LinearForm form{};              // applied to the one argument; see linear_sum.h
  std::shared_ptr<const RowCells> row_cells{};  // for a call that chooses rows by their places
};
// Output: the groups, then each aggregate's result columns. Without groups: one row.
struct Aggregate {
  std::vector<std::size_t> groups;  // input columns
  std::vector<AggregateCall> aggregates;
};

struct SortKey {
  std::size_t column = 0;
  SortOrder order;
};
struct Sort {
  std::vector<SortKey> keys;
  std::string_view asker = "sort";  // the operator that wants this order, for errors: a literal
};
struct Limit {
  std::uint64_t count = 0;
};
// Sort and Limit in one, a bounded heap. `keys` empty keeps the stream order. With `groups`, it is
// a limit for each group of rows that are equal in so many of the first keys.
struct TopN {
  std::vector<SortKey> keys;
  std::uint64_t count = 0;
  std::size_t groups = 0;
};
// Tells a Fetch which rows it may leave out: those not among the first of their group by any key.
struct RowCandidates {
  std::vector<std::size_t> groups;  // input columns
  std::vector<SortKey> keys;
  std::uint64_t count = 1;  // first rows of a group; rows equal to the last count, too
};
// Reads further fields of the same dataset for rows that carry kRowColumn: late materialisation
// after a sort, a TopN or an aggregation has told which rows are wanted. Appends the columns.
struct Fetch {
  TableRef table;
  std::size_t row_column = 0;
  std::vector<ScanColumn> columns;
  std::optional<RowCandidates> candidates{};
};

struct Sample {
  double probability = 0;  // chance of each row to stay
};

enum class JoinKind : std::uint8_t {
  kInner,
  kInnerUnique,  // for each left row the first matching right row only
  kLeftOuter,
  kRightOuter,
  kFullOuter,
  kLeftSemi,
  kLeftAnti,
};
// Inputs: left, right. Output: left columns, then right ones but for semi and anti joins. Those of
// the right side are bound the other way round.
struct Join {
  JoinKind kind = JoinKind::kInner;
  std::vector<std::size_t> left_keys;
  std::vector<std::size_t> right_keys;
  bool nulls_match = false;  // a null key matches a null key; never in a query's own join
};

// Inputs all have the node's schema (the binder aligned and cast them).
struct Union {};

// mv-expand: rows repeated per element of the expanded columns, which are replaced in place.
struct UnnestColumn {
  std::size_t column = 0;
  bool bag_as_array = false;  // kind=array: [key, value] instead of {key: value}
};
struct Unnest {  // each flag appends a column, in their order
  std::vector<UnnestColumn> columns;
  bool item_index = false;  // a long: the element's number
  std::optional<std::uint64_t> row_limit;
  bool row_place = false;    // a long: the input row, ascending in the order of the stream
  bool keeps_empty = false;  // a bool: false in the row kept, with nulls, of one without elements
};

// make-series, after its Aggregate: one input row per (group, bin); output one row per group with
// arrays. Input columns: groups…, axis, one per series.
struct Series {
  std::size_t group_count = 0;
  Type axis_type = Type::kDatetime;
  std::optional<std::int64_t> from;  // ns or integer; absent: first bin of the data
  std::optional<std::int64_t> to;    // exclusive
  std::int64_t step = 1;
  // For a real axis: the axis column counts steps of this width from this origin.
  double real_origin = 0;
  double real_step = 1;
  std::vector<Value> defaults;  // one a series; null allowed
  bool gives_axis = true;       // its array comes after those of the series
  bool nonempty = false;        // kind=nonempty: one default row for an empty input
};

// A call of a window function over an ordered stream: row_number, prev, next, row_cumsum, …
struct WindowCall {
  WindowKind kind = WindowKind::kRowNumber;
  std::vector<std::size_t> args;        // input columns
  std::optional<std::size_t> restart;   // bool input column
  std::int64_t offset = 1;              // prev, next, near ahead; row_number's start
  std::int64_t behind = 0;              // near: how many rows earlier
  std::int64_t max_distance_first = 0;  // row_window_session, ns
  std::int64_t max_distance_between = 0;
  Value fallback;  // prev, next outside the rows
  Type type = Type::kLong;

  // Returns how many of the rows after it the value of a row may depend on.
  std::uint64_t rows_ahead() const {
    const bool ahead = kind == WindowKind::kNext || kind == WindowKind::kNear;
    return ahead ? static_cast<std::uint64_t>(offset) : 0;
  }
};
// Appends one column a call.
struct Window {
  std::vector<WindowCall> calls;
};

// Runs a subplan once per group of rows with equal `keys` (partition), or per input row over its
// expanded rows (mv-apply): the subplan's Placeholder receives them; outputs are appended in group
// order. One Apply in another may read the rows of both.
struct Apply {
  std::uint64_t id = 0;  // number within the query, from 1
  std::vector<std::size_t> keys;
  bool per_row = false;             // mv-apply: inputs[0] gives rows, Unnest feeds the subplan
  std::optional<Unnest> unnest;     // mv-apply
  std::vector<std::size_t> passed;  // mv-apply: input columns repeated on the output
  std::shared_ptr<const Node> subplan;
};
struct Placeholder {
  std::uint64_t apply = 0;     // whose rows it stands for
  std::vector<bool> needed{};  // which of their columns are used; empty: all
};

class TableFunction;
struct Transform {
  std::shared_ptr<const TableFunction> function;
};

// A subplan evaluated once and read by several places (materialize, as, fork, facet, top-nested).
struct Shared {
  std::shared_ptr<const Node> plan;
  bool stays = false;          // the optimiser has looked at it, and it is better evaluated once
  std::vector<bool> needed{};  // which columns this reader uses; empty: all
};

// Carries a rendering wish to the output: render timechart with (…).
struct RenderSpec {
  std::string kind;
  std::vector<std::pair<std::string, std::string>> properties;
};

using Operation = std::variant<Scan, Sequence, ValuesNode, Filter, Project, Extract, Aggregate,
                               Sort, Limit, TopN, Fetch, Sample, Join, Union, Unnest, Series,
                               Window, Apply, Placeholder, Transform, Shared>;

struct Node {
  Operation op;
  std::vector<NodePtr> inputs;
  Schema schema;  // of the output, hidden columns included
};

NodePtr make_node(Operation op, std::vector<NodePtr> inputs, Schema schema);
NodePtr clone(const Node& node);
// Whether `node` reads the rows of an Apply around it: then it has no output outside that Apply.
bool reads_placeholder(const Node& node);
// Whether `node` reads those of Apply number `apply`: then its output differs between its runs.
bool reads_placeholder(const Node& node, std::uint64_t apply);
bool scans(const Node& node);       // whether any of its output is made from a dataset's rows
bool makes_rows(const Node& node);  // or from rows that the query makes itself
bool draws(const Node& node);       // whether it may have other rows or values when it is run again

// A whole query, bound.
struct Plan {
  NodePtr root;
  std::vector<std::string> datasets;  // every dataset the query reads, in order of appearance
  // Datasets whose events are the rows of the answer, or what the rows are made of; not those that
  // only subqueries and right sides of joins read.
  std::vector<std::string> row_datasets;
  std::optional<RenderSpec> render;
  std::vector<std::string> warnings;  // ignored set options, constant-true filters, …
  // The shape of the answer is made from what follows.
  bool aggregated = false;                          // ends in summarize/count/distinct-like rows
  std::vector<std::string> group_names;             // of the last summarize
  std::optional<std::int64_t> bin_ns;               // width of its time bin
  std::int64_t bin_origin_ns = 0;                   // where one of those bins begins
  bool sorted = false;                              // by keys that the query names
  std::vector<std::pair<std::string, bool>> order;  // final order: column or key, descending
  struct ColumnOrigin {                             // one a visible result column
    std::string aggregate;  // API name of the aggregate that made it, or empty
    std::vector<std::string> fields;
    std::vector<Value> args;
  };
  std::vector<ColumnOrigin> origins;
  std::optional<std::uint64_t> explicit_limit;  // written in the query, smallest at the end
};

}  // namespace evq::plan

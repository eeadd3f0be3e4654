#pragma once
// Binding: from the tree of a query as written to the plan of what it means. Names are resolved
// against the tables and let statements, types and overloads chosen, every operator desugared to
// the plan's few nodes. All errors are kCompile with a span, a sentence and a hint
// (apl/syntax/diagnostics.h).

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apl/functions/json_path.h"
#include "apl/plan/plan.h"
#include "apl/plan/table_source.h"
#include "apl/syntax/ast.h"
#include "store/base/memory_budget.h"
#include "store/base/result.h"

namespace evq::plan {

// The natural order of events: by `_time`, then by arrival.
enum class EventOrder : std::uint8_t { kNewestFirst, kOldestFirst };

// A page boundary for the events that are the answer's rows: those beyond this row, in the
// direction of reading. Subqueries and right sides of joins read all.
struct CursorBound {
  std::int64_t time = 0;
  std::uint64_t ordinal = 0;
  bool descending = true;
  bool inclusive = false;
};

// Runs a subplan while binding: toscalar(…), in ((…)), and plugins whose columns depend on data.
class SubqueryRunner {
 public:
  virtual ~SubqueryRunner() = default;
  virtual Result<Table> run(const Node& node) = 0;
};

// The place of a column's value by a mapping: a path, an ordinal, or else the constant itself.
struct ExternalPlace {
  std::optional<JsonPath> path;        // into a JSON value: $.a.b
  std::optional<std::size_t> ordinal;  // in a record, from 0 on
  std::string constant;
};

// The request of an externaldata operator.
struct ExternalRequest {
  std::vector<std::string> columns;
  std::vector<std::string> locations;
  std::string format;  // lower case; empty: told by the location's name
  bool ignore_first_record = false;
  // One a column, null for a column without one; empty when there is no mapping.
  std::vector<std::optional<ExternalPlace>> mapping;
};

// Reads the rows of an externaldata operator, from files and addresses the caller may refuse.
class ExternalReader {
 public:
  virtual ~ExternalReader() = default;
  // Reads one column for each name asked for, strings as they are written or dynamic values; the
  // binder converts them to the types wanted.
  virtual Result<Table> read(const ExternalRequest& request) = 0;
};

struct BindOptions {
  EvalContext context;
  // Limit of an answer of events when the query has no limit of its own; nullopt: unlimited.
  std::optional<std::uint64_t> default_limit;
  // Limit that applies besides the query's own.
  std::optional<std::uint64_t> request_limit;
  // The order of an answer that the query leaves unsorted.
  EventOrder event_order = EventOrder::kNewestFirst;
  // Such an order by fields and whether each is descending; a field other than `_time` that the
  // answer does not have is kUsage.
  std::vector<std::pair<std::string, bool>> default_order;
  std::optional<CursorBound> cursor;
  // Half-open range of the order of arrival, for the same events as the cursor.
  std::uint64_t arrived_from = 0;
  std::uint64_t arrived_before = UINT64_MAX;
  std::string current_cursor;  // what cursor_current() gives
  // Names with values that the query may use like lets; its own lets win.
  std::map<std::string, Value, std::less<>> variables;
  SubqueryRunner* subqueries = nullptr;  // null: such queries are refused
  ExternalReader* external = nullptr;    // null: externaldata is refused
  MemoryLease* held = nullptr;           // charged for what the plan holds; may be null
  bool delete_only = false;              // only where and search are allowed

  // Whether the request is for a page, or a range of arrival, instead of the whole answer.
  bool takes_part() const {
    return cursor.has_value() || arrived_from != 0 || arrived_before != UINT64_MAX;
  }
};

// Binds `query`, which must outlive the call only.
Result<Plan> bind_query(const ast::Query& query, TableSource& tables, const BindOptions& options);

}  // namespace evq::plan

#pragma once
// Plain request and answer structs, one pair an operation, shared by the command line and HTTP.
// Times given by users stay text here (RFC 3339, now, now-6h, -7d, epoch numbers) and are resolved
// by the service against one clock reading a request.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/base/control.h"
#include "store/base/limits.h"
#include "store/column/chunk.h"
#include "store/column/schema.h"
#include "store/column/value.h"
#include "store/row_id.h"

namespace evq {

// ---- query

struct OrderItem {
  std::string field;
  bool descending = false;
};

// Values of names that a query uses and does not define.
using QueryVariables = std::map<std::string, Value, std::less<>>;

struct QueryRequest {
  std::string apl;
  std::optional<std::string> start_time;  // closed range; absent: unbounded
  std::optional<std::string> end_time;
  std::optional<std::uint64_t> limit;          // request limit
  std::optional<std::uint64_t> default_limit;  // when the query has none; absent: unlimited
  std::optional<std::uint64_t> rows_max;       // server cap
  std::optional<std::int64_t> auto_bins;       // most bins of bin_auto(), up to kAutoBinsMax
  std::optional<std::string> cursor;
  // Asks for the next page by the cursor: refused where pages would not be the whole answer cut up.
  bool pages = false;
  // Restricts events to those that arrived in this range; with any but the full range the query
  // must read one dataset. What a dataset holds now ends at Service::arrival_end.
  ArrivalRange arrivals;
  // The cursor stands for when its row arrived: the page begins with what arrived later, whatever
  // its time. See arrival_page.h.
  bool by_arrival = false;
  bool include_cursor = false;        // the cursor's own row belongs to the page
  bool include_cursor_field = false;  // API answers of events: a `_cursor` column
  bool ascending = false;             // order of an answer that the query does not sort
  // Order of such an answer by these fields in turn; one that the answer does not have is refused,
  // but for `_time`. A series comes in the order of its intervals whatever is asked here.
  std::vector<OrderItem> default_order;
  // An item of the API's defaultOrder.
  void order_by_default(std::string_view field, bool descending) {
    ascending = ascending || (field == "_time" && !descending);
    default_order.push_back({std::string(field), descending});
  }
  QueryVariables variables;
  // Adds what API answers tell besides rows: the origin of each, what is known of the columns that
  // are fields, and the totals of a summarize by time bin.
  bool api_form = false;
  bool system_times = false;  // adds that of each row, for which blocks may have to be read
  // The sink keeps rows beyond push(), so that they stay charged. Where rows come in order, an
  // answer whose rows are not kept takes no more memory than some of them.
  bool keeps_rows = true;
  bool exact_matches = false;  // rows_matched counts the whole range, not only what was read
  std::size_t memory_limit_bytes = 0;  // 0: the service's
  std::int64_t timeout_ms = 0;         // 0: the service's
  bool optimize = true;
  // Tests: names of optimiser passes to leave out.
  std::vector<std::string_view> passes_off{};
  bool force_flat = false;   // tests: no dictionary reaches an operator
  bool force_parts = false;  // tests: groups are merged in parts however few they are
  // Tests: most rows that are read of a block, fetched, or handed on by who holds all, at a time.
  std::optional<std::size_t> rows_at_once{};
  std::optional<std::size_t> join_left_rows;  // tests: so many are held first; absent: it depends
  std::optional<std::int64_t> now_ns;         // what now() is; absent: the clock
  // Whether the caller may read a dataset; empty: all. Asked for every dataset of the bound query.
  std::function<bool(const std::string& dataset)> may_read;
  QueryControl* control = nullptr;  // for cancelling; may be null
};

// A field of a dataset as answers describe it.
struct FieldMeta {
  std::string name;
  std::string type;  // "integer|float" for a field of several
  std::string unit;
  std::string description;
  bool hidden = false;
};

// What is known of an answer before its first row.
struct ResultHeader {
  Schema schema;  // visible columns only
  std::vector<std::string> datasets;
  std::vector<std::vector<FieldMeta>> fields_meta;  // API answers, by dataset: its fields
  std::int64_t range_start_ns = 0;                  // INT64_MIN/INT64_MAX when unbounded
  std::int64_t range_end_ns = 0;
  std::vector<OrderItem> order;
  bool aggregated = false;
  std::vector<std::string> group_names;
  std::optional<std::int64_t> bin_ns;  // of a summarize by time bin
  std::int64_t bin_origin_ns = 0;      // where one of those bins begins
  // The time bin's column when totals follow: they have every column but this one.
  std::optional<std::size_t> totals_without;
  struct Origin {           // of each column; `aggregate` empty for fields
    std::string aggregate;  // op name of API answers: count, distinct, …; may be empty
    std::vector<std::string> fields;
    std::vector<Value> args;
    bool is_aggregate = false;
  };
  std::vector<Origin> origins;
  std::string render_kind;  // `render timechart`; empty: none
  std::vector<std::pair<std::string, std::string>> render_properties;
  std::vector<std::string> warnings;
  // Is QueryRequest::default_limit where nothing else bounds the rows: an answer of so many may
  // lack some (ended_by_default_limit).
  std::optional<std::uint64_t> default_limit;
  // Keeps the rows charged to the memory budget: for a sink that keeps chunks beyond the call.
  std::shared_ptr<const void> charge;
  // The request's, which outlives the answer; null where it has none.
  const QueryControl* control = nullptr;
  // Whether the rows are still wanted, kCancelled or kTimeout if not. A sink asks for every piece
  // of text that it makes: rows that share a long value are small until they are text.
  Status check() const { return control != nullptr ? control->check() : Status::success(); }
};

// What is known of an answer after its last row.
struct QueryStatus {
  std::int64_t elapsed_us = 0;  // at least 1
  std::uint64_t rows = 0;       // given to the sink
  std::uint64_t rows_examined = 0;
  std::uint64_t rows_matched = 0;
  std::uint64_t blocks_total = 0;
  std::uint64_t blocks_examined = 0;
  std::uint64_t blocks_matched = 0;
  std::uint64_t blocks_cached = 0;
  std::uint64_t groups = 0;
  bool is_partial = false;
  std::int64_t min_block_time_ns = 0;
  std::int64_t max_block_time_ns = 0;
  // Oldest and newest row of the page, the request's cursor for an empty page, or "".
  std::string min_cursor;
  std::string max_cursor;
  std::size_t memory_peak_bytes = 0;
};

inline bool ended_by_default_limit(const ResultHeader& header, const QueryStatus& status) {
  return header.default_limit.has_value() && status.rows >= *header.default_limit;
}

// The origin of a row of an answer.
struct RowOrigin {
  RowId id;
  std::int64_t sys_time = 0;  // when the request asks for it
  std::uint64_t dataset = 0;  // of its cursor
};

// Takes an answer: begin, then chunks in order, then totals if there are any, then end, unless an
// error ends the query.
class ResultSink {
 public:
  virtual ~ResultSink() = default;
  virtual Status begin(const ResultHeader& header) = 0;
  // Takes rows; `origins` has one a row in an API answer of events of one dataset, else none.
  virtual Status push(const Chunk& rows, std::span<const RowOrigin> origins) = 0;
  virtual Status push_totals(const Chunk& /*rows*/) { return Status::success(); }
  virtual Status end(const QueryStatus& status) = 0;
};

// Drops the rows, for whoever wants to know that a query runs, and what it cost.
class DroppedAnswer final : public ResultSink {
 public:
  Status begin(const ResultHeader& /*header*/) override { return Status::success(); }
  Status push(const Chunk& /*rows*/, std::span<const RowOrigin> /*origins*/) override {
    return Status::success();
  }
  Status end(const QueryStatus& status) override {
    status_ = status;
    return Status::success();
  }
  const QueryStatus& status() const { return status_; }

 private:
  QueryStatus status_;
};

// ---- delete

struct DeleteRequest {
  std::string apl;  // only where and search
  std::optional<std::string> start_time;
  std::optional<std::string> end_time;
  QueryVariables variables;
  bool commit = false;
  std::function<bool(const std::string& dataset)> may_delete;
  QueryControl* control = nullptr;
};

struct DeleteResponse {
  std::string dataset;
  bool dry_run = true;
  std::uint64_t rows_matched = 0;
  std::uint64_t rows_deleted = 0;
  std::uint64_t blocks_deleted = 0;
  std::optional<std::int64_t> first_matched_ns;
  std::optional<std::int64_t> last_matched_ns;
};

}  // namespace evq

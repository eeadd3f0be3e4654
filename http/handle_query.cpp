// APL queries: both formats, both paths. An answer is complete before its first byte is sent,
// because its status comes first.

#include <algorithm>
#include <optional>

#include "apl/service/arrival_page.h"
#include "apl/service/result_writer.h"
#include "http/api.h"
#include "http/legacy_query.h"
#include "http/limits.h"
#include "http/otlp.h"
#include "http/query_answer.h"
#include "http/wire.h"
#include "store/base/limits.h"
#include "store/base/time.h"
#include "store/base/timespan.h"
#include "store/block/format.h"

namespace evq {
namespace {

// Keeps the status of an answer, which is not told that it has ended.
class StatusTap final : public ResultSink {
 public:
  explicit StatusTap(ResultSink& next) : next_(next) {}
  Status begin(const ResultHeader& header) override { return next_.begin(header); }
  Status push(const Chunk& rows, std::span<const RowOrigin> origins) override {
    return next_.push(rows, origins);
  }
  Status push_totals(const Chunk& rows) override { return next_.push_totals(rows); }
  Status end(const QueryStatus& ended) override {
    status = ended;
    return Status::success();
  }

  QueryStatus status;

 private:
  ResultSink& next_;
};

class NoSink final : public ResultSink {
 public:
  Status begin(const ResultHeader& /*header*/) override { return Status::success(); }
  Status push(const Chunk& /*rows*/, std::span<const RowOrigin> /*origins*/) override {
    return Status::success();
  }
  Status end(const QueryStatus& status) override {
    rows_matched = status.rows_matched;
    return Status::success();
  }
  std::uint64_t rows_matched = 0;
};

// The rows that match over the whole range, which a page of it does not see itself.
Result<std::uint64_t> count_without_cursor(Api& api, QueryRequest query) {
  query.cursor.reset();
  query.by_arrival = false;
  query.exact_matches = true;
  query.limit = 1;
  query.api_form = false;
  NoSink sink;
  EVQ_TRY(api.service.query(query, sink));
  return sink.rows_matched;
}

// How long `streaming-duration` lets an empty answer wait; 0 without it, and for auto, which leaves
// it to the server. kUsage for what is no time to wait.
Result<std::int64_t> streaming_ns(const HttpRequest& request) {
  const std::string_view text = request.parameter("streaming-duration").value_or("");
  if (text.empty() || text == "auto") {
    return 0;
  }
  const std::optional<std::int64_t> span = parse_timespan(text);
  if (!span.has_value() || *span < 0) {
    return make_error(ErrorCode::kUsage,
                      "streaming-duration must be a time to wait, such as 5s or 1m30s, or auto");
  }
  return std::min<std::int64_t>(*span, kHttpStreamMsMax * kMillisecondNs);
}

// Whether a query is for whoever watches a dataset and asks again with the cursor of the last event
// that came. Oldest first says so; other orders are of what there is when the query is asked.
bool is_watched(const LegacyQuery& query) {
  const bool by_time = std::ranges::count_if(query.order, [](const OrderItem& item) {
                         return !item.field.empty();
                       }) == 1;
  return by_time && query.aggregations.empty() && query.group_by.empty() &&
         std::ranges::any_of(query.order, [](const OrderItem& item) {
           return item.field == kTimeField && !item.descending;
         });
}

// Notes the fields of the dataset and which of them are maps: those that are declared, and the one
// of events of OTLP, which is a map without that. None of a dataset that cannot be read: the query
// says so.
Status note_fields(Api& api, std::string_view name, LegacyQuery* query) {
  EVQ_TRY_ASSIGN(std::optional<DatasetDefinition> dataset, api.definitions().find_dataset(name));
  if (!dataset.has_value()) {
    return Status::success();
  }
  query->maps = std::move(dataset->map_fields);
  const Result<std::vector<FieldInfo>> fields = api.store().fields(name);
  if (!fields.ok()) {
    return Status::success();
  }
  for (const FieldInfo& field : *fields) {
    query->fields.push_back(field.name);
  }
  std::ranges::sort(query->fields);
  if (std::ranges::binary_search(query->fields, kOtlpCustomField)) {
    query->maps.emplace_back(kOtlpCustomField);
  }
  return Status::success();
}

}  // namespace

Result<QueryAnswer> run_query(Api& api, const HttpRequest& request, QueryRequest query,
                              std::shared_ptr<ApiAnswer> answer, bool waits) {
  query.rows_max = kResultRowsMax;
  if (query.limit.has_value()) {
    query.default_limit.reset();
  } else {
    query.default_limit = query.default_limit.value_or(kResultRowsDefault);
  }
  query.api_form = true;
  query.pages = true;
  query.keeps_rows = false;
  const bool is_page = query.by_arrival || !query.cursor.value_or("").empty();
  query.exact_matches = !is_page;  // the page may end where it is full: counted below
  query.control = request.control;
  query.may_read = [&](const std::string& dataset) {
    return request.identity.may(dataset, "query", "read");
  };
  StatusTap tap(*answer);
  Status asked =
      query.by_arrival ? query_by_arrival(api.service, query, tap) : api.service.query(query, tap);
  const bool waits_on = waits && asked.ok() && tap.status.rows == 0;
  api.metrics.queries.fetch_add(waits_on ? 0 : 1);
  EVQ_TRY(std::move(asked));
  api.metrics.rows_examined.fetch_add(tap.status.rows_examined);
  // A page without rows that waits for some is asked for again soon, and its status goes nowhere.
  if (is_page && (tap.status.rows > 0 || !waits)) {
    EVQ_TRY_ASSIGN(tap.status.rows_matched, count_without_cursor(api, query));
  }
  EVQ_TRY(answer->end(tap.status));
  return QueryAnswer{std::move(answer), tap.status.rows};
}

Result<HttpResponse> send_answer(const std::shared_ptr<ApiAnswer>& answer) {
  HttpResponse response;
  EVQ_TRY_ASSIGN(const bool more, answer->next(&response.body));
  if (more) {
    response.rest = [answer](std::string* piece) { return answer->next(piece); };
  }
  return response;
}

void add_history_id(const HttpRequest& request, HttpResponse* response) {
  if (!request.parameter("saveAsKind").value_or("").empty() && response->status == 200) {
    response->headers.emplace_back("X-Axiom-History-Query-Id", make_uuid());
  }
}

Result<HttpResponse> handle_apl_query(Api& api, HttpRequest& request) {
  if (request.body.empty()) {
    return error_response(422, "the request has no body: send {\"apl\":\"['dataset'] | …\"}");
  }
  const std::string_view format = request.parameter("format").value_or("legacy");
  if (format != "tabular" && format != "legacy") {
    return make_error(ErrorCode::kUsage, "format must be tabular or legacy");
  }
  EVQ_TRY_ASSIGN(const std::string body, request.body.text());
  EVQ_TRY_ASSIGN(QueryRequest query, read_query_body(body));
  if (!query.cursor.has_value() || query.cursor->empty()) {
    const auto cursor = request.parameter("cursor");
    if (cursor.has_value() && !cursor->empty()) {
      query.cursor = std::string(*cursor);
    }
  }
  query.system_times = format == "legacy";
  const Result<QueryAnswer> answer = run_query(
      api, request, query,
      format == "tabular" ? make_tabular_answer(api.answers) : make_legacy_answer(api.answers));
  if (!answer.ok()) {
    return response_of_error(answer.error(), query.apl);
  }
  EVQ_TRY_ASSIGN(HttpResponse response, send_answer(answer->answer));
  add_history_id(request, &response);
  return response;
}

Result<HttpResponse> handle_legacy_query(Api& api, HttpRequest& request) {
  if (request.body.empty()) {
    return error_response(422, "the request has no body");
  }
  constexpr std::int64_t kPollMs = 100;
  EVQ_TRY_ASSIGN(const std::string body, request.body.text());
  EVQ_TRY_ASSIGN(LegacyQuery legacy, read_legacy_body(body));
  EVQ_TRY_ASSIGN(const std::int64_t wait_ns, streaming_ns(request));
  EVQ_TRY(note_fields(api, request.argument("dataset"), &legacy));
  QueryRequest query;
  EVQ_TRY_ASSIGN(const LegacyApl apl, legacy_apl(request.argument("dataset"), legacy));
  query.apl = apl.text;
  query.start_time = legacy.start_time;
  if (wait_ns == 0) {
    query.end_time = legacy.end_time;  // a stream goes on past it
  }
  LegacyForm form{.bare = true, .operations = apl.aggregations, .groups_max = std::nullopt};
  if (legacy.aggregations.empty()) {
    query.limit = legacy.limit;
  } else {
    form.groups_max = legacy.limit;  // a series has more rows than groups
  }
  query.system_times = std::ranges::any_of(legacy.virtual_fields, [](const auto& virtual_field) {
    return virtual_field.first == kSysTimeField;
  });
  query.cursor = legacy.cursor;
  query.include_cursor = legacy.include_cursor;
  // Of several datasets only their times tell which event is the newer one.
  const bool one_dataset = request.argument("dataset").find('*') == std::string::npos;
  query.by_arrival = wait_ns > 0 && one_dataset && is_watched(legacy);
  const bool waits = monotonic_now_ns() - request.received_ns < wait_ns;
  // Nothing that arrived: the answer is the one before.
  std::optional<std::uint64_t> arrivals;
  if (waits && one_dataset) {
    if (const auto end = api.service.arrival_end(request.argument("dataset")); end.ok()) {
      arrivals = *end;
    }
    if (request.empty_answer != nullptr && arrivals == request.arrivals_seen) {
      return HttpResponse(*request.empty_answer);
    }
  }
  const Result<QueryAnswer> answer =
      run_query(api, request, query, make_legacy_answer(api.answers, std::move(form)), waits);
  if (!answer.ok()) {
    return response_of_error(legacy_error(apl, answer.error()), {});
  }
  EVQ_TRY_ASSIGN(HttpResponse response, send_answer(answer->answer));
  add_history_id(request, &response);
  if (answer->rows == 0 && waits) {
    response.again_ms = kPollMs;
    if (arrivals.has_value() && !response.rest) {
      request.empty_answer = std::make_shared<HttpResponse>(response);
      request.arrivals_seen = *arrivals;
    }
  }
  return response;
}

}  // namespace evq

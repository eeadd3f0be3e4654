// APL queries: both formats, both paths. The answer is whole before its first byte is sent, because
// its status comes first; the server's row limit bounds it.

#include <algorithm>
#include <optional>

#include "apl/service/result_writer.h"
#include "http/api.h"
#include "http/legacy_query.h"
#include "http/query_answer.h"
#include "http/wire.h"
#include "store/base/limits.h"
#include "store/base/time.h"
#include "store/base/timespan.h"

namespace evq {
namespace {

// Hands everything on and keeps the status. With `rows_matched` that number is told instead of the
// page's own.
class StatusTap final : public ResultSink {
 public:
  StatusTap(ResultSink& next, QueryStatus* status, std::optional<std::uint64_t> rows_matched)
      : next_(next), status_(status), rows_matched_(rows_matched) {}
  Status begin(const ResultHeader& header) override { return next_.begin(header); }
  Status push(const Chunk& rows, std::span<const RowId> ids) override {
    return next_.push(rows, ids);
  }
  Status end(const QueryStatus& status) override {
    *status_ = status;
    status_->rows_matched = rows_matched_.value_or(status.rows_matched);
    return next_.end(*status_);
  }

 private:
  ResultSink& next_;
  QueryStatus* status_;
  std::optional<std::uint64_t> rows_matched_;
};

class NoSink final : public ResultSink {
 public:
  Status begin(const ResultHeader& /*header*/) override { return Status::success(); }
  Status push(const Chunk& /*rows*/, std::span<const RowId> /*ids*/) override {
    return Status::success();
  }
  Status end(const QueryStatus& status) override {
    rows_matched = status.rows_matched;
    return Status::success();
  }
  std::uint64_t rows_matched = 0;
};

// The rows that match over the whole range, which a page behind a cursor does not see itself.
Result<std::uint64_t> count_without_cursor(Api& api, QueryRequest query) {
  query.cursor.reset();
  query.limit = 1;
  query.row_ids = false;
  NoSink sink;
  EVQ_TRY(api.service.query(query, sink));
  return sink.rows_matched;
}

// How long `streaming-duration` lets an empty answer wait; 0 without it.
std::int64_t streaming_ns(const HttpRequest& request) {
  const auto text = request.parameter("streaming-duration");
  if (!text.has_value()) {
    return 0;
  }
  const std::optional<std::int64_t> span = parse_go_duration(*text);
  return std::clamp<std::int64_t>(span.value_or(0), 0, kHttpStreamMsMax * kMillisecondNs);
}

}  // namespace

Result<HttpResponse> answer_query(Api& api, HttpRequest& request, QueryRequest query,
                                  ResultFormat format, QueryStatus* status_out) {
  query.rows_max = kResultRowsMax;
  query.default_limit = query.default_limit.value_or(kResultRowsDefault);
  query.row_ids = true;
  query.exact_matches = true;
  query.memory_limit_bytes = api.options.memory_limit_bytes;
  query.control = request.control;
  query.may_read = [&](const std::string& dataset) {
    return request.identity.may(dataset, "query", "read");
  };
  HttpResponse response;
  const std::unique_ptr<ResultSink> writer =
      make_result_writer(format, [&](std::string_view bytes) {
        response.body.append(bytes);
        return Status::success();
      });
  api.metrics.queries.fetch_add(1);
  std::optional<std::uint64_t> rows_matched;
  if (!query.cursor.value_or("").empty()) {
    const Result<std::uint64_t> counted = count_without_cursor(api, query);
    if (!counted.ok()) {
      return response_of_error(counted.error(), query.apl);
    }
    rows_matched = counted.value();
  }
  QueryStatus ended;
  StatusTap tap(*writer, &ended, rows_matched);
  const Status status = api.service.query(query, tap);
  api.metrics.rows_examined.fetch_add(ended.rows_examined);
  if (status_out != nullptr) {
    *status_out = ended;
  }
  if (!status.ok()) {
    return response_of_error(status.error(), query.apl);
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
  ResultFormat format = ResultFormat::kLegacy;
  const std::string_view name = request.parameter("format").value_or("legacy");
  if (name == "tabular") {
    format = ResultFormat::kTabular;
  } else if (name != "legacy") {
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
  EVQ_TRY_ASSIGN(HttpResponse response, answer_query(api, request, std::move(query), format));
  add_history_id(request, &response);
  return response;
}

Result<HttpResponse> handle_legacy_query(Api& api, HttpRequest& request) {
  if (request.body.empty()) {
    return error_response(422, "the request has no body");
  }
  constexpr std::int64_t kPollMs = 100;
  EVQ_TRY_ASSIGN(const std::string body, request.body.text());
  EVQ_TRY_ASSIGN(const LegacyQuery legacy, read_legacy_body(body));
  const std::int64_t wait_ns = streaming_ns(request);
  QueryRequest query;
  EVQ_TRY_ASSIGN(query.apl, legacy_apl(request.argument("dataset"), legacy));
  query.start_time = legacy.start_time;
  if (wait_ns == 0) {
    query.end_time = legacy.end_time;  // a stream goes on past it
  }
  query.limit = legacy.limit;
  query.cursor = legacy.cursor;
  query.include_cursor = legacy.include_cursor;
  QueryStatus status;
  EVQ_TRY_ASSIGN(HttpResponse response,
                 answer_query(api, request, std::move(query), ResultFormat::kLegacy, &status));
  const bool waited = monotonic_now_ns() - request.received_ns >= wait_ns;
  if (response.status == 200 && status.rows == 0 && !waited) {
    response.again_ms = kPollMs;
  }
  add_history_id(request, &response);
  return response;
}

}  // namespace evq

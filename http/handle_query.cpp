// APL queries: both formats, both paths. The answer is whole before its first byte is sent, because
// its status comes first; the server's row limit bounds it.

#include "apl/service/result_writer.h"
#include "http/api.h"
#include "http/query_answer.h"
#include "http/wire.h"
#include "store/base/limits.h"

namespace evq {

Result<HttpResponse> answer_query(Api& api, HttpRequest& request, QueryRequest query,
                                  ResultFormat format) {
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
  const Status status = api.service.query(query, *writer);
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

}  // namespace evq

// POST /v1/query/batch: several APL queries, answered as server-sent events in the order asked, one
// event a query: {"queryId":…,"kind":"apl","data":…}, or with "error" in the place of "data". Those
// of metrics ("mpl") are not answered: there are none in a store of events.

#include <utility>

#include "http/api.h"
#include "http/limits.h"
#include "http/long_list.h"
#include "http/parameters.h"
#include "http/query_answer.h"
#include "http/wire.h"
#include "store/base/json_writer.h"

namespace evq {
namespace {

constexpr std::size_t kConcurrencyDefault = 10;

std::string event_head(const BatchItem& item, std::string_view member) {
  std::string text = "data: ";
  JsonWriter json(text);
  json.begin_object();
  json.key("queryId");
  json.string(item.id);
  json.key("kind");
  json.string(item.of_metrics ? "mpl" : "apl");
  json.key(member);
  return text;
}

// Appends an event: its head, and the answer that is no longer needed then. `control`, which may be
// null, ends the copying: an answer may be long.
Status append_event(std::string_view head, ApiAnswer* answer, const QueryControl* control,
                    SpooledText* events) {
  events->tail(0).append(head);
  std::string piece;  // an answer adds nothing to a text that is as long as a piece
  for (bool more = answer != nullptr; more; piece.clear()) {
    EVQ_TRY(control != nullptr ? control->check() : Status());
    EVQ_TRY_ASSIGN(more, answer->next(&piece));
    events->tail(0).append(piece);
    EVQ_TRY(events->settle(0));
  }
  events->tail(0).append("}\n\n");
  return events->settle(0);
}

}  // namespace

Result<HttpResponse> handle_batch_query(Api& api, HttpRequest& request) {
  if (request.body.empty()) {
    return error_response(422, "the request has no body");
  }
  EVQ_TRY_ASSIGN(
      const std::size_t concurrency,
      count_parameter(request, "maxConcurrency", kConcurrencyDefault, kHttpBatchConcurrencyMax));
  if (concurrency == 0) {
    return make_error(ErrorCode::kUsage, "maxConcurrency must be at least 1");
  }
  EVQ_TRY_ASSIGN(const std::string body, request.body.text());
  EVQ_TRY_ASSIGN(std::vector<BatchItem> items, read_batch_body(body));
  if (items.size() > kHttpBatchQueriesMax) {
    return make_error(ErrorCode::kUsage,
                      "a batch has at most " + std::to_string(kHttpBatchQueriesMax) + " queries");
  }
  const auto events = std::make_shared<SpooledText>(api.answers, 1);
  for (BatchItem& item : items) {
    if (item.of_metrics) {
      const std::string refused = error_response(404, "there are no metrics here: ask in APL").body;
      EVQ_TRY(append_event(event_head(item, "error") + refused, nullptr, nullptr, events.get()));
      continue;
    }
    if (request.control != nullptr) {
      request.control->restart();  // the limit is that of a query
    }
    const Result<QueryAnswer> made =
        run_query(api, request, item.query, make_tabular_answer(api.answers));
    if (made.ok()) {
      if (request.control != nullptr) {
        request.control->restart();  // copying its answer takes none of its time
      }
      EVQ_TRY(append_event(event_head(item, "data"), made->answer.get(), request.control,
                           events.get()));
      continue;
    }
    if (request.control != nullptr && request.control->cancelled()) {
      return made.error();
    }
    const std::string error = response_of_error(made.error(), item.query.apl).body;
    EVQ_TRY(append_event(event_head(item, "error") + error, nullptr, nullptr, events.get()));
  }
  EVQ_TRY_ASSIGN(HttpResponse response, send_spooled(events));
  response.content_type = "text/event-stream";
  return response;
}

}  // namespace evq

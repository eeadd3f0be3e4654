// POST /v1/query/batch: several APL queries, answered as server-sent events in the order asked, one
// event a query: {"queryId":…,"kind":"apl","data":…}, or with "error" in the place of "data". Those
// of metrics ("mpl") are not answered: there are none in a store of events.

#include <utility>

#include "apl/service/answer_parts.h"
#include "http/api.h"
#include "http/limits.h"
#include "http/query_answer.h"
#include "http/wire.h"
#include "store/base/json_writer.h"

namespace evq {
namespace {

constexpr std::size_t kConcurrencyDefault = 10;

// An event's text around its answer.
struct BatchEvent {
  std::string head;
  std::shared_ptr<ApiAnswer> answer;  // null: the head says it all
};

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

// The events one after the other, a piece at a time.
class BatchStream {
 public:
  explicit BatchStream(std::vector<BatchEvent> events) : events_(std::move(events)) {}

  Result<bool> next(std::string* out) {
    while (at_ < events_.size() && out->size() < kAnswerPieceBytes) {
      BatchEvent& event = events_[at_];
      out->append(std::exchange(event.head, {}));
      bool more = false;
      if (event.answer != nullptr) {
        EVQ_TRY_ASSIGN(more, event.answer->next(out));
      }
      if (!more) {
        out->append("}\n\n");
        event.answer.reset();
        ++at_;
      }
    }
    return at_ < events_.size();
  }

 private:
  std::vector<BatchEvent> events_;
  std::size_t at_ = 0;
};

}  // namespace

Result<HttpResponse> handle_batch_query(Api& api, HttpRequest& request) {
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
  std::vector<BatchEvent> events;
  for (BatchItem& item : items) {
    if (item.of_metrics) {
      const std::string refused = error_response(404, "there are no metrics here: ask in APL").body;
      events.push_back({event_head(item, "error") + refused, nullptr});
      continue;
    }
    if (request.control != nullptr) {
      request.control->restart();  // the limit is that of a query
    }
    const Result<QueryAnswer> made =
        run_query(api, request, item.query, make_tabular_answer(api.answers));
    if (made.ok()) {
      events.push_back({event_head(item, "data"), made->answer});
      continue;
    }
    if (request.control != nullptr && request.control->cancelled()) {
      return made.error();
    }
    const std::string error = response_of_error(made.error(), item.query.apl).body;
    events.push_back({event_head(item, "error") + error, nullptr});
  }
  const auto stream = std::make_shared<BatchStream>(std::move(events));
  HttpResponse response;
  response.content_type = "text/event-stream";
  EVQ_TRY_ASSIGN(const bool more, stream->next(&response.body));
  if (more) {
    response.rest = [stream](std::string* piece) { return stream->next(piece); };
  }
  return response;
}

}  // namespace evq

// What prompts and editors ask about a query that is being written: is it one, what does it cost,
// and what may stand at this place? All see the datasets that the token may query. They are evq's
// own, not Axiom's.

#include "apl/service/completion.h"
#include "http/api.h"
#include "http/wire.h"

namespace evq {
namespace {

std::function<bool(const std::string&)> readable(const HttpRequest& request) {
  return [&request](const std::string& dataset) {
    return request.identity.may(dataset, "query", "read");
  };
}

// `tell` makes the text of the request's query.
Result<HttpResponse> answer_with_plan(
    HttpRequest& request, const std::function<Result<std::string>(const QueryRequest&)>& tell) {
  EVQ_TRY_ASSIGN(const std::string body, request.body.text());
  EVQ_TRY_ASSIGN(QueryRequest query, read_query_body(body));
  query.may_read = readable(request);
  query.control = request.control;
  const Result<std::string> plan = tell(query);
  return plan.ok() ? json_response(write_plan(plan.value()))
                   : response_of_error(plan.error(), query.apl);
}

}  // namespace

Result<HttpResponse> handle_check(Api& api, HttpRequest& request) {
  return answer_with_plan(request,
                          [&](const QueryRequest& query) { return api.service.explain(query); });
}

Result<HttpResponse> handle_profile(Api& api, HttpRequest& request) {
  return answer_with_plan(request,
                          [&](const QueryRequest& query) { return api.service.profile(query); });
}

Result<HttpResponse> handle_complete(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const std::string body, request.body.text());
  EVQ_TRY_ASSIGN(const CompletionPlace place, read_completion_body(body));
  const std::unique_ptr<CompletionSource> source =
      store_completion_source(api.service, readable(request));
  return json_response(
      write_completion(Completer(*source).complete(place.apl, place.cursor, request.control)));
}

}  // namespace evq

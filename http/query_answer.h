#pragma once
// How a query becomes an answer, for the APL and the legacy endpoint alike: limits, permissions of
// every dataset it reads, row ids for cursors.

#include "apl/service/result_writer.h"
#include "http/api.h"

namespace evq {

// Fills in what the server decides and runs the query. A query that fails gives the error object
// with its place in the text.
// `status`, when given, is what the query ended with.
Result<HttpResponse> answer_query(Api& api, HttpRequest& request, QueryRequest query,
                                  ResultFormat format, QueryStatus* status = nullptr);
// X-Axiom-History-Query-Id, when the request asked for its query to be remembered.
void add_history_id(const HttpRequest& request, HttpResponse* response);

}  // namespace evq

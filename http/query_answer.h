#pragma once
// How a query becomes an answer, for the APL, the legacy and the batch endpoint alike: limits,
// permissions of every dataset it reads, where rows come from.

#include <cstdint>
#include <memory>

#include "apl/service/result_writer.h"
#include "http/api.h"

namespace evq {

struct QueryAnswer {
  std::shared_ptr<ApiAnswer> answer;
  std::uint64_t rows = 0;
};

// Fills in what the server decides and runs the query into `answer`. Errors are for
// response_of_error, which shows their place in the text. When it `waits`, an answer without rows
// is not the last one.
Result<QueryAnswer> run_query(Api& api, const HttpRequest& request, QueryRequest query,
                              std::shared_ptr<ApiAnswer> answer, bool waits = false);
// A response that reads the answer while it is sent. kIo.
Result<HttpResponse> send_answer(const std::shared_ptr<ApiAnswer>& answer);
// X-Axiom-History-Query-Id, when the request asked for its query to be remembered.
void add_history_id(const HttpRequest& request, HttpResponse* response);

}  // namespace evq

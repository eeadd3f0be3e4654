// Deletes of blocks. Either of two permissions is enough: datasets|update of the organization,
// whose holder may shorten any dataset's retention and so delete as much, and data|delete on the
// dataset, for tokens that are to delete from that one and change nothing else.

#include "http/api.h"
#include "http/wire.h"

namespace evq {

Result<HttpResponse> handle_delete(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const std::string body, request.body.text());
  EVQ_TRY_ASSIGN(DeleteRequest remove, read_delete_body(body));
  remove.control = request.control;
  remove.may_delete = [&](const std::string& dataset) {
    return request.identity.may_organization("datasets", "update") ||
           request.identity.may(dataset, "data", "delete");
  };
  const Result<DeleteResponse> removed = api.service.remove(remove);
  if (!removed.ok()) {
    return response_of_error(removed.error(), remove.apl);
  }
  return json_response(write_delete_response(removed.value()));
}

}  // namespace evq

// The one user and the one organization of a store, in the form that clients expect.

#include "http/api.h"
#include "http/router.h"
#include "http/wire_resources.h"
#include "store/base/json_writer.h"

namespace evq {
namespace {

// Clients of /v2 refuse members that they do not know; those of /v1 need the list of addresses. The
// role is a text there, and the permissions, which are required, are none by name: it is the role
// that may do everything.
std::string user_text(std::string_view pattern) {
  return std::string(R"({"id":"owner","name":"owner","email":"owner@localhost",)") +
         (pattern.starts_with("/v1/")
              ? R"("emails":["owner@localhost"],"role":"owner","permissions":[]})"
              : R"("role":{"id":"owner","name":"Owner"}})");
}

Result<std::string> organization_text(Api& api) {
  EVQ_TRY_ASSIGN(const std::string id, organization_id(api.definitions()));
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  for (const char* name : {"id", "name", "slug"}) {
    json.key(name);
    json.string(id);
  }
  json.key("role");
  json.string("owner");
  json.key("plan");
  json.string("comped");
  json.key("paymentStatus");
  json.string("na");
  json.key("primaryEmail");
  json.string("owner@localhost");
  json.end_object();
  return text;
}

}  // namespace

Result<HttpResponse> handle_user(Api& /*api*/, HttpRequest& request) {
  return json_response(user_text(request.route->pattern));
}

Result<HttpResponse> handle_user_list(Api& /*api*/, HttpRequest& request) {
  return json_response("[" + user_text(request.route->pattern) + "]");
}

Result<HttpResponse> handle_user_show(Api& /*api*/, HttpRequest& request) {
  if (request.argument("id") != "owner") {
    return make_error(ErrorCode::kNotFound, "user not found");
  }
  return json_response(user_text(request.route->pattern));
}

Result<HttpResponse> handle_organization_list(Api& api, HttpRequest& /*request*/) {
  EVQ_TRY_ASSIGN(const std::string text, organization_text(api));
  return json_response("[" + text + "]");
}

Result<HttpResponse> handle_organization_show(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const std::string id, organization_id(api.definitions()));
  if (request.argument("id") != id) {
    return make_error(ErrorCode::kNotFound, "organization not found");
  }
  EVQ_TRY_ASSIGN(std::string text, organization_text(api));
  return json_response(std::move(text));
}

Result<HttpResponse> handle_organization_set(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const std::string body, request.body.text());
  EVQ_TRY_ASSIGN(const std::string id, read_id_body(body));
  EVQ_TRY(set_organization_id(api.definitions(), id));
  api.auth.forget();
  EVQ_TRY_ASSIGN(std::string text, organization_text(api));
  return json_response(std::move(text));
}

}  // namespace evq

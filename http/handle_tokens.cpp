// Tokens over the API. Axiom's routes know API tokens only; evq's own also make, list and revoke
// personal ones, for whoever may do everything anyway. Nobody hands on more than they have, nor for
// longer than they have it.

#include <algorithm>

#include "http/api.h"
#include "http/long_list.h"
#include "http/wire_resources.h"
#include "store/base/time.h"

namespace evq {
namespace {

Status check_not_more(const Identity& giver, std::string_view capabilities) {
  EVQ_TRY_ASSIGN(const Capabilities wanted, parse_capabilities(capabilities));
  for (const auto& [dataset, resources] : wanted.datasets) {
    for (const auto& [resource, actions] : resources) {
      for (const std::string& action : actions) {
        if (!giver.may(dataset, resource, action)) {
          return permission_error(resource, action, dataset);
        }
      }
    }
  }
  for (const auto& [resource, actions] : wanted.organization) {
    for (const std::string& action : actions) {
      if (!giver.may_organization(resource, action)) {
        return permission_error(resource, action);
      }
    }
  }
  for (const auto& [view, resources] : wanted.views) {
    for (const auto& [resource, actions] : resources) {
      for (const std::string& action : actions) {
        if (!giver.may_view(view, resource, action)) {
          Error lacking = permission_error(resource, action);
          lacking.message += " on view " + view;
          return lacking;
        }
      }
    }
  }
  return Status::success();
}

// Whether a token may make this one.
Status check_handed_on(const Identity& giver, const TokenSpec& spec) {
  EVQ_TRY(check_not_more(giver, spec.personal ? full_capabilities() : spec.capabilities));
  const bool outlives =
      giver.expires.has_value() && spec.expires.value_or(INT64_MAX) > *giver.expires;
  return outlives ? Status(make_error(ErrorCode::kForbidden,
                                      "a token that expires makes none that lasts longer",
                                      "this one expires at " + instant_text(*giver.expires)))
                  : Status::success();
}

Error token_not_found() {
  return make_error(ErrorCode::kNotFound, "token not found");
}

Result<TokenRecord> api_token(Api& api, const HttpRequest& request) {
  EVQ_TRY_ASSIGN(TokenRecord token, find_token(api.definitions(), request.argument("id")));
  if (token.kind != "api") {
    return token_not_found();
  }
  return token;
}

}  // namespace

Result<HttpResponse> handle_token_list(Api& api, HttpRequest& /*request*/) {
  EVQ_TRY_ASSIGN(const std::vector<TokenRecord> tokens, api.definitions().tokens().list());
  LongList list(api);
  for (const TokenRecord& token : tokens) {
    if (token.kind == "api") {
      EVQ_TRY(list.add(write_token(token)));
    }
  }
  return list.response();
}

Result<HttpResponse> handle_token_create(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const std::string body, request.body.text());
  EVQ_TRY_ASSIGN(const TokenSpec spec, read_token_body(body));
  EVQ_TRY(check_handed_on(request.identity, spec));
  EVQ_TRY_ASSIGN(const CreatedToken created, create_token(api.definitions(), spec));
  api.auth.forget();
  return json_response(write_token(created.record, created.secret));
}

Result<HttpResponse> handle_token_show(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const TokenRecord token, api_token(api, request));
  return json_response(write_token(token));
}

Result<HttpResponse> handle_token_delete(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const TokenRecord token, api_token(api, request));
  EVQ_TRY(delete_token(api.definitions(), token.id));
  api.auth.forget();
  return no_content();
}

Result<HttpResponse> handle_token_regenerate(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const std::string text, request.body.text());
  EVQ_TRY_ASSIGN(const RegenerateBody body, read_regenerate_body(text));
  std::string secret;
  const auto replace = [&](TokenRecord* old) -> Result<TokenRecord> {
    if (old->kind != "api") {
      return token_not_found();
    }
    // The old one ends, whatever takes its place.
    EVQ_TRY(check_not_more(request.identity, old->capabilities));
    TokenSpec spec = body.replacement.value_or(
        TokenSpec{old->name, old->description, false, old->capabilities, std::nullopt});
    if (body.new_expires.has_value()) {
      spec.expires = body.new_expires;
    }
    EVQ_TRY(check_handed_on(request.identity, spec));
    EVQ_TRY_ASSIGN(CreatedToken created, make_token(spec, old));
    // Never later than before: that would hand on what the caller may not have.
    old->expires =
        std::min(old->expires.value_or(INT64_MAX), body.old_expires.value_or(wall_clock_now_ns()));
    secret = created.secret;
    return std::move(created.record);
  };
  EVQ_TRY_ASSIGN(const TokenRecord token,
                 api.definitions().tokens().replace(request.argument("id"), replace));
  api.auth.forget();
  return json_response(write_token(token, secret));
}

Result<HttpResponse> handle_any_token_list(Api& api, HttpRequest& /*request*/) {
  EVQ_TRY_ASSIGN(const std::vector<TokenRecord> tokens, api.definitions().tokens().list());
  LongList list(api);
  for (const TokenRecord& token : tokens) {
    EVQ_TRY(list.add(write_any_token(token)));
  }
  return list.response();
}

Result<HttpResponse> handle_any_token_create(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const std::string body, request.body.text());
  EVQ_TRY_ASSIGN(const TokenSpec spec, read_any_token_body(body));
  EVQ_TRY(check_handed_on(request.identity, spec));
  EVQ_TRY_ASSIGN(const CreatedToken created, create_token(api.definitions(), spec));
  api.auth.forget();
  return json_response(write_token(created.record, created.secret));
}

Result<HttpResponse> handle_any_token_delete(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const TokenRecord token, find_token(api.definitions(), request.argument("id")));
  if (token.kind != "api") {
    EVQ_TRY(check_not_more(request.identity, full_capabilities()));
  }
  EVQ_TRY(delete_token(api.definitions(), token.id));
  api.auth.forget();
  return no_content();
}

}  // namespace evq

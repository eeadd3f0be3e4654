#include "http/token_store.h"

#include "http/auth.h"
#include "store/base/control.h"
#include "store/base/limits.h"

namespace evq {

Result<CreatedToken> create_token(Definitions& definitions, const TokenSpec& spec) {
  if (spec.name.empty() || spec.name.size() > kResourceNameBytesMax) {
    return make_error(ErrorCode::kUsage, "a token needs a name of at most " +
                                             std::to_string(kResourceNameBytesMax) + " bytes");
  }
  if (spec.description.size() > kResourceTextBytesMax) {
    return make_error(ErrorCode::kUsage, "the token's description is too long");
  }
  const std::int64_t now = wall_clock_now_ns();
  if (spec.expires.has_value() && *spec.expires <= now) {
    return make_error(ErrorCode::kUsage, "the token's expiry is in the past");
  }
  EVQ_TRY_ASSIGN(const Capabilities checked, parse_capabilities(spec.capabilities));
  static_cast<void>(checked);
  CreatedToken created;
  created.secret = make_token_secret(spec.personal);
  created.record.id = make_uuid();
  created.record.digest = token_digest(created.secret);
  created.record.name = spec.name;
  created.record.description = spec.description;
  created.record.kind = spec.personal ? "personal" : "api";
  created.record.capabilities = spec.personal ? std::string() : spec.capabilities;
  created.record.created = now;
  created.record.expires = spec.expires;
  EVQ_TRY(definitions.tokens().put(created.record));
  return created;
}

Result<TokenRecord> find_token(Definitions& definitions, std::string_view id) {
  EVQ_TRY_ASSIGN(const std::vector<TokenRecord> tokens, definitions.tokens().list());
  for (const TokenRecord& token : tokens) {
    if (token.id == id) {
      return token;
    }
  }
  return make_error(ErrorCode::kNotFound, "token not found");
}

Status delete_token(Definitions& definitions, std::string_view id) {
  EVQ_TRY_ASSIGN(const bool removed, definitions.tokens().remove(id));
  return removed ? Status::success() : Status(make_error(ErrorCode::kNotFound, "token not found"));
}

std::string full_capabilities() {
  const std::string crud = R"(["create","read","update","delete"])";
  std::string text = R"({"datasetCapabilities":{"*":{"ingest":["create"],"query":["read"],)"
                     R"("starredQueries":)" +
                     crud + R"(,"virtualFields":)" + crud +
                     R"(,"trim":["update"],"vacuum":["update"],"data":["delete"],)"
                     R"("share":["create","read","delete"]}},"orgCapabilities":{)";
  bool first = true;
  for (const char* name :
       {"annotations", "apiTokens", "dashboards", "datasets", "endpoints", "flows", "integrations",
        "monitors", "notifiers", "rbac", "users", "views"}) {
    text.append(first ? "\"" : ",\"").append(name).append("\":").append(crud);
    first = false;
  }
  return text + "}}";
}

}  // namespace evq

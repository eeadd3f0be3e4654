#include "http/token_store.h"

#include <algorithm>

#include "apl/syntax/diagnostics.h"
#include "http/auth.h"
#include "store/base/control.h"
#include "store/base/json_writer.h"
#include "store/base/limits.h"

namespace evq {
namespace {

// What permissions are about, and what may be allowed, as Axiom's API names them.
struct Resource {
  std::string_view name;
  std::string_view actions;  // with blanks between
  bool of_dataset = false;
};
constexpr std::string_view kAllActions = "create read update delete";
constexpr Resource kResources[] = {
    {"ingest", "create", true},
    {"query", "read", true},
    {"starredQueries", kAllActions, true},
    {"virtualFields", kAllActions, true},
    {"trim", "update", true},
    {"vacuum", "update", true},
    {"data", "delete", true},
    {"share", "create read delete", true},
    {"annotations", kAllActions},
    {"apiTokens", kAllActions},
    {"auditLog", "read"},
    {"billing", "read update"},
    {"dashboards", kAllActions},
    {"datasets", kAllActions},
    {"endpoints", kAllActions},
    {"flows", kAllActions},
    {"integrations", kAllActions},
    {"monitors", kAllActions},
    {"notifiers", kAllActions},
    {"rbac", kAllActions},
    {"sharedAccessKeys", "read update"},
    {"users", kAllActions},
    {"views", kAllActions},
};

std::vector<std::string_view> actions_of(const Resource& resource) {
  std::vector<std::string_view> actions;
  for (std::string_view rest = resource.actions; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    actions.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return actions;
}

}  // namespace

Result<CreatedToken> make_token(const TokenSpec& spec) {
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
  EVQ_TRY(parse_capabilities(spec.capabilities));
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
  return created;
}

Result<CreatedToken> create_token(Definitions& definitions, const TokenSpec& spec) {
  EVQ_TRY_ASSIGN(CreatedToken created, make_token(spec));
  EVQ_TRY(definitions.tokens().put(created.record));
  return created;
}

Result<std::optional<CreatedToken>> create_first_token(Definitions& definitions,
                                                       const TokenSpec& spec) {
  EVQ_TRY_ASSIGN(const std::vector<TokenRecord> tokens, definitions.tokens().list());
  if (!tokens.empty()) {
    return std::optional<CreatedToken>();
  }
  EVQ_TRY_ASSIGN(CreatedToken created, make_token(spec));
  EVQ_TRY_ASSIGN(const bool first, definitions.tokens().put_first(created.record));
  return first ? std::optional<CreatedToken>(std::move(created)) : std::nullopt;
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

Status check_permission(bool of_dataset, std::string_view resource, std::string_view action) {
  const std::string wanted = std::string(resource) + "|" + std::string(action);
  std::vector<std::string> names;
  std::string_view others;
  for (const Resource& row : kResources) {
    if (row.of_dataset != of_dataset) {
      continue;
    }
    others = row.name == resource ? row.actions : others;
    for (const std::string_view one : actions_of(row)) {
      names.push_back(std::string(row.name) + "|" + std::string(one));
    }
  }
  if (std::ranges::find(names, wanted) != names.end()) {
    return Status::success();
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string near = diag::did_you_mean(wanted, views);
  std::string hint = near.empty() ? "evq-http(7) lists what each endpoint needs" : near;
  if (!others.empty()) {
    hint = "what can be allowed of " + std::string(resource) + ": " + std::string(others);
  }
  return make_error(ErrorCode::kUsage, "there is no permission '" + wanted + "'", std::move(hint));
}

std::string full_capabilities() {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  for (const bool of_dataset : {true, false}) {
    json.key(of_dataset ? "datasetCapabilities" : "orgCapabilities");
    json.begin_object();
    if (of_dataset) {
      json.key("*");
      json.begin_object();
    }
    for (const Resource& row : kResources) {
      if (row.of_dataset != of_dataset) {
        continue;
      }
      json.key(row.name);
      json.begin_array();
      for (const std::string_view action : actions_of(row)) {
        json.string(action);
      }
      json.end_array();
    }
    json.end_object();
    if (of_dataset) {
      json.end_object();
    }
  }
  json.end_object();
  return text;
}

}  // namespace evq

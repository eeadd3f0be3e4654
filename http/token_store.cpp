#include "http/token_store.h"

#include <algorithm>

#include "apl/syntax/diagnostics.h"
#include "http/auth.h"
#include "http/framing.h"
#include "http/limits.h"
#include "store/base/control.h"
#include "store/base/json_writer.h"
#include "store/base/limits.h"

namespace evq {
namespace {

// What permissions are about, and what may be allowed, as Axiom's API names them.
struct Resource {
  std::string_view name;
  std::string_view actions;  // with blanks between
  PermissionOf of = PermissionOf::kOrganization;
};
constexpr std::string_view kAllActions = "create read update delete";
constexpr Resource kResources[] = {
    {"ingest", "create", PermissionOf::kDataset},
    {"query", "read", PermissionOf::kDataset},
    {"starredQueries", kAllActions, PermissionOf::kDataset},
    {"virtualFields", kAllActions, PermissionOf::kDataset},
    {"trim", "update", PermissionOf::kDataset},
    {"vacuum", "update", PermissionOf::kDataset},
    {"data", "delete", PermissionOf::kDataset},
    {"share", "create read delete", PermissionOf::kDataset},
    {"query", "read", PermissionOf::kView},
    {"share", "create read delete", PermissionOf::kView},
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

const Resource* find_resource(PermissionOf of, std::string_view name) {
  const auto* const found = std::ranges::find_if(
      kResources, [&](const Resource& row) { return row.of == of && row.name == name; });
  return found == std::end(kResources) ? nullptr : found;
}

// What can be allowed of that resource, or which resources there are.
std::string allowed_text(PermissionOf of, std::string_view resource) {
  std::string text = "what can be allowed of ";
  if (const Resource* known = find_resource(of, resource); known != nullptr) {
    return text.append(resource).append(": ").append(known->actions);
  }
  text += of == PermissionOf::kDataset ? "a dataset:"
          : of == PermissionOf::kView  ? "a view:"
                                       : "the organization:";
  for (const Resource& row : kResources) {
    if (row.of == of) {
      text.append(" ").append(row.name);
    }
  }
  return text;
}

Status check_actions(PermissionOf of, const std::string& member,
                     const Capabilities::Actions& resources) {
  for (const auto& [resource, actions] : resources) {
    const std::string allowed = allowed_text(of, resource);
    if (find_resource(of, resource) == nullptr) {
      return make_error(ErrorCode::kUsage, member + " knows no '" + resource + "'", allowed);
    }
    for (const std::string& action : actions) {
      if (const Status checked = check_permission(of, resource, action); !checked.ok()) {
        return make_error(ErrorCode::kUsage, member + ": " + checked.error().message, allowed);
      }
    }
  }
  return Status::success();
}

}  // namespace

Result<CreatedToken> make_token(const TokenSpec& spec, const TokenRecord* replaced) {
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
  const std::size_t known_bytes = replaced != nullptr ? replaced->capabilities.size() : 0;
  if (spec.capabilities.size() > std::max(kTokenCapabilitiesBytesMax, known_bytes)) {
    return make_error(ErrorCode::kUsage,
                      "the token's capabilities are longer than the limit of " +
                          size_text(kTokenCapabilitiesBytesMax),
                      "* stands for all datasets");
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

Status check_permission(PermissionOf of, std::string_view resource, std::string_view action) {
  const Resource* known = find_resource(of, resource);
  if (known != nullptr) {
    const std::vector<std::string_view> actions = actions_of(*known);
    if (std::ranges::find(actions, action) != actions.end()) {
      return Status::success();
    }
  }
  const std::string wanted = std::string(resource) + "|" + std::string(action);
  std::string hint;
  if (known == nullptr) {
    std::vector<std::string> names;
    for (const Resource& row : kResources) {
      for (const std::string_view one : actions_of(row)) {
        if (row.of == of) {
          names.push_back(std::string(row.name) + "|" + std::string(one));
        }
      }
    }
    const std::vector<std::string_view> views(names.begin(), names.end());
    hint = diag::did_you_mean(wanted, views);
  }
  return make_error(ErrorCode::kUsage, "there is no permission '" + wanted + "'",
                    hint.empty() ? allowed_text(of, resource) : hint);
}

Status check_capabilities(std::string_view json) {
  EVQ_TRY_ASSIGN(const Capabilities capabilities, parse_capabilities(json, OddViews::kRefused));
  for (const auto& [dataset, resources] : capabilities.datasets) {
    if (dataset != "*") {
      if (const Status name = check_dataset_name(dataset); !name.ok()) {  // no other will be there
        return make_error(name.error().code, "datasetCapabilities: " + name.error().message,
                          "* alone is all datasets; " + name.error().hint);
      }
    }
    EVQ_TRY(check_actions(PermissionOf::kDataset, "datasetCapabilities of '" + dataset + "'",
                          resources));
  }
  for (const auto& [view, resources] : capabilities.views) {
    EVQ_TRY(check_actions(PermissionOf::kView, "viewCapabilities of '" + view + "'", resources));
  }
  return check_actions(PermissionOf::kOrganization, "orgCapabilities", capabilities.organization);
}

std::string full_capabilities() {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  for (const PermissionOf of : {PermissionOf::kDataset, PermissionOf::kOrganization}) {
    const bool of_dataset = of == PermissionOf::kDataset;
    json.key(of_dataset ? "datasetCapabilities" : "orgCapabilities");
    json.begin_object();
    if (of_dataset) {
      json.key("*");
      json.begin_object();
    }
    for (const Resource& row : kResources) {
      if (row.of != of) {
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

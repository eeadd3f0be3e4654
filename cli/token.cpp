// evq token and evq org: who may use the HTTP API.

#include <map>

#include "cli/commands.h"
#include "cli/list_output.h"
#include "cli/open_service.h"
#include "cli/output.h"
#include "cli/remote_verbs.h"
#include "http/auth.h"
#include "http/token_store.h"
#include "http/wire_resources.h"
#include "store/base/json_writer.h"
#include "store/base/process.h"
#include "store/base/time.h"
#include "store/base/time_parse.h"
#include "store/definitions.h"

namespace evq {
namespace {

using ActionsByResource = std::map<std::string, std::vector<std::string>>;

void append_actions(JsonWriter* json, const ActionsByResource& resources) {
  json->begin_object();
  for (const auto& [resource, actions] : resources) {
    json->key(resource);
    json->begin_array();
    for (const std::string& action : actions) {
      json->string(action);
    }
    json->end_array();
  }
  json->end_object();
}

// --ingest D, --query D and --allow [DATASET:]RESOURCE|ACTION as the API's capabilities.
Result<std::string> capabilities_of(const TokenCommand& command) {
  std::map<std::string, ActionsByResource> datasets;
  ActionsByResource organization;
  for (const std::string& dataset : command.ingest) {
    datasets[dataset]["ingest"] = {"create"};
  }
  for (const std::string& dataset : command.query) {
    datasets[dataset]["query"] = {"read"};
  }
  for (const std::string& text : command.allow) {
    const std::size_t bar = text.rfind('|');
    const std::size_t colon = text.find(':');
    if (bar == std::string::npos || bar == 0 || bar + 1 == text.size()) {
      return make_error(ErrorCode::kUsage, "'" + text + "' is not a permission",
                        "write RESOURCE|ACTION or DATASET:RESOURCE|ACTION, such as "
                        "'datasets|update' or 'logs:starredQueries|update'");
    }
    const std::string action = text.substr(bar + 1);
    const bool names_dataset = colon != std::string::npos && colon < bar;
    const std::string resource =
        names_dataset ? text.substr(colon + 1, bar - colon - 1) : text.substr(0, bar);
    const bool of_dataset =
        names_dataset || check_permission(PermissionOf::kDataset, resource, action).ok();
    EVQ_TRY(check_permission(of_dataset ? PermissionOf::kDataset : PermissionOf::kOrganization,
                             resource, action));
    if (of_dataset) {
      datasets[names_dataset ? text.substr(0, colon) : "*"][resource].push_back(action);
    } else {
      organization[resource].push_back(action);
    }
  }
  if (datasets.empty() && organization.empty()) {
    return full_capabilities();
  }
  for (const auto& [dataset, resources] : datasets) {
    if (dataset != "*") {
      EVQ_TRY(check_dataset_name(dataset));  // no other will ever be there
    }
  }
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("datasetCapabilities");
  json.begin_object();
  for (const auto& [dataset, resources] : datasets) {
    json.key(dataset);
    append_actions(&json, resources);
  }
  json.end_object();
  json.key("orgCapabilities");
  append_actions(&json, organization);
  json.end_object();
  return text;
}

Result<TokenSpec> token_spec(const TokenCommand& command) {
  TokenSpec spec;
  spec.name = command.name;
  spec.description = command.description;
  spec.personal = command.personal;
  if (!command.expires.empty()) {
    spec.expires = parse_relative_time(command.expires, wall_clock_now_ns());
    if (!spec.expires.has_value()) {
      return make_error(ErrorCode::kUsage, "'" + command.expires + "' is not a time",
                        "write now+30d or 2030-01-01");
    }
  }
  if (!spec.personal) {
    EVQ_TRY_ASSIGN(spec.capabilities, capabilities_of(command));
  }
  return spec;
}

Status create(Definitions& definitions, const TokenCommand& command) {
  EVQ_TRY_ASSIGN(const TokenSpec spec, token_spec(command));
  EVQ_TRY_ASSIGN(const CreatedToken created, create_token(definitions, spec));
  Status printed = plain_sink()(created.secret + "\n");
  if (printed.ok()) {
    return printed;
  }
  // Nobody will ever know its secret.
  Error error = std::move(printed).take_error();
  const Status deleted = delete_token(definitions, created.record.id);
  error.hint = deleted.ok() ? "the token is deleted again"
                            : "the token " + created.record.id + " is there; delete it";
  return error;
}

Status list(Definitions& definitions, ListForm form) {
  EVQ_TRY_ASSIGN(const std::vector<TokenRecord> tokens, definitions.tokens().list());
  std::vector<std::string> items;
  items.reserve(tokens.size());
  for (const TokenRecord& token : tokens) {
    items.push_back(write_any_token(token));
  }
  if (form != ListForm::kTable) {
    return plain_sink()(items_text(items, form));
  }
  EVQ_TRY_ASSIGN(const std::string table, tokens_table(items));
  return plain_sink()(table);
}

Status manage(const GlobalOptions& global, const TokenCommand& command) {
  EVQ_TRY_ASSIGN(const std::unique_ptr<Service> service,
                 open_service(global, command.action == TokenAction::kCreate ? ServiceOptions()
                                                                             : existing_store()));
  Definitions& definitions = service->store().definitions();
  switch (command.action) {
    case TokenAction::kCreate:
      return create(definitions, command);
    case TokenAction::kDelete:
      return delete_token(definitions, command.id);
    case TokenAction::kList:
      break;
  }
  return list(definitions, list_form(command.output));
}

Status organize(const GlobalOptions& global, const OrganizationCommand& command) {
  EVQ_TRY_ASSIGN(const std::unique_ptr<Service> service,
                 open_service(global, command.sets_id ? ServiceOptions() : existing_store()));
  Definitions& definitions = service->store().definitions();
  if (command.sets_id) {
    EVQ_TRY(set_organization_id(definitions, command.id));
  }
  EVQ_TRY_ASSIGN(const std::string id, organization_id(definitions));
  return plain_sink()(id + "\n");
}

}  // namespace

int run_token(const GlobalOptions& global, const TokenCommand& command) {
  keep_memory_private();
  if (global.remote()) {
    const Result<TokenSpec> spec = token_spec(command);
    return spec.ok() ? run_remote_token(global, command, spec.value()) : report_error(spec.error());
  }
  Status status = manage(global, command);
  if (!status.ok()) {
    status = with_near_name(status.error(), command.id, {}, "evq token list");
  }
  return report_end(status);
}

int run_organization(const GlobalOptions& global, const OrganizationCommand& command) {
  if (global.remote()) {
    return run_remote_organization(global, command);
  }
  return report_end(organize(global, command));
}

}  // namespace evq

#include "cli/remote_verbs.h"

#include <utility>

#include "cli/list_output.h"
#include "cli/output.h"
#include "cli/remote_catalog.h"
#include "cli/store_tables.h"
#include "http/wire_answer.h"
#include "store/base/file.h"
#include "store/base/json_writer.h"
#include "store/base/percent_coding.h"

namespace evq {
namespace {

constexpr std::string_view kDatasetList = "evq dataset list";

std::string map_fields_path(const std::string& dataset) {
  return remote_dataset_path(dataset) + "/mapfields";
}

Result<std::vector<std::string>> remote_map_fields(RemoteServer& server,
                                                   const std::string& dataset) {
  EVQ_TRY_ASSIGN(const std::string answer, server.call("GET", map_fields_path(dataset)));
  return read_text_list(answer);
}

// What prints nothing when it has been done.
Result<std::string> quietly(const Result<std::string>& answer) {
  return answer.ok() ? Result<std::string>(std::string()) : answer;
}

Result<std::string> perform_dataset(RemoteServer& server, const DatasetCommand& command,
                                    const DisplayZone& zone) {
  switch (command.action) {
    case DatasetAction::kInfo: {
      EVQ_TRY_ASSIGN(const ListedDataset row, remote_dataset(server, command.name));
      return datasets_text({row}, single_form(command.output), zone);
    }
    case DatasetAction::kFields:
      return remote_fields_text(server, command.name, list_form(command.output));
    case DatasetAction::kCreate:
      return quietly(server.call("POST", "/v2/datasets",
                                 write_dataset_body(command.name, command.description)));
    case DatasetAction::kDelete:
      return quietly(server.call("DELETE", remote_dataset_path(command.name)));
    case DatasetAction::kListMapFields: {
      EVQ_TRY_ASSIGN(const std::vector<std::string> names, remote_map_fields(server, command.name));
      return items_text(names, ListForm::kNdjson);
    }
    case DatasetAction::kAddMapField:
      return quietly(
          server.call("POST", map_fields_path(command.name), write_name_body(command.field)));
    case DatasetAction::kRemoveMapField:
      return quietly(server.call(
          "DELETE", map_fields_path(command.name) + "/" + percent_encode(command.field)));
    case DatasetAction::kList:
      break;
  }
  return remote_datasets_text(server, list_form(command.output), zone);
}

Result<std::string> list_starred(RemoteServer& server, const std::string& output) {
  EVQ_TRY_ASSIGN(const std::vector<StoredObject> objects, remote_saved_queries(server));
  const ListForm form = list_form(output);
  if (form == ListForm::kTable) {
    return saved_queries_table(objects);
  }
  std::vector<std::string> items;
  items.reserve(objects.size());
  for (const StoredObject& object : objects) {
    items.push_back(object.body);
  }
  return items_text(items, form);
}

// A server replaces what is there. What is not there evq saves under this id, others under their
// own.
Result<std::string> put_starred_remotely(RemoteServer& server, const GlobalOptions& global,
                                         const StarredCommand& command) {
  EVQ_TRY_ASSIGN(const std::string body, starred_body(global, command));
  auto answer = server.call("PUT", remote_starred_path(command.id), body);
  if (!answer.ok() && answer.error().code == ErrorCode::kNotFound) {
    return server.call("POST", "/v2/apl-starred-queries?id=" + percent_encode(command.id), body);
  }
  return answer;
}

// With its last line ended.
Result<std::string> ended_line(Result<std::string> answer) {
  if (answer.ok() && !answer->empty() && !answer->ends_with('\n')) {
    answer->push_back('\n');
  }
  return answer;
}

Result<std::string> perform_starred(RemoteServer& server, const GlobalOptions& global,
                                    const StarredCommand& command) {
  switch (command.action) {
    case StarredAction::kPut:
      return ended_line(put_starred_remotely(server, global, command));
    case StarredAction::kGet:
      return ended_line(server.call("GET", remote_starred_path(command.id)));
    case StarredAction::kDelete:
      return ended_line(server.call("DELETE", remote_starred_path(command.id)));
    case StarredAction::kList:
    case StarredAction::kRun:  // is starred.cpp's
      break;
  }
  return list_starred(server, command.output);
}

std::string token_body(const TokenSpec& spec) {
  std::string body;
  JsonWriter json(body);
  json.begin_object();
  json.key("name");
  json.string(spec.name);
  json.key("description");
  json.string(spec.description);
  if (spec.expires.has_value()) {
    json.key("expiresAt");
    json.instant(*spec.expires);
  }
  if (spec.personal) {
    json.key("personal");
    json.boolean(true);
    json.end_object();
    return body;
  }
  json.end_object();
  // The members of the capabilities are members of the body.
  body.pop_back();
  return body + "," + spec.capabilities.substr(1);
}

bool is_missing(const Result<std::string>& answer) {
  return !answer.ok() && answer.error().code == ErrorCode::kNotFound;
}

// evq's own routes know tokens of both kinds; those of Axiom do for servers without them.
Result<std::string> list_tokens(RemoteServer& server, const TokenCommand& command) {
  Result<std::string> answer = server.call("GET", "/v1/_tokens");
  if (is_missing(answer)) {
    answer = server.call("GET", "/v2/tokens");
  }
  EVQ_TRY_ASSIGN(const std::string list, std::move(answer));
  EVQ_TRY_ASSIGN(const std::vector<std::string> items, read_json_list(list));
  const ListForm form = list_form(command.output);
  return form == ListForm::kTable ? tokens_table(items) : items_text(items, form);
}

Result<std::string> delete_remote_token(RemoteServer& server, const std::string& id) {
  Result<std::string> answer = server.call("DELETE", "/v2/tokens/" + percent_encode(id));
  if (!is_missing(answer)) {
    return answer;
  }
  Result<std::string> other = server.call("DELETE", "/v1/_tokens/" + percent_encode(id));
  return is_missing(other) ? answer : other;
}

Result<std::string> create_remote_token(RemoteServer& server, const TokenSpec& spec) {
  Result<std::string> answer =
      server.call("POST", spec.personal ? "/v1/_tokens" : "/v2/tokens", token_body(spec));
  if (spec.personal && is_missing(answer)) {
    return make_error(
        ErrorCode::kUnsupported, "this server makes no personal tokens",
        "an evq store makes one where it is: evq --store DIR token create --personal");
  }
  EVQ_TRY_ASSIGN(const std::string created, std::move(answer));
  EVQ_TRY_ASSIGN(const std::string secret, read_text_member(created, "token"));
  return secret + "\n";
}

Result<std::string> perform_token(RemoteServer& server, const TokenCommand& command,
                                  const TokenSpec& spec) {
  switch (command.action) {
    case TokenAction::kCreate:
      return create_remote_token(server, spec);
    case TokenAction::kDelete:
      return delete_remote_token(server, command.id);
    case TokenAction::kList:
      break;
  }
  return list_tokens(server, command);
}

Result<std::string> set_organization(RemoteServer& server, const std::string& id) {
  std::string body;
  JsonWriter json(body);
  json.begin_object();
  json.key("id");
  json.string(id);
  json.end_object();
  Result<std::string> answer = server.call("POST", "/v1/_set_org", body);
  if (is_missing(answer)) {
    return make_error(ErrorCode::kUnsupported, "this server does not let its id be chosen",
                      "an evq store does where it is: evq --store DIR org set ID");
  }
  EVQ_TRY_ASSIGN(const std::string organization, std::move(answer));
  EVQ_TRY_ASSIGN(const std::string chosen, read_text_member(organization, "id"));
  return chosen + "\n";
}

// The server says what is missing, but neither of what name nor which is near.
Error near_dataset(RemoteServer& server, Error error, const std::string& name) {
  if (error.code != ErrorCode::kNotFound || !error.hint.empty()) {
    return error;
  }
  if (error.message == "dataset not found") {
    error.message = "dataset '" + name + "' not found";
  }
  const auto names = remote_dataset_names(server);
  return with_near_name(std::move(error), name,
                        names.ok() ? names.value() : std::vector<std::string>(), kDatasetList);
}

// Missing is the field, or the dataset.
Error near_map_field(RemoteServer& server, Error error, const DatasetCommand& command) {
  if (error.code != ErrorCode::kNotFound) {
    return error;
  }
  const auto fields = remote_map_fields(server, command.name);
  if (!fields.ok() && fields.error().code == ErrorCode::kNotFound) {
    return near_dataset(server, std::move(error), command.name);
  }
  return with_near_name(std::move(error), command.field,
                        fields.ok() ? fields.value() : std::vector<std::string>(),
                        "evq dataset map-field list " + command.name);
}

// Opens the server and prints what `answer` gives.
template <class Answer>
int print_answer(const GlobalOptions& global, std::string_view list_command, Answer&& answer) {
  auto server = RemoteServer::open(global);
  if (!server.ok()) {
    return report_error(server.error());
  }
  const Result<std::string> text = answer(*server.value());
  return text.ok() ? print_data(text.value())
                   : report_error(with_near_name(text.error(), "", {}, list_command));
}

}  // namespace

Result<std::optional<std::uint64_t>> count_remote_events(const GlobalOptions& global,
                                                         const std::string& dataset) {
  EVQ_TRY_ASSIGN(const std::unique_ptr<RemoteServer> server, RemoteServer::open(global));
  const auto answer = remote_dataset(*server, dataset);
  if (!answer.ok()) {
    return near_dataset(*server, answer.error(), dataset);
  }
  const std::optional<DatasetStats>& stats = answer.value().stats;
  return stats.has_value() ? std::optional(stats->rows) : std::nullopt;
}

int run_remote_dataset(const GlobalOptions& global, const DatasetCommand& command) {
  return print_answer(global, kDatasetList, [&](RemoteServer& server) -> Result<std::string> {
    auto answer = perform_dataset(server, command, global.zone);
    if (answer.ok()) {
      return answer;
    }
    const bool of_field = command.action == DatasetAction::kAddMapField ||
                          command.action == DatasetAction::kRemoveMapField;
    return of_field ? near_map_field(server, answer.error(), command)
                    : near_dataset(server, answer.error(), command.name);
  });
}

int run_remote_starred(const GlobalOptions& global, const StarredCommand& command) {
  return print_answer(global, "evq starred list", [&](RemoteServer& server) -> Result<std::string> {
    auto text = perform_starred(server, global, command);
    return is_missing(text)
               ? near_saved_query(text.error(), command.id, remote_saved_queries(server))
               : std::move(text);
  });
}

int run_remote_compact(const GlobalOptions& global, const StoreCommand& command) {
  return print_answer(global, kDatasetList, [&](RemoteServer& server) -> Result<std::string> {
    std::vector<std::string> names = {command.dataset};
    if (command.dataset.empty()) {
      EVQ_TRY_ASSIGN(names, remote_dataset_names(server));
    }
    for (const std::string& name : names) {
      const auto done = server.call("POST", remote_dataset_path(name) + "/vacuum");
      if (is_missing(done) && command.dataset.empty()) {
        continue;  // deleted since it was listed
      }
      if (!done.ok()) {
        return near_dataset(server, done.error(), name);
      }
    }
    return std::string();
  });
}

int run_remote_token(const GlobalOptions& global, const TokenCommand& command,
                     const TokenSpec& spec) {
  return print_answer(global, "evq token list",
                      [&](RemoteServer& server) { return perform_token(server, command, spec); });
}

int run_remote_organization(const GlobalOptions& global, const OrganizationCommand& command) {
  return print_answer(global, "evq org", [&](RemoteServer& server) -> Result<std::string> {
    if (command.sets_id) {
      return set_organization(server, command.id);
    }
    EVQ_TRY_ASSIGN(const std::string answer, server.call("GET", "/v2/orgs"));
    EVQ_TRY_ASSIGN(const std::vector<std::string> items, read_json_list(answer));
    std::string text;
    for (const std::string& item : items) {
      EVQ_TRY_ASSIGN(const std::string id, read_text_member(item, "id"));
      text += id + "\n";
    }
    return text;
  });
}

}  // namespace evq

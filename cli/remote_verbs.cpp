#include "cli/remote_verbs.h"

#include <utility>

#include "cli/list_output.h"
#include "cli/output.h"
#include "cli/remote_catalog.h"
#include "cli/store_tables.h"
#include "http/wire_answer.h"
#include "store/base/control.h"
#include "store/base/file.h"
#include "store/base/json_writer.h"
#include "store/base/time.h"
#include "store/base/time_parse.h"

namespace evq {
namespace {

constexpr std::string_view kDatasetList = "evq dataset list";
constexpr std::size_t kBodyBytesMax = std::size_t{1} << 20U;

Result<std::string> describe_datasets(RemoteServer& server, const DatasetCommand& command,
                                      const DisplayZone& zone) {
  std::vector<std::string> names = {command.name};
  ListForm form = list_form(command.output);
  if (command.action == "list") {
    EVQ_TRY_ASSIGN(names, remote_dataset_names(server));
  } else if (form == ListForm::kJson) {
    form = ListForm::kNdjson;  // one object stands alone
  }
  return remote_datasets_text(server, names, form, zone);
}

Result<std::string> change_dataset(RemoteServer& server, const DatasetCommand& command) {
  const std::string path = remote_dataset_path(command.name);
  if (command.action == "create") {
    return server.call("POST", "/v2/datasets",
                       write_dataset_body(command.name, command.description));
  }
  if (command.action == "delete") {
    return server.call("DELETE", path);
  }
  return command.map_action == "add"
             ? server.call("POST", path + "/mapfields", write_name_body(command.field))
             : server.call("DELETE", path + "/mapfields/" + encode_url_text(command.field));
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

// A server replaces what is there; what is not there it saves under an id of its own.
Result<std::string> put_starred_remotely(RemoteServer& server, const StarredCommand& command) {
  const bool standard = command.file.empty() || command.file == "-";
  EVQ_TRY_ASSIGN(const std::string body, standard ? read_standard_input(kBodyBytesMax)
                                                  : read_whole_file(command.file, kBodyBytesMax));
  auto answer = server.call("PUT", remote_starred_path(command.id), body);
  if (!answer.ok() && answer.error().code == ErrorCode::kNotFound) {
    return server.call("POST", "/v2/apl-starred-queries", body);
  }
  return answer;
}

Result<std::string> perform_starred(RemoteServer& server, const StarredCommand& command) {
  if (command.action == "list") {
    return list_starred(server, command.output);
  }
  EVQ_TRY_ASSIGN(std::string text, command.action == "put"
                                       ? put_starred_remotely(server, command)
                                       : server.call(command.action == "delete" ? "DELETE" : "GET",
                                                     remote_starred_path(command.id)));
  if (!text.empty() && !text.ends_with('\n')) {
    text.push_back('\n');
  }
  return text;
}

Result<std::string> token_body(const TokenCommand& command, const std::string& capabilities) {
  std::string body;
  JsonWriter json(body);
  json.begin_object();
  json.key("name");
  json.string(command.name);
  json.key("description");
  json.string(command.description);
  if (!command.expires.empty()) {
    const auto expires = parse_relative_time(command.expires, wall_clock_now_ns());
    if (!expires.has_value()) {
      return make_error(ErrorCode::kUsage, "'" + command.expires + "' is not a time",
                        "write now+30d or 2030-01-01");
    }
    json.key("expiresAt");
    json.instant(*expires);
  }
  json.end_object();
  // The members of the capabilities are members of the body.
  body.pop_back();
  return body + "," + capabilities.substr(1);
}

Result<std::string> perform_token(RemoteServer& server, const TokenCommand& command,
                                  const std::string& capabilities) {
  if (command.action == "delete") {
    return server.call("DELETE", "/v2/tokens/" + encode_url_text(command.id));
  }
  if (command.action == "list") {
    EVQ_TRY_ASSIGN(const std::string answer, server.call("GET", "/v2/tokens"));
    EVQ_TRY_ASSIGN(const std::vector<std::string> items, read_json_list(answer));
    const ListForm form = list_form(command.output);
    return form == ListForm::kTable ? tokens_table(items) : items_text(items, form);
  }
  if (command.personal) {
    return make_error(ErrorCode::kUnsupported,
                      "personal tokens are made where the server's store is");
  }
  EVQ_TRY_ASSIGN(const std::string body, token_body(command, capabilities));
  EVQ_TRY_ASSIGN(const std::string answer, server.call("POST", "/v2/tokens", body));
  EVQ_TRY_ASSIGN(const std::string secret, read_text_member(answer, "token"));
  return secret + "\n";
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

int run_remote_dataset(const GlobalOptions& global, const DatasetCommand& command) {
  return print_answer(global, kDatasetList, [&](RemoteServer& server) -> Result<std::string> {
    if (command.action == "fields") {
      return remote_fields_text(server, command.name, list_form(command.output));
    }
    if (command.action == "list" || command.action == "info") {
      return describe_datasets(server, command, global.zone);
    }
    EVQ_TRY_ASSIGN(const std::string answer, change_dataset(server, command));
    return std::string();
  });
}

int run_remote_starred(const GlobalOptions& global, const StarredCommand& command) {
  return print_answer(global, "evq starred list",
                      [&](RemoteServer& server) { return perform_starred(server, command); });
}

int run_remote_compact(const GlobalOptions& global, const StoreCommand& command) {
  return print_answer(global, kDatasetList, [&](RemoteServer& server) -> Result<std::string> {
    std::vector<std::string> names = {command.dataset};
    if (command.dataset.empty()) {
      EVQ_TRY_ASSIGN(names, remote_dataset_names(server));
    }
    for (const std::string& name : names) {
      EVQ_TRY_ASSIGN(const std::string done,
                     server.call("POST", remote_dataset_path(name) + "/vacuum"));
    }
    return std::string();
  });
}

int run_remote_token(const GlobalOptions& global, const TokenCommand& command,
                     const std::string& capabilities) {
  return print_answer(global, "evq token list", [&](RemoteServer& server) {
    return perform_token(server, command, capabilities);
  });
}

int run_remote_organization(const GlobalOptions& global, const OrganizationCommand& command) {
  return print_answer(global, "evq org", [&](RemoteServer& server) -> Result<std::string> {
    if (!command.id.empty()) {
      return make_error(ErrorCode::kUnsupported, "evq org set works on a local store only");
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

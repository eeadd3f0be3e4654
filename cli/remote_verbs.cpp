#include "cli/remote_verbs.h"

#include <utility>

#include <unistd.h>

#include "apl/service/starred.h"
#include "cli/output.h"
#include "cli/remote_server.h"
#include "cli/terminal/number_text.h"
#include "cli/terminal/table_format.h"
#include "http/wire_answer.h"
#include "store/base/control.h"
#include "store/base/file.h"
#include "store/base/json_writer.h"
#include "store/base/time.h"
#include "store/base/time_parse.h"

namespace evq {
namespace {

constexpr std::size_t kBodyBytesMax = std::size_t{1} << 20U;

std::string dataset_path(const std::string& name) {
  return "/v2/datasets/" + encode_url_text(name);
}

std::string starred_path(const std::string& id) {
  return "/v2/apl-starred-queries/" + encode_url_text(id);
}

std::string as_lines(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) {
    all += text + "\n";
  }
  return all;
}

TableCell text_cell(std::string text) {
  return {std::move(text), TableCellKind::kText};
}

Result<std::vector<std::string>> dataset_names(RemoteServer& server,
                                               const DatasetCommand& command) {
  std::vector<std::string> names;
  if (command.action != "list") {
    names.push_back(command.name);
    return names;
  }
  EVQ_TRY_ASSIGN(const std::string answer, server.call("GET", "/v2/datasets"));
  EVQ_TRY_ASSIGN(const std::vector<std::string> items, read_json_list(answer));
  for (const std::string& item : items) {
    EVQ_TRY_ASSIGN(std::string name, read_text_member(item, "name"));
    names.push_back(std::move(name));
  }
  return names;
}

Result<std::string> describe_datasets(RemoteServer& server, const DatasetCommand& command) {
  EVQ_TRY_ASSIGN(const std::vector<std::string> names, dataset_names(server, command));
  std::string text;
  TableRows rows;
  for (const std::string& name : names) {
    EVQ_TRY_ASSIGN(const std::string answer, server.call("GET", dataset_path(name) + "/info"));
    EVQ_TRY_ASSIGN(const DatasetAnswer dataset, read_dataset_answer(answer));
    text += dataset.json + "\n";
    rows.push_back({text_cell(dataset.name),
                    {grouped_text(dataset.events), TableCellKind::kNumber},
                    {bytes_text(dataset.bytes), TableCellKind::kNumber},
                    {dataset.oldest, TableCellKind::kFixed},
                    {dataset.newest, TableCellKind::kFixed}});
  }
  return wants_json(command.output) ? text
                                    : format_table({{"dataset", "", TableCellKind::kText},
                                                    {"events", "", TableCellKind::kNumber},
                                                    {"size", "", TableCellKind::kNumber},
                                                    {"oldest", "", TableCellKind::kFixed},
                                                    {"newest", "", TableCellKind::kFixed}},
                                                   rows, {});
}

Result<std::string> describe_fields(RemoteServer& server, const DatasetCommand& command) {
  EVQ_TRY_ASSIGN(const std::string answer,
                 server.call("GET", dataset_path(command.name) + "/fields"));
  EVQ_TRY_ASSIGN(const std::vector<FieldAnswer> fields, read_field_answers(answer));
  std::string text;
  TableRows rows;
  for (const FieldAnswer& field : fields) {
    text += field.json + "\n";
    rows.push_back({text_cell(field.name), text_cell(field.type)});
  }
  return wants_json(command.output) ? text
                                    : format_table({{"field", "", TableCellKind::kText},
                                                    {"type", "", TableCellKind::kText}},
                                                   rows, {});
}

Result<std::string> change_dataset(RemoteServer& server, const DatasetCommand& command) {
  const std::string path = dataset_path(command.name);
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
  EVQ_TRY_ASSIGN(const std::string answer,
                 server.call("GET", "/v2/apl-starred-queries?limit=1000"));
  EVQ_TRY_ASSIGN(const std::vector<std::string> items, read_json_list(answer));
  if (output != "table" && (!output.empty() || ::isatty(STDOUT_FILENO) == 0)) {
    return as_lines(items);
  }
  TableRows rows;
  for (const std::string& item : items) {
    StoredObject object;
    object.body = item;
    EVQ_TRY_ASSIGN(const QueryRequest request, starred_request(object));
    std::vector<TableCell> row;
    for (const char* member : {"id", "name", "who"}) {
      EVQ_TRY_ASSIGN(std::string text, read_text_member(item, member));
      row.push_back(text_cell(std::move(text)));
    }
    row.push_back(text_cell(request.apl));
    rows.push_back(std::move(row));
  }
  return format_table({{"id", "", TableCellKind::kText},
                       {"name", "", TableCellKind::kText},
                       {"who", "", TableCellKind::kText},
                       {"query", "", TableCellKind::kText}},
                      rows, {});
}

// A server replaces what is there; what is not there it saves under an id of its own.
Result<std::string> put_starred_remotely(RemoteServer& server, const StarredCommand& command) {
  const bool standard = command.file.empty() || command.file == "-";
  EVQ_TRY_ASSIGN(const std::string body, standard ? read_standard_input(kBodyBytesMax)
                                                  : read_whole_file(command.file, kBodyBytesMax));
  auto answer = server.call("PUT", starred_path(command.id), body);
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
                                                     starred_path(command.id)));
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
    return as_lines(items);
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
int print_answer(const GlobalOptions& global, Answer&& answer) {
  auto server = RemoteServer::open(global);
  if (!server.ok()) {
    return report_error(server.error());
  }
  const Result<std::string> text = answer(*server.value());
  return text.ok() ? report_end(stdout_sink()(text.value())) : report_error(text.error());
}

}  // namespace

int run_remote_dataset(const GlobalOptions& global, const DatasetCommand& command) {
  return print_answer(global, [&](RemoteServer& server) -> Result<std::string> {
    if (command.action == "fields") {
      return describe_fields(server, command);
    }
    if (command.action == "list" || command.action == "info") {
      return describe_datasets(server, command);
    }
    EVQ_TRY_ASSIGN(const std::string answer, change_dataset(server, command));
    return std::string();
  });
}

int run_remote_starred(const GlobalOptions& global, const StarredCommand& command) {
  return print_answer(global,
                      [&](RemoteServer& server) { return perform_starred(server, command); });
}

Result<StoredObject> find_remote_starred(const GlobalOptions& global, const std::string& id) {
  EVQ_TRY_ASSIGN(const std::unique_ptr<RemoteServer> server, RemoteServer::open(global));
  StoredObject stored;
  stored.id = id;
  EVQ_TRY_ASSIGN(stored.body, server->call("GET", starred_path(id)));
  return stored;
}

int run_remote_token(const GlobalOptions& global, const TokenCommand& command,
                     const std::string& capabilities) {
  return print_answer(
      global, [&](RemoteServer& server) { return perform_token(server, command, capabilities); });
}

int run_remote_organization(const GlobalOptions& global, const OrganizationCommand& command) {
  return print_answer(global, [&](RemoteServer& server) -> Result<std::string> {
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

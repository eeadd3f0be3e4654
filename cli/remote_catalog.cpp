#include "cli/remote_catalog.h"

#include <utility>

#include "cli/store_tables.h"
#include "http/wire_answer.h"
#include "store/base/percent_coding.h"

namespace evq {
namespace {

Result<std::vector<FieldAnswer>> ask_for_fields(RemoteServer& server, const std::string& dataset) {
  EVQ_TRY_ASSIGN(const std::string answer,
                 server.call("GET", remote_dataset_path(dataset) + "/fields"));
  return read_field_answers(answer);
}

}  // namespace

std::string remote_dataset_path(const std::string& name) {
  return "/v2/datasets/" + percent_encode(name);
}

std::string remote_starred_path(const std::string& id) {
  return "/v2/apl-starred-queries/" + percent_encode(id);
}

Result<std::vector<std::string>> remote_dataset_names(RemoteServer& server) {
  EVQ_TRY_ASSIGN(const std::string answer, server.call("GET", "/v2/datasets"));
  EVQ_TRY_ASSIGN(const std::vector<std::string> items, read_json_list(answer));
  std::vector<std::string> names;
  for (const std::string& item : items) {
    EVQ_TRY_ASSIGN(std::string name, read_text_member(item, "name"));
    names.push_back(std::move(name));
  }
  return names;
}

Result<ListedDataset> remote_dataset(RemoteServer& server, const std::string& name) {
  Result<std::string> answer = server.call("GET", remote_dataset_path(name) + "/info");
  if (!answer.ok() && answer.error().code == ErrorCode::kNotFound) {
    answer = server.call("GET", remote_dataset_path(name));
  }
  EVQ_TRY_ASSIGN(const std::string text, std::move(answer));
  EVQ_TRY_ASSIGN(DatasetAnswer dataset, read_dataset_answer(text));
  return ListedDataset{std::move(dataset.name), dataset.stats, std::move(dataset.json)};
}

Result<std::string> remote_datasets_text(RemoteServer& server, ListForm form,
                                         const DisplayZone& zone) {
  EVQ_TRY_ASSIGN(const std::vector<std::string> names, remote_dataset_names(server));
  std::vector<ListedDataset> rows;
  for (const std::string& name : names) {
    EVQ_TRY(add_listed(name, remote_dataset(server, name), &rows));
  }
  return datasets_text(rows, form, zone);
}

Result<std::vector<Field>> remote_fields(RemoteServer& server, const std::string& dataset) {
  EVQ_TRY_ASSIGN(const std::vector<FieldAnswer> answers, ask_for_fields(server, dataset));
  std::vector<Field> fields;
  fields.reserve(answers.size());
  for (const FieldAnswer& field : answers) {
    fields.push_back({field.name, field.type});
  }
  return fields;
}

Result<std::string> remote_fields_text(RemoteServer& server, const std::string& dataset,
                                       ListForm form) {
  EVQ_TRY_ASSIGN(const std::vector<FieldAnswer> fields, ask_for_fields(server, dataset));
  std::vector<ListedField> rows;
  rows.reserve(fields.size());
  for (const FieldAnswer& field : fields) {
    rows.push_back({field.name, field.type, field.description, field.json});
  }
  return fields_text(rows, form);
}

Result<std::vector<StoredObject>> remote_saved_queries(RemoteServer& server) {
  constexpr std::size_t kPage = 1000;  // as many as a server gives
  std::vector<StoredObject> objects;
  for (bool more = true; more;) {
    std::string target = "/v2/apl-starred-queries?limit=" + std::to_string(kPage);
    target += objects.empty() ? "" : "&offset=" + std::to_string(objects.size());
    EVQ_TRY_ASSIGN(const std::string answer, server.call("GET", target));
    EVQ_TRY_ASSIGN(std::vector<std::string> items, read_json_list(answer));
    more = items.size() == kPage;
    for (std::string& item : items) {
      StoredObject object;
      EVQ_TRY_ASSIGN(object.id, read_text_member(item, "id"));
      EVQ_TRY_ASSIGN(object.name, read_text_member(item, "name"));
      EVQ_TRY_ASSIGN(object.who, read_text_member(item, "who"));
      object.body = std::move(item);
      if (!objects.empty() && object.id == objects[0].id) {
        return objects;  // the server knows no offset
      }
      objects.push_back(std::move(object));
    }
  }
  return objects;
}

Result<StoredObject> remote_saved_query(RemoteServer& server, const std::string& id) {
  StoredObject stored;
  stored.id = id;
  EVQ_TRY_ASSIGN(stored.body, server.call("GET", remote_starred_path(id)));
  return stored;
}

}  // namespace evq

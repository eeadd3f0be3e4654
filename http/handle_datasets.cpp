// Datasets, their fields and map fields, trim and vacuum, under /v1 and /v2.

#include <algorithm>

#include "http/api.h"
#include "http/long_list.h"
#include "http/map_fields.h"
#include "http/router.h"
#include "http/wire.h"
#include "http/wire_answer.h"
#include "http/wire_resources.h"
#include "store/base/checked_math.h"
#include "store/base/json_writer.h"
#include "store/base/limits.h"
#include "store/base/time.h"

namespace evq {
namespace {

// What it holds: fields, sizes and times.
bool may_read(const Identity& identity, const std::string& dataset) {
  return identity.may_organization("datasets", "read") || identity.may(dataset, "query", "read");
}

// That it is there: who may write to a dataset finds it in lists.
bool may_see(const Identity& identity, const std::string& dataset) {
  return may_read(identity, dataset) || identity.may(dataset, "ingest", "create");
}

// Forbidden and missing look alike to those who may not read the dataset. Who may change every
// dataset of the organization has been asked already.
Result<DatasetDefinition> visible_dataset(Api& api, const HttpRequest& request) {
  const std::string& name = request.argument("dataset");
  if (request.route->scope != Scope::kOrganization && !may_read(request.identity, name)) {
    return permission_error("datasets", "read", name);
  }
  EVQ_TRY_ASSIGN(std::optional<DatasetDefinition> found, api.definitions().find_dataset(name));
  if (!found.has_value()) {
    return make_error(ErrorCode::kNotFound, "dataset not found");
  }
  return *std::move(found);
}

Result<DatasetDefinition> change_visible(Api& api, const HttpRequest& request,
                                         const DatasetChange& change) {
  EVQ_TRY_ASSIGN(const DatasetDefinition known, visible_dataset(api, request));
  return api.definitions().change_dataset(known.name, change);
}

Result<std::vector<DatasetDefinition>> visible_datasets(Api& api, const HttpRequest& request) {
  EVQ_TRY_ASSIGN(std::vector<DatasetDefinition> all, api.definitions().datasets());
  std::erase_if(all, [&](const DatasetDefinition& dataset) {
    return !may_see(request.identity, dataset.name);
  });
  return all;
}

std::string described(const HttpRequest& request, const DatasetDefinition& dataset) {
  return write_dataset(dataset, request.identity.may(dataset.name, "ingest", "create"));
}

Status apply(const DatasetBody& body, DatasetDefinition* dataset) {
  if (body.description.value_or("").size() > kResourceTextBytesMax) {
    return make_error(ErrorCode::kUsage, "description is too long");
  }
  if (body.retention_days.value_or(0) > kRetentionDaysMax) {
    return make_error(ErrorCode::kUsage, "retentionDays is too large");
  }
  dataset->description = body.description.value_or(dataset->description);
  if (body.retention_days.has_value()) {
    dataset->retention_days = static_cast<std::int64_t>(*body.retention_days);
  }
  dataset->use_retention = body.use_retention.value_or(dataset->use_retention);
  if (dataset->use_retention && dataset->retention_days == 0) {
    return make_error(ErrorCode::kUsage,
                      "retentionDays must be greater than 0 when useRetentionPeriod is true");
  }
  return Status::success();
}

Result<FieldInfo> find_field(Api& api, const HttpRequest& request) {
  EVQ_TRY_ASSIGN(const DatasetDefinition dataset, visible_dataset(api, request));
  EVQ_TRY_ASSIGN(const std::vector<FieldInfo> fields, api.store().fields(dataset.name));
  const auto found = std::ranges::find(fields, request.argument("field"), &FieldInfo::name);
  if (found == fields.end()) {
    return make_error(ErrorCode::kNotFound, "field not found");
  }
  return *found;
}

Result<std::string> fields_text(Api& api, const std::string& dataset) {
  EVQ_TRY_ASSIGN(const std::vector<FieldInfo> fields, api.store().fields(dataset));
  std::vector<std::string> items;
  items.reserve(fields.size());
  for (const FieldInfo& field : fields) {
    items.push_back(write_field(field));
  }
  return write_list(items);
}

}  // namespace

Result<HttpResponse> handle_dataset_list(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const std::vector<DatasetDefinition> datasets, visible_datasets(api, request));
  LongList list(api);
  for (const DatasetDefinition& dataset : datasets) {
    EVQ_TRY(list.add(described(request, dataset)));
  }
  return list.response();
}

Result<HttpResponse> handle_dataset_create(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const std::string text, request.body.text());
  EVQ_TRY_ASSIGN(const DatasetBody body, read_dataset_body(text));
  if (!body.name.has_value()) {
    return make_error(ErrorCode::kUsage, "name is required");
  }
  DatasetDefinition dataset;
  dataset.name = *body.name;
  dataset.kind = body.kind.value_or("axiom:events:v1");
  dataset.who = request.identity.name;
  dataset.extra = body.extra;
  EVQ_TRY(apply(body, &dataset));
  EVQ_TRY_ASSIGN(const DatasetDefinition created, api.definitions().create_dataset(dataset));
  return json_response(described(request, created));
}

Result<HttpResponse> handle_dataset_show(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const DatasetDefinition dataset, visible_dataset(api, request));
  return json_response(described(request, dataset));
}

Result<HttpResponse> handle_dataset_update(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const std::string text, request.body.text());
  EVQ_TRY_ASSIGN(const DatasetBody body, read_dataset_body(text));
  EVQ_TRY_ASSIGN(
      const DatasetDefinition dataset,
      change_visible(api, request, [&](DatasetDefinition* known) { return apply(body, known); }));
  return json_response(described(request, dataset));
}

Result<HttpResponse> handle_dataset_delete(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const DatasetDefinition dataset, visible_dataset(api, request));
  EVQ_TRY(api.store().drop_dataset(dataset.name));
  return no_content();
}

Result<HttpResponse> handle_dataset_info(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const DatasetDefinition dataset, visible_dataset(api, request));
  EVQ_TRY_ASSIGN(const DatasetStats stats, api.store().stats(dataset.name));
  EVQ_TRY_ASSIGN(const std::vector<FieldInfo> fields, api.store().fields(dataset.name));
  EVQ_TRY_ASSIGN(const std::uint64_t arrivals, api.service.arrival_end(dataset.name));
  HttpResponse response = json_response(write_dataset_info(dataset, stats, fields));
  // For followers and exports of evq; a header, because clients read the object strictly.
  response.headers.emplace_back(kArrivalEndHeader, std::to_string(arrivals));
  response.headers.emplace_back(kDatasetNumberHeader, std::to_string(dataset.file_id));
  return response;
}

Result<HttpResponse> handle_dataset_trim(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const std::string text, request.body.text());
  EVQ_TRY_ASSIGN(const std::int64_t age, read_trim_body(text));
  const auto before = checked_subtract(wall_clock_now_ns(), age);
  EVQ_TRY_ASSIGN(const std::uint64_t removed,
                 api.store().trim(request.argument("dataset"), before.value_or(kInstantMin),
                                  *request.control));
  if (request.route->pattern.starts_with("/v2/")) {
    return no_content();
  }
  return json_response("{\"numDeleted\":" + std::to_string(removed) + "}");
}

Result<HttpResponse> handle_dataset_vacuum(Api& api, HttpRequest& request) {
  const std::string& dataset = request.argument("dataset");
  EVQ_TRY_ASSIGN(const DatasetTurns::Holder turn, api.upkeep_turns.take(dataset));
  EVQ_TRY(api.store().maintain(dataset, Maintenance::kFull, *request.control));
  return json_response("{}");
}

Result<HttpResponse> handle_store_check(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const CheckReport report, api.store().check(*request.control));
  return json_response(write_check_report(report));
}

Result<HttpResponse> handle_field_list(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const DatasetDefinition dataset, visible_dataset(api, request));
  EVQ_TRY_ASSIGN(std::string text, fields_text(api, dataset.name));
  return json_response(std::move(text));
}

Result<HttpResponse> handle_field_show(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const FieldInfo field, find_field(api, request));
  return json_response(write_field(field));
}

Result<HttpResponse> handle_field_update(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const std::string text, request.body.text());
  EVQ_TRY_ASSIGN(const FieldBody body, read_field_body(text));
  EVQ_TRY_ASSIGN(FieldInfo field, find_field(api, request));
  EVQ_TRY_ASSIGN(field.attributes, api.store().change_field(request.argument("dataset"), field.name,
                                                            [&](FieldAttributes* attributes) {
                                                              body.apply(attributes);
                                                            }));
  return json_response(write_field(field));
}

Result<HttpResponse> handle_field_list_all(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const std::vector<DatasetDefinition> datasets, visible_datasets(api, request));
  LongList list(api);
  for (const DatasetDefinition& dataset : datasets) {
    if (!may_read(request.identity, dataset.name)) {
      continue;
    }
    Result<std::string> fields = fields_text(api, dataset.name);
    if (!fields.ok() && fields.error().code == ErrorCode::kNotFound) {
      continue;  // it went since
    }
    EVQ_TRY_ASSIGN(const std::string text, std::move(fields));
    std::string item;
    JsonWriter json(item);
    json.begin_object();
    json.key("datasetName");
    json.string(dataset.name);
    json.key("fields");
    json.raw(text);
    json.end_object();
    EVQ_TRY(list.add(item));
  }
  return list.response();
}

Result<HttpResponse> handle_map_field_list(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const DatasetDefinition dataset, visible_dataset(api, request));
  return json_response(write_strings(dataset.map_fields));
}

Result<HttpResponse> handle_map_field_replace(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const std::string text, request.body.text());
  EVQ_TRY_ASSIGN(const std::vector<std::string> names, read_names_body(text));
  EVQ_TRY_ASSIGN(const DatasetDefinition dataset,
                 change_visible(api, request, [&](DatasetDefinition* known) {
                   return set_map_fields(known, names);
                 }));
  return json_response(write_strings(dataset.map_fields));
}

Result<HttpResponse> handle_map_field_add(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const std::string text, request.body.text());
  EVQ_TRY_ASSIGN(const std::string name, read_name_body(text));
  EVQ_TRY(change_visible(api, request,
                         [&](DatasetDefinition* known) { return add_map_field(known, name); }));
  return json_response(write_name_body(name));
}

Result<HttpResponse> handle_map_field_remove(Api& api, HttpRequest& request) {
  EVQ_TRY(change_visible(api, request, [&](DatasetDefinition* known) {
    return remove_map_field(known, request.argument("field"));
  }));
  return no_content();
}

}  // namespace evq

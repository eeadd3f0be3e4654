// Annotations, virtual fields, monitors, notifiers and views: objects that are kept as they are
// given, once those members are checked that clients decode into types. One table says what each
// kind is called.
// Nothing runs monitors, so that they have no history, and nothing is integrated.

#include <algorithm>
#include <array>

#include "apl/service/expression_text.h"
#include "apl/service/given_time.h"
#include "http/api.h"
#include "http/long_list.h"
#include "http/map_fields.h"
#include "http/router.h"
#include "http/wire_resources.h"
#include "store/base/check.h"

namespace evq {
namespace {

struct KindInfo {
  std::string_view path;
  ObjectKind kind;
  std::string_view id_prefix;
  std::array<const char*, 3> required;
  int created_status;
};

constexpr std::array kKinds = {
    KindInfo{"/v2/annotations", ObjectKind::kAnnotation, "ann_", {}, 201},
    KindInfo{"/v2/vfields", ObjectKind::kVirtualField, "", {"dataset", "name", "expression"}, 200},
    KindInfo{"/v2/monitors", ObjectKind::kMonitor, "", {"name"}, 200},
    KindInfo{"/v2/notifiers", ObjectKind::kNotifier, "", {"name"}, 200},
    KindInfo{"/v2/views", ObjectKind::kView, "", {"name"}, 200},
};

const KindInfo& kind_of(const HttpRequest& request) {
  const auto found = std::ranges::find_if(
      kKinds, [&](const KindInfo& info) { return request.route->pattern.starts_with(info.path); });
  EVQ_CHECK(found != kKinds.end());
  return *found;
}

// The refusal does not name the dataset: it may be that of an object which the token may not see.
Status check_virtual(const HttpRequest& request, std::string_view dataset) {
  const std::string_view action = request.route->action;
  return request.identity.may(dataset, "virtualFields", action)
             ? Status::success()
             : Status(permission_error("virtualFields", action));
}

// Whether the request may list the virtual fields of one of these datasets, or of any when it names
// none; which there are does not matter.
Status check_virtual_list(const HttpRequest& request, const std::vector<std::string>& datasets) {
  const bool may = datasets.empty()
                       ? request.identity.may_somewhere("virtualFields", "read")
                       : std::ranges::any_of(datasets, [&](const std::string& dataset) {
                           return check_virtual(request, dataset).ok();
                         });
  return may ? Status::success() : Status(permission_error("virtualFields", "read"));
}

// Whether the request may have what is stored: another one may give it to another dataset
// meanwhile.
Status check_known(const HttpRequest& request, const StoredObject& known) {
  return known.kind == ObjectKind::kVirtualField ? check_virtual(request, known.dataset) : Status();
}

Result<StoredObject> find_object(Api& api, const HttpRequest& request) {
  EVQ_TRY_ASSIGN(std::optional<StoredObject> found,
                 api.definitions().find_object(kind_of(request).kind, request.argument("id")));
  if (kind_of(request).kind == ObjectKind::kVirtualField) {
    EVQ_TRY(check_virtual(request, found.has_value() ? std::string_view(found->dataset) : "*"));
  }
  if (!found.has_value()) {
    return make_error(ErrorCode::kNotFound, "object not found");
  }
  return *std::move(found);
}

// Whether a virtual field's dataset has no other one of its name, and room for it where it is new
// there; `id` is its own. Asked inside the transaction that stores it, so that of two of one name
// the later is refused.
Status check_place(Api& api, const StoredObject* known, const ObjectBody& body,
                   std::string_view id) {
  EVQ_TRY_ASSIGN(
      const std::vector<StoredObject> named,
      api.definitions().find_objects({ObjectKind::kVirtualField, body.dataset, body.name}));
  if (std::ranges::any_of(named, [&](const StoredObject& object) { return object.id != id; })) {
    return make_error(ErrorCode::kConflict,
                      "'" + body.dataset + "' has a virtual field '" + body.name + "' already");
  }
  if (known != nullptr && known->dataset == body.dataset) {
    return Status::success();
  }
  EVQ_TRY_ASSIGN(const std::vector<std::string> others,
                 api.definitions().find_object_ids({ObjectKind::kVirtualField, body.dataset}));
  return others.size() < kVirtualFieldsMax
             ? Status::success()
             : Status(make_error(ErrorCode::kUsage, "a dataset has at most " +
                                                        std::to_string(kVirtualFieldsMax) +
                                                        " virtual fields"));
}

// A virtual field of the name of a field would never be seen. Who may not query the dataset is not
// told what its events have.
Status check_not_held(Api& api, const HttpRequest& request, const ObjectBody& body) {
  if (!request.identity.may(body.dataset, "query", "read")) {
    return Status::success();
  }
  const Result<std::vector<FieldInfo>> fields = api.service.store().fields(body.dataset);
  if (fields.ok() && std::ranges::find(*fields, body.name, &FieldInfo::name) != fields->end()) {
    return make_error(ErrorCode::kConflict, "events of '" + body.dataset + "' have a field '" +
                                                body.name + "', which comes before a virtual one");
  }
  return fields.ok() || fields.error().code == ErrorCode::kNotFound ? Status() : fields.error();
}

Result<ObjectBody> read_body(const KindInfo& info, const std::string& text) {
  if (info.kind == ObjectKind::kAnnotation) {
    return read_annotation_body(text, wall_clock_now_ns());
  }
  if (info.kind == ObjectKind::kMonitor) {
    return read_monitor_body(text);
  }
  std::vector<std::string> required;
  for (const char* name : info.required) {
    if (name != nullptr) {
      required.emplace_back(name);
    }
  }
  EVQ_TRY_ASSIGN(ObjectBody body, read_object_body(text, required));
  if (info.kind == ObjectKind::kVirtualField) {
    EVQ_TRY(check_dataset_name(body.dataset));
    EVQ_TRY(check_declared_field(body.name, "a virtual field"));
    EVQ_TRY(check_expression(body.name, body.expression));
  }
  return body;
}

// The times of two parameters, both of which belong to the range; unbounded without them.
Result<TimeRange> asked_times(const HttpRequest& request, const char* first, const char* last) {
  TimeRange times;
  for (const auto& [name, end] : {std::pair(first, &times.first), std::pair(last, &times.last)}) {
    const std::string_view text = request.parameter(name).value_or("");
    if (is_no_time(text)) {
      continue;
    }
    const std::optional<std::int64_t> time = parse_given_time(text);
    if (!time.has_value()) {
      return make_error(ErrorCode::kUsage, std::string(name) + " must be an RFC 3339 time");
    }
    *end = *time;
  }
  return times;
}

// ?datasets=a,b, ?datasets=a&datasets=b, ?dataset=a
std::vector<std::string> asked_datasets(const HttpRequest& request) {
  std::vector<std::string> names;
  for (const auto& [name, value] : request.parameters) {
    if (name != "datasets" && name != "dataset") {
      continue;
    }
    std::string_view rest = value;
    while (!rest.empty()) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      names.emplace_back(rest.substr(0, comma));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return names;
}

}  // namespace

Result<HttpResponse> handle_object_list(Api& api, HttpRequest& request) {
  const KindInfo& info = kind_of(request);
  const std::vector<std::string> datasets = asked_datasets(request);
  if (info.kind == ObjectKind::kVirtualField) {
    EVQ_TRY(check_virtual_list(request, datasets));
  }
  const bool of_one = info.kind == ObjectKind::kVirtualField && datasets.size() == 1;
  TimeRange times;
  if (info.kind == ObjectKind::kAnnotation) {
    EVQ_TRY_ASSIGN(times, asked_times(request, "start", "end"));
  }
  LongList list(api);
  const auto take = [&](const StoredObject& object) -> Result<bool> {
    const bool concerns =
        info.kind == ObjectKind::kAnnotation
            ? annotation_concerns(object.body, datasets, times)
            : datasets.empty() || std::ranges::find(datasets, object.dataset) != datasets.end();
    if (concerns && check_known(request, object).ok()) {
      EVQ_TRY(list.add(write_object(object)));
    }
    return true;
  };
  EVQ_TRY(each_object(api, request, {info.kind, of_one ? datasets[0] : std::string_view()}, take));
  return list.response();
}

Result<HttpResponse> handle_object_create(Api& api, HttpRequest& request) {
  const KindInfo& info = kind_of(request);
  EVQ_TRY_ASSIGN(const std::string text, request.body.text());
  EVQ_TRY_ASSIGN(const ObjectBody body, read_body(info, text));
  if (info.kind == ObjectKind::kVirtualField) {
    EVQ_TRY(check_virtual(request, body.dataset));
    EVQ_TRY(check_not_held(api, request, body));
  }
  const std::string id = std::string(info.id_prefix) + make_uuid();
  const auto make = [&](const StoredObject* known) -> Result<StoredObject> {
    if (info.kind == ObjectKind::kVirtualField) {
      EVQ_TRY(check_place(api, known, body, id));
    }
    StoredObject object;
    object.name = body.name;
    object.dataset = body.dataset;
    object.who = request.identity.name;
    object.body = body.body;
    object.created = wall_clock_now_ns();
    object.updated = object.created;
    return object;
  };
  EVQ_TRY_ASSIGN(const StoredObject object,
                 api.definitions().change_object(info.kind, id, body.body.size(), make));
  return json_response(write_object(object), info.created_status);
}

Result<HttpResponse> handle_object_show(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const StoredObject object, find_object(api, request));
  return json_response(write_object(object));
}

Result<HttpResponse> handle_object_update(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const StoredObject found, find_object(api, request));
  EVQ_TRY_ASSIGN(const std::string text, request.body.text());
  ObjectBody body;
  if (found.kind != ObjectKind::kAnnotation) {
    EVQ_TRY_ASSIGN(body, read_body(kind_of(request), text));
  }
  if (found.kind == ObjectKind::kVirtualField) {
    EVQ_TRY(check_virtual(request, body.dataset));
    EVQ_TRY(check_not_held(api, request, body));
  }
  const auto change = [&](const StoredObject* known) -> Result<StoredObject> {
    if (known == nullptr) {
      return make_error(ErrorCode::kNotFound, "object not found");
    }
    EVQ_TRY(check_known(request, *known));
    if (known->kind == ObjectKind::kAnnotation) {
      EVQ_TRY_ASSIGN(const ObjectBody merged, merge_object(known->body, text));
      EVQ_TRY_ASSIGN(body, read_annotation_body(merged.body, wall_clock_now_ns()));
    }
    if (known->kind == ObjectKind::kVirtualField) {
      EVQ_TRY(check_place(api, known, body, known->id));
    }
    StoredObject object = *known;
    object.name = body.name;
    object.dataset = body.dataset;
    object.body = body.body;
    object.updated = wall_clock_now_ns();
    return object;
  };
  EVQ_TRY_ASSIGN(const StoredObject object,
                 api.definitions().change_object(found.kind, found.id,
                                                 found.body.size() + text.size(), change));
  return json_response(write_object(object));
}

Result<HttpResponse> handle_object_delete(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const StoredObject known, find_object(api, request));
  EVQ_TRY_ASSIGN(const bool removed,
                 api.definitions().remove_object(known.kind, known.id, [&](const StoredObject& at) {
                   return check_known(request, at);
                 }));
  if (!removed) {
    return make_error(ErrorCode::kNotFound, "object not found");
  }
  return no_content();
}

Result<HttpResponse> handle_monitor_history(Api& api, HttpRequest& request) {
  EVQ_TRY(asked_times(request, "startTime", "endTime"));
  EVQ_TRY(find_object(api, request));
  return json_response("[]");
}

Result<HttpResponse> handle_monitor_histories(Api&, HttpRequest&) {
  return json_response(R"({"data":{},"fields":[]})");
}

Result<HttpResponse> handle_integration_list(Api&, HttpRequest&) {
  return json_response("[]");
}

}  // namespace evq

// Dashboards: documents kept as given under a uid, with a version that tells concurrent editors
// apart.

#include "http/api.h"
#include "http/wire_resources.h"
#include "store/base/limits.h"

namespace evq {
namespace {

Result<StoredObject> find_dashboard(Api& api, const HttpRequest& request) {
  EVQ_TRY_ASSIGN(std::optional<StoredObject> found,
                 api.definitions().find_object(ObjectKind::kDashboard, request.argument("uid")));
  if (!found.has_value()) {
    return make_error(ErrorCode::kNotFound, "dashboard not found");
  }
  return *std::move(found);
}

Result<HttpResponse> store_dashboard(Api& api, const HttpRequest& request,
                                     const DashboardBody& body, std::optional<StoredObject> known) {
  const bool created = !known.has_value();
  StoredObject object = created ? StoredObject() : *std::move(known);
  object.updated = wall_clock_now_ns();
  if (created) {
    object.kind = ObjectKind::kDashboard;
    object.id = body.uid.empty() ? make_uuid() : body.uid;
    object.who = request.identity.name;
    object.created = object.updated;
  }
  object.name = body.name;
  object.body = stored_dashboard(body, object.body, request.identity.name);
  EVQ_TRY(api.definitions().put_object(object));
  return json_response(write_dashboard_change(object, created));
}

}  // namespace

Result<HttpResponse> handle_dashboard_list(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const std::size_t limit,
                 count_parameter(request, "limit", kStoreResourcesMax, kStoreResourcesMax));
  EVQ_TRY_ASSIGN(const std::size_t offset,
                 count_parameter(request, "offset", 0, kStoreResourcesMax));
  EVQ_TRY_ASSIGN(const std::vector<StoredObject> objects,
                 api.definitions().objects(ObjectKind::kDashboard, ""));
  std::vector<std::string> items;
  for (std::size_t i = offset; i < objects.size() && items.size() < limit; ++i) {
    items.push_back(write_dashboard(objects[i]));
  }
  return json_response(write_list(items));
}

Result<HttpResponse> handle_dashboard_create(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const std::string text, request.body.text());
  EVQ_TRY_ASSIGN(const DashboardBody body, read_dashboard_body(text));
  std::optional<StoredObject> known;
  if (!body.uid.empty()) {
    EVQ_TRY_ASSIGN(known, api.definitions().find_object(ObjectKind::kDashboard, body.uid));
    if (known.has_value() && !body.overwrite) {
      return make_error(ErrorCode::kConflict, "a dashboard of this uid exists already");
    }
  }
  return store_dashboard(api, request, body, std::move(known));
}

Result<HttpResponse> handle_dashboard_show(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const StoredObject object, find_dashboard(api, request));
  return json_response(write_dashboard(object));
}

Result<HttpResponse> handle_dashboard_update(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const std::string text, request.body.text());
  EVQ_TRY_ASSIGN(const DashboardBody body, read_dashboard_body(text));
  EVQ_TRY_ASSIGN(StoredObject known, find_dashboard(api, request));
  if (!body.overwrite && body.version != dashboard_version(known)) {
    return error_response(412, "the dashboard has changed: its version is " +
                                   std::to_string(dashboard_version(known)));
  }
  return store_dashboard(api, request, body, std::move(known));
}

Result<HttpResponse> handle_dashboard_delete(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const bool removed,
                 api.definitions().remove_object(ObjectKind::kDashboard, request.argument("uid")));
  if (!removed) {
    return make_error(ErrorCode::kNotFound, "dashboard not found");
  }
  return no_content();
}

}  // namespace evq

// Dashboards: documents kept as given under a uid, with a version that tells concurrent editors
// apart.

#include <functional>
#include <optional>

#include "http/api.h"
#include "http/long_list.h"
#include "http/parameters.h"
#include "http/wire_resources.h"
#include "store/base/limits.h"

namespace evq {
namespace {

Error dashboard_not_found() {
  return make_error(ErrorCode::kNotFound, "dashboard not found");
}

Result<StoredObject> find_dashboard(Api& api, const HttpRequest& request) {
  EVQ_TRY_ASSIGN(std::optional<StoredObject> found,
                 api.definitions().find_object(ObjectKind::kDashboard, request.argument("uid")));
  if (!found.has_value()) {
    return dashboard_not_found();
  }
  return *std::move(found);
}

// What to store over `known`, which is null when there is none.
using DashboardEdit = std::function<Result<DashboardBody>(const StoredObject* known)>;

Result<HttpResponse> store_dashboard(Api& api, const HttpRequest& request, std::string_view uid,
                                     std::size_t body_bytes, const DashboardEdit& edit) {
  bool created = false;
  const auto change = [&](const StoredObject* known) -> Result<StoredObject> {
    EVQ_TRY_ASSIGN(const DashboardBody body, edit(known));
    created = known == nullptr;
    StoredObject object = created ? StoredObject() : *known;
    object.updated = wall_clock_now_ns();
    if (created) {
      object.who = request.identity.name;
      object.created = object.updated;
    }
    object.name = body.name;
    object.body = stored_dashboard(body, object.body, request.identity.name);
    return object;
  };
  EVQ_TRY_ASSIGN(const StoredObject object,
                 api.definitions().change_object(ObjectKind::kDashboard, uid, body_bytes, change));
  return json_response(write_dashboard_change(object, created), created ? 201 : 200);
}

// The version that the client last saw; without `overwrite` it must still be the newest.
struct SeenVersion {
  std::optional<std::uint64_t> version;
  bool overwrite = false;
  bool creates = false;  // a dashboard that is not there and that the client has not seen is made
};

// Stores what `edit` makes of the request's dashboard: 404 when there is none and none is to be
// made, 412 when it has changed since the client saw it.
Result<HttpResponse> edit_dashboard(Api& api, const HttpRequest& request, const SeenVersion& seen,
                                    std::size_t body_bytes, const DashboardEdit& edit) {
  std::optional<std::string> newer;
  const auto checked = [&](const StoredObject* known) -> Result<DashboardBody> {
    if (known == nullptr && !seen.creates) {
      return dashboard_not_found();
    }
    const std::uint64_t version = known != nullptr ? dashboard_version(*known) : 0;
    const bool is_new = known == nullptr && seen.version.value_or(0) == 0;
    if (!seen.overwrite && !is_new && seen.version != version) {
      newer = known != nullptr
                  ? "the dashboard has changed: its version is " + std::to_string(version)
                  : "the dashboard was deleted";
      return make_error(ErrorCode::kConflict, *newer);
    }
    return edit(known);
  };
  auto stored = store_dashboard(api, request, request.argument("uid"), body_bytes, checked);
  if (newer.has_value()) {
    return error_response(412, *newer);
  }
  return stored;
}

}  // namespace

Result<HttpResponse> handle_dashboard_list(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const std::size_t limit, list_limit(request, kStoreResourcesMax));
  EVQ_TRY_ASSIGN(const std::size_t offset,
                 count_parameter(request, "offset", 0, kStoreResourcesMax));
  LongList list(api);
  const auto take = [&](const StoredObject& object) -> Result<bool> {
    EVQ_TRY(list.add(write_dashboard(object)));
    return list.size() < limit;
  };
  EVQ_TRY(each_object(api, request, {ObjectKind::kDashboard}, take, offset));
  return list.response();
}

Result<HttpResponse> handle_dashboard_create(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const std::string text, request.body.text());
  EVQ_TRY_ASSIGN(const DashboardBody body, read_dashboard_body(text));
  const auto edit = [&](const StoredObject* known) -> Result<DashboardBody> {
    if (known != nullptr && !body.overwrite) {
      return make_error(ErrorCode::kConflict, "a dashboard of this uid exists already");
    }
    if (known != nullptr && !request.identity.may_organization("dashboards", "update")) {
      return permission_error("dashboards", "update");
    }
    return body;
  };
  return store_dashboard(api, request, body.uid.empty() ? make_uuid() : body.uid, text.size(),
                         edit);
}

Result<HttpResponse> handle_dashboard_show(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const StoredObject object, find_dashboard(api, request));
  return json_response(write_dashboard(object));
}

Result<HttpResponse> handle_dashboard_update(Api& api, HttpRequest& request) {
  EVQ_TRY(check_dashboard_uid(request.argument("uid")));
  EVQ_TRY_ASSIGN(const std::string text, request.body.text());
  EVQ_TRY_ASSIGN(const DashboardBody body, read_dashboard_body(text));
  return edit_dashboard(
      api, request, {body.version, body.overwrite, true}, text.size(),
      [&](const StoredObject* known) -> Result<DashboardBody> {
        if (known == nullptr && !request.identity.may_organization("dashboards", "create")) {
          return permission_error("dashboards", "create");
        }
        return body;
      });
}

Result<HttpResponse> handle_chart_patch(Api& api, HttpRequest& request) {
  const std::string_view chart_id = request.argument("chart");
  EVQ_TRY_ASSIGN(const std::string text, request.body.text());
  EVQ_TRY_ASSIGN(const ChartPatchBody body, read_chart_patch_body(text, chart_id));
  EVQ_TRY_ASSIGN(const StoredObject found, find_dashboard(api, request));
  return edit_dashboard(
      api, request, {body.version, body.overwrite, false}, found.body.size() + text.size(),
      [&](const StoredObject* known) { return patched_dashboard(*known, chart_id, body.patch); });
}

Result<HttpResponse> handle_dashboard_delete(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const bool removed, api.definitions().remove_object(ObjectKind::kDashboard,
                                                                     request.argument("uid"), {}));
  if (!removed) {
    return dashboard_not_found();
  }
  return no_content();
}

}  // namespace evq

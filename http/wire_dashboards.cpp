#include <algorithm>

#include "http/limits.h"
#include "http/wire_json.h"
#include "http/wire_resources.h"
#include "store/base/ascii.h"
#include "store/base/json_writer.h"
#include "store/base/limits.h"
#include "store/base/time.h"
#include "store/base/utf8.h"

namespace evq {
namespace {

using wire::Json;

Json kept(const StoredObject& object) {
  return Json::parse(object.body, nullptr, false);
}

Json document_of(const StoredObject& object) {
  const Json body = kept(object);
  return body.is_object() ? body.value("dashboard", Json::object()) : Json::object();
}

// Whether one request could have brought the document, which many patches made.
Status check_document(const std::string& document) {
  if (document.size() > kHttpQueryBodyBytesMax) {
    return make_error(ErrorCode::kTooLarge, "the dashboard would be larger than a request may be");
  }
  EVQ_TRY(wire::parse_object(document));
  return {};
}

}  // namespace

Status check_dashboard_uid(std::string_view uid) {
  const bool good = uid.size() <= kDatasetNameBytesMax && std::ranges::all_of(uid, [](char c) {
                      return is_letter(c) || is_digit(c) || c == '-' || c == '_';
                    });
  return good ? Status()
              : make_error(ErrorCode::kUsage,
                           "uid must be letters, digits, hyphens and underscores");
}

Result<DashboardBody> read_dashboard_body(std::string_view text) {
  EVQ_TRY_ASSIGN(const Json json, wire::parse_object(text));
  DashboardBody body;
  EVQ_TRY_ASSIGN(const auto uid, wire::optional_string(json, "uid"));
  EVQ_TRY_ASSIGN(body.version, wire::optional_count(json, "version"));
  EVQ_TRY_ASSIGN(const auto overwrite, wire::optional_bool(json, "overwrite"));
  body.uid = uid.value_or("");
  body.overwrite = overwrite.value_or(false);
  EVQ_TRY(check_dashboard_uid(body.uid));
  const Json* document = wire::member(json, "dashboard");
  if (document == nullptr || !document->is_object()) {
    return make_error(ErrorCode::kUsage, "dashboard is required: an object");
  }
  EVQ_TRY_ASSIGN(const auto name, wire::optional_string(*document, "name"));
  body.name = utf8_prefix(name.value_or(""), kResourceNameBytesMax);
  body.document = wire::text_of(*document);
  return body;
}

Result<ChartPatchBody> read_chart_patch_body(std::string_view text, std::string_view chart_id) {
  EVQ_TRY_ASSIGN(const Json json, wire::parse_object(text));
  ChartPatchBody body;
  EVQ_TRY_ASSIGN(body.version, wire::optional_count(json, "version"));
  EVQ_TRY_ASSIGN(const auto overwrite, wire::optional_bool(json, "overwrite"));
  body.overwrite = overwrite.value_or(false);
  const Json* patch = wire::member(json, "chart");
  if (patch == nullptr || !patch->is_object()) {
    return make_error(ErrorCode::kUsage, "chart is required: an object");
  }
  if (const auto id = patch->find("id"); id != patch->end() && *id != Json(chart_id)) {
    return make_error(ErrorCode::kUsage, "the id of a chart cannot be changed");
  }
  body.patch = wire::text_of(*patch);
  return body;
}

Result<DashboardBody> patched_dashboard(const StoredObject& object, std::string_view chart_id,
                                        std::string_view patch) {
  Json document = document_of(object);
  const auto charts = document.find("charts");
  if (charts != document.end() && charts->is_array()) {
    for (Json& chart : *charts) {
      if (chart.is_object() && chart.value("id", Json()) == Json(chart_id)) {
        chart.merge_patch(Json::parse(patch, nullptr, false));
        DashboardBody body;
        body.uid = object.id;
        body.name = object.name;
        body.document = wire::text_of(document);
        EVQ_TRY(check_document(body.document));
        return body;
      }
    }
  }
  return make_error(ErrorCode::kNotFound, "chart not found");
}

std::string stored_dashboard(const DashboardBody& body, std::string_view known,
                             std::string_view who) {
  StoredObject before;
  before.body = std::string(known);
  Json json = Json::object();
  json["version"] = (known.empty() ? 0 : dashboard_version(before)) + 1;
  json["updatedBy"] = std::string(who);
  json["dashboard"] = Json::parse(body.document, nullptr, false);
  return wire::text_of(json);
}

std::uint64_t dashboard_version(const StoredObject& object) {
  const Json json = kept(object);
  const Json* version = json.is_object() ? wire::member(json, "version") : nullptr;
  return version != nullptr && version->is_number_unsigned() ? version->get<std::uint64_t>() : 0;
}

std::string write_dashboard(const StoredObject& object) {
  const Json body = kept(object);
  Json json = Json::object();
  json["uid"] = object.id;
  json["id"] = object.id;
  json["version"] = dashboard_version(object);
  Json& document = json["dashboard"] = document_of(object);
  if (document.is_object()) {
    document.emplace("owner", "X-AXIOM-EVERYONE");
  }
  json["createdAt"] = instant_text(object.created);
  json["updatedAt"] = instant_text(object.updated);
  json["createdBy"] = maker_of(object);
  const std::string updater = body.is_object() ? body.value("updatedBy", object.who) : object.who;
  json["updatedBy"] = updater.empty() ? maker_of(object) : updater;
  return wire::text_of(json);
}

std::string write_dashboard_change(const StoredObject& object, bool created) {
  return "{\"status\":\"" + std::string(created ? "created" : "updated") +
         "\",\"dashboard\":" + write_dashboard(object) + "}";
}

}  // namespace evq

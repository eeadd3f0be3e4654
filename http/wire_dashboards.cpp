#include <algorithm>
#include <initializer_list>

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

using wire::drop_nulls;
using wire::Json;

Json kept(const StoredObject& object) {
  return Json::parse(object.body, nullptr, false);
}

Json document_of(const StoredObject& object) {
  const Json body = kept(object);
  Json document = body.is_object() ? body.value("dashboard", Json::object()) : Json::object();
  drop_nulls(&document);
  return document;
}

// Whether one request could have brought the document, which many patches made.
Status check_document(const std::string& document) {
  if (document.size() > kHttpQueryBodyBytesMax) {
    return make_error(ErrorCode::kTooLarge, "the dashboard would be larger than a request may be");
  }
  EVQ_TRY(wire::parse_object(document));
  return {};
}

Status check_length(const Json& object, const char* name, std::size_t most) {
  EVQ_TRY_ASSIGN(const auto text, wire::optional_string(object, name));
  if (count_code_points(text.value_or("")) > most) {
    return make_error(ErrorCode::kUsage, std::string(name) + " is longer than " +
                                             std::to_string(most) + " characters");
  }
  return {};
}

// What every kind of chart has; all else is kept as given.
Status check_chart(const Json& chart) {
  for (const char* name : {"id", "type"}) {
    EVQ_TRY(wire::required_string(chart, name));
  }
  EVQ_TRY(check_length(chart, "id", kChartIdCharactersMax));
  EVQ_TRY(check_length(chart, "name", kChartNameCharactersMax));
  const Json* query = wire::member(chart, "query");
  return query == nullptr || query->is_object()
             ? Status()
             : make_error(ErrorCode::kUsage, "query must be an object");
}

// Where a chart is; without `y` below all others.
Status check_place(const Json& place) {
  EVQ_TRY(wire::required_string(place, "i"));
  for (const char* name : {"x", "w", "h"}) {
    EVQ_TRY(wire::required_count(place, name));
  }
  EVQ_TRY(wire::optional_count(place, "y"));
  return {};
}

// A list of objects of the dashboard, in which `check` finds nothing wrong.
template <class Check>
Status check_objects(const Json& dashboard, const char* name, const Check& check) {
  const Json* list = wire::member(dashboard, name);
  if (list == nullptr || !list->is_array()) {
    return make_error(ErrorCode::kUsage, std::string(name) + " is required: a list of objects");
  }
  if (list->size() > kDashboardChartsMax) {
    return make_error(ErrorCode::kUsage, std::string(name) + " has more than " +
                                             std::to_string(kDashboardChartsMax) + " objects");
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string place = std::string(name) + "[" + std::to_string(i) + "]";
    if (!(*list)[i].is_object()) {
      return make_error(ErrorCode::kUsage, place + " must be an object");
    }
    if (const Status good = check((*list)[i]); !good.ok()) {
      return make_error(good.error().code, place + ": " + good.error().message);
    }
  }
  return {};
}

Status check_one_of(const Json& object, const char* name, std::initializer_list<unsigned> values) {
  EVQ_TRY_ASSIGN(const std::uint64_t given, wire::required_count(object, name));
  std::string known;
  for (const unsigned value : values) {
    if (given == value) {
      return {};
    }
    known.append(known.empty() ? "" : " or ").append(std::to_string(value));
  }
  return make_error(ErrorCode::kUsage, std::string(name) + " must be " + known);
}

// What clients that read a list of dashboards take for granted in each: Axiom's description of its
// API requires it. The owner is added where there is none.
Status check_dashboard(const Json& dashboard) {
  for (const char* name : {"name", "timeWindowStart", "timeWindowEnd"}) {
    EVQ_TRY(wire::required_string(dashboard, name));
  }
  for (const char* name : {"owner", "against", "againstTimestamp"}) {
    EVQ_TRY(wire::optional_string(dashboard, name));
  }
  EVQ_TRY(check_length(dashboard, "name", kDashboardNameCharactersMax));
  EVQ_TRY(check_length(dashboard, "description", kDashboardTextCharactersMax));
  EVQ_TRY(check_one_of(dashboard, "refreshTime", {15, 60, 300}));
  EVQ_TRY(check_one_of(dashboard, "schemaVersion", {2}));
  EVQ_TRY(check_objects(dashboard, "charts", check_chart));
  return check_objects(dashboard, "layout", check_place);
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
  EVQ_TRY_ASSIGN(Json json, wire::parse_object(text));
  DashboardBody body;
  EVQ_TRY_ASSIGN(const auto uid, wire::optional_string(json, "uid"));
  EVQ_TRY_ASSIGN(body.version, wire::optional_count(json, "version"));
  EVQ_TRY_ASSIGN(const auto overwrite, wire::optional_bool(json, "overwrite"));
  body.uid = uid.value_or("");
  body.overwrite = overwrite.value_or(false);
  EVQ_TRY(check_dashboard_uid(body.uid));
  Json document = std::move(json["dashboard"]);
  if (!document.is_object()) {
    return make_error(ErrorCode::kUsage, "dashboard is required: an object");
  }
  drop_nulls(&document);
  EVQ_TRY(check_dashboard(document));
  EVQ_TRY_ASSIGN(const auto name, wire::optional_string(document, "name"));
  body.name = utf8_prefix(name.value_or(""), kResourceNameBytesMax);
  body.document = wire::text_of(document);
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
        EVQ_TRY(check_chart(chart));
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

#include "http/wire_resources.h"

#include <algorithm>
#include <cmath>

#include "apl/service/given_time.h"
#include "apl/service/result_writer.h"
#include "apl/service/starred.h"
#include "http/framing.h"
#include "http/limits.h"
#include "http/wire_json.h"
#include "store/base/ascii.h"
#include "store/base/control.h"
#include "store/base/json_writer.h"
#include "store/base/limits.h"
#include "store/base/time.h"
#include "store/base/timespan.h"
#include "store/base/utf8.h"

namespace evq {
namespace {

using wire::Json;

Result<std::optional<std::int64_t>> optional_time(const Json& object, const char* name) {
  EVQ_TRY_ASSIGN(const std::optional<std::string> text, wire::optional_string(object, name));
  if (!text.has_value() || is_no_time(*text)) {
    return std::optional<std::int64_t>();
  }
  const std::optional<std::int64_t> time = parse_given_time(*text);
  if (!time.has_value()) {
    return make_error(ErrorCode::kUsage, std::string(name) + " must be an RFC 3339 time");
  }
  return time;
}

// As clients decode a time, who know RFC 3339 in this one form alone.
bool is_rfc_3339(std::string_view text) {
  constexpr std::string_view kShape = "0000-00-00T00:00:00";
  const auto fits = [](std::string_view part, std::string_view shape) {
    return part.size() == shape.size() && std::ranges::equal(part, shape, [](char c, char wanted) {
             return wanted == '0' ? is_digit(c) : c == wanted;
           });
  };
  if (!fits(text.substr(0, kShape.size()), kShape)) {
    return false;
  }
  text.remove_prefix(kShape.size());
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits == 0) {
      return false;
    }
    text.remove_prefix(digits);
  }
  return text == "Z" || fits(text, "+00:00") || fits(text, "-00:00");
}

// What is read as a time without being RFC 3339, such as a date alone, is kept as an instant: one
// object with another text would make the whole list unreadable to clients.
void keep_instant(Json* json, const char* name, const std::optional<std::int64_t>& time) {
  if (time.has_value() && !is_rfc_3339((*json)[name].get_ref<const std::string&>())) {
    (*json)[name] = instant_text(*time);
  }
}

// What clients decode into types of their own; all else of a monitor is kept as given.
Status check_monitor_types(const Json& json) {
  for (const char* name : {"description", "type", "operator"}) {
    EVQ_TRY(wire::optional_string(json, name));
  }
  for (const char* name : {"alertOnNoData", "notifyByGroup", "resolvable", "disabled",
                           "notifyEveryRun", "skipResolved"}) {
    EVQ_TRY(wire::optional_bool(json, name));
  }
  for (const char* name : {"notifierIds", "notifierIDs"}) {
    EVQ_TRY(wire::optional_strings(json, name));
  }
  for (const char* name :
       {"threshold", "tolerance", "intervalMinutes", "rangeMinutes", "secondDelay",
        "triggerFromNRuns", "triggerAfterNPositiveResults", "compareDays"}) {
    const Json* value = wire::member(json, name);
    if (value != nullptr && !value->is_number()) {
      return make_error(ErrorCode::kUsage, std::string(name) + " must be a number");
    }
  }
  return Status();
}

Json field_object(const FieldInfo& field) {
  Json json = Json::object();
  json["name"] = field.name;
  json["type"] = field_type_text(field);
  json["unit"] = field.attributes.unit;
  json["hidden"] = field.attributes.hidden;
  json["description"] = field.attributes.description;
  return json;
}

ObjectBody object_body(Json json) {
  ObjectBody object;
  json.erase("id");
  wire::drop_nulls(&json);
  const auto text = [&](const char* name) {
    const Json* value = wire::member(json, name);
    return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
  };
  object.name = text("name");
  object.dataset = text("dataset");
  object.expression = text("expression");
  object.body = wire::text_of(json);
  return object;
}

// "5.0 MB": decimal units, with a decimal below ten of them.
std::string human_size(std::uint64_t bytes) {
  constexpr std::string_view kUnits[] = {" B", " kB", " MB", " GB", " TB", " PB", " EB"};
  constexpr double kStep = 1000;
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= kStep; ++unit) {
    value /= kStep;
  }
  const std::int64_t tenths = std::llround(value * 10);
  const bool whole = unit == 0 || tenths >= 100;
  std::string text = std::to_string(whole ? std::llround(value) : tenths / 10);
  if (!whole) {
    text += "." + std::to_string(tenths % 10);
  }
  return text.append(kUnits[unit]);
}

void drop_zero_times(Json* json) {
  for (const char* name : {"time", "endTime"}) {
    const Json* value = wire::member(*json, name);
    if (value != nullptr && value->is_string() &&
        is_no_time(value->get_ref<const std::string&>())) {
      json->erase(name);
    }
  }
}

Result<TokenSpec> read_token(const Json& json) {
  TokenSpec spec;
  EVQ_TRY_ASSIGN(spec.name, wire::required_string(json, "name"));
  EVQ_TRY_ASSIGN(const auto description, wire::optional_string(json, "description"));
  spec.description = description.value_or("");
  EVQ_TRY_ASSIGN(spec.expires, optional_time(json, "expiresAt"));
  Json capabilities = Json::object();
  for (const char* name : {"datasetCapabilities", "orgCapabilities", "viewCapabilities"}) {
    const Json* value = wire::member(json, name);
    if (value == nullptr) {
      continue;
    }
    if (!value->is_object()) {
      return make_error(ErrorCode::kUsage, std::string(name) + " must be an object");
    }
    capabilities[name] = *value;
  }
  spec.capabilities = wire::text_of(capabilities);
  EVQ_TRY(check_capabilities(spec.capabilities));
  return spec;
}

// Axiom's description says notifierIds, and axiom-go and Terraform notifierIDs, which read the
// other one as well: it is the one that is kept and answered.
void rename_notifiers(Json* monitor) {
  if (const Json* ids = wire::member(*monitor, "notifierIDs"); ids != nullptr) {
    const Json kept = *ids;
    (*monitor)["notifierIds"] = kept;
  }
  monitor->erase("notifierIDs");
}

// What clients require of a monitor. An empty operator was not given: axiom-go and Terraform send
// it with a monitor that matches events, and the MCP server refuses the whole list over it.
void complete_monitor(Json* monitor) {
  rename_notifiers(monitor);
  if (const Json* operation = wire::member(*monitor, "operator");
      operation != nullptr && *operation == "") {
    monitor->erase("operator");
  }
  monitor->emplace("type", "Threshold");
  monitor->emplace("aplQuery", "");
  for (const char* name : {"intervalMinutes", "rangeMinutes", "threshold"}) {
    monitor->emplace(name, 0);
  }
}

}  // namespace

Result<DatasetBody> read_dataset_body(std::string_view text) {
  EVQ_TRY_ASSIGN(const Json json, wire::parse_object(text));
  DatasetBody body;
  EVQ_TRY_ASSIGN(body.name, wire::optional_string(json, "name"));
  EVQ_TRY_ASSIGN(body.description, wire::optional_string(json, "description"));
  EVQ_TRY_ASSIGN(body.kind, wire::optional_string(json, "kind"));
  EVQ_TRY_ASSIGN(body.retention_days, wire::optional_count(json, "retentionDays"));
  EVQ_TRY_ASSIGN(body.use_retention, wire::optional_bool(json, "useRetentionPeriod"));
  Json extra = Json::object();
  for (const char* name : {"region", "edgeDeployment"}) {
    EVQ_TRY_ASSIGN(const std::optional<std::string> value, wire::optional_string(json, name));
    if (value.has_value() && !value->empty()) {
      extra[name] = *value;
    }
  }
  body.extra = extra.empty() ? std::string() : wire::text_of(extra);
  return body;
}

std::string write_dataset(const DatasetDefinition& dataset, bool can_write) {
  Json json = Json::object();
  json["id"] = dataset.name;
  json["name"] = dataset.name;
  json["description"] = dataset.description;
  json["who"] = dataset.who;
  json["created"] = instant_text(dataset.created);
  json["updatedAt"] = instant_text(dataset.updated);
  json["kind"] = dataset.kind.empty() ? "axiom:events:v1" : dataset.kind;
  json["canWrite"] = can_write;
  json["useRetentionPeriod"] = dataset.use_retention;
  json["retentionDays"] = dataset.retention_days;
  json["mapFields"] = dataset.map_fields;
  if (!dataset.extra.empty()) {
    const Json extra = Json::parse(dataset.extra, nullptr, false);
    if (extra.is_object()) {
      json.update(extra);
    }
  }
  return wire::text_of(json);
}

std::string write_list(const std::vector<std::string>& items) {
  std::string text = "[";
  for (const std::string& item : items) {
    text.append(text.size() == 1 ? "" : ",").append(item);
  }
  return text + "]";
}

Result<std::int64_t> read_trim_body(std::string_view text) {
  EVQ_TRY_ASSIGN(const Json json, wire::parse_object(text));
  EVQ_TRY_ASSIGN(const std::string duration, wire::required_string(json, "maxDuration"));
  const std::optional<std::int64_t> ns = parse_timespan(duration);
  if (!ns.has_value() || *ns < 0) {
    return make_error(ErrorCode::kUsage, "maxDuration must be a duration such as 1h30m0s or 30d");
  }
  return *ns;
}

std::string write_field(const FieldInfo& field) {
  return wire::text_of(field_object(field));
}

std::string write_dataset_info(const DatasetDefinition& dataset, const DatasetStats& stats,
                               const std::vector<FieldInfo>& fields) {
  Json json = Json::object();
  json["name"] = dataset.name;
  json["numBlocks"] = stats.blocks + stats.fresh_chunks;
  json["numEvents"] = stats.rows;
  json["numFields"] = fields.size();
  json["inputBytes"] = stats.raw_bytes;
  json["inputBytesHuman"] = human_size(stats.raw_bytes);
  json["compressedBytes"] = stats.stored_bytes;
  json["compressedBytesHuman"] = human_size(stats.stored_bytes);
  // These three are evq's own.
  json["freshChunks"] = stats.fresh_chunks;
  json["queuedBlocks"] = stats.queued_blocks;
  json["fileBytes"] = stats.file_bytes;
  if (stats.min_time.has_value() && stats.max_time.has_value()) {
    json["minTime"] = instant_text(*stats.min_time);
    json["maxTime"] = instant_text(*stats.max_time);
  }
  json["who"] = dataset.who;
  json["created"] = instant_text(dataset.created);
  json["fields"] = Json::array();
  for (const FieldInfo& field : fields) {
    json["fields"].push_back(field_object(field));
  }
  return wire::text_of(json);
}

void FieldBody::apply(FieldAttributes* attributes) const {
  attributes->unit = unit.value_or(attributes->unit);
  attributes->description = description.value_or(attributes->description);
  attributes->hidden = hidden.value_or(attributes->hidden);
}

Result<FieldBody> read_field_body(std::string_view text) {
  EVQ_TRY_ASSIGN(const Json json, wire::parse_object(text));
  FieldBody body;
  EVQ_TRY_ASSIGN(body.unit, wire::optional_string(json, "unit"));
  EVQ_TRY_ASSIGN(body.description, wire::optional_string(json, "description"));
  EVQ_TRY_ASSIGN(body.hidden, wire::optional_bool(json, "hidden"));
  if (body.unit.value_or("").size() > kFieldUnitBytesMax) {
    return make_error(ErrorCode::kUsage,
                      "unit is longer than " + std::to_string(kFieldUnitBytesMax) + " bytes");
  }
  if (body.description.value_or("").size() > kFieldDescriptionBytesMax) {
    return make_error(ErrorCode::kUsage,
                      "description is longer than " + size_text(kFieldDescriptionBytesMax));
  }
  return body;
}

Result<std::vector<std::string>> read_names_body(std::string_view text) {
  EVQ_TRY_ASSIGN(Json json, wire::parse_any(text));
  if (!json.is_object()) {
    json = Json{{"mapFields", std::move(json)}};
  } else if (!json.contains("mapFields")) {  // no names are wanted: that would remove all
    return make_error(ErrorCode::kUsage, "the body is a list of names");
  }
  EVQ_TRY_ASSIGN(const auto listed, wire::optional_strings(json, "mapFields"));
  return listed.value_or(std::vector<std::string>());
}

Result<std::string> read_name_body(std::string_view text) {
  EVQ_TRY_ASSIGN(const Json json, wire::parse_object(text));
  return wire::required_string(json, "name");
}

Result<std::string> read_id_body(std::string_view text) {
  EVQ_TRY_ASSIGN(const Json json, wire::parse_object(text));
  return wire::required_string(json, "id");
}

std::string write_strings(const std::vector<std::string>& texts) {
  return wire::text_of(Json(texts));
}

Result<TokenSpec> read_token_body(std::string_view text) {
  EVQ_TRY_ASSIGN(const Json json, wire::parse_object(text));
  return read_token(json);
}

std::string write_token(const TokenRecord& token, std::string_view secret) {
  Json json = Json::object();
  json["id"] = token.id;
  json["name"] = token.name;
  json["description"] = token.description;
  json["expiresAt"] = nullptr;
  if (token.expires.has_value()) {
    json["expiresAt"] = instant_text(*token.expires);
  }
  json["datasetCapabilities"] = Json::object();
  json["orgCapabilities"] = Json::object();
  const Json capabilities = Json::parse(token.capabilities, nullptr, false);
  if (capabilities.is_object()) {
    json.update(capabilities);
  }
  if (!secret.empty()) {
    json["token"] = secret;
  }
  return wire::text_of(json);
}

Result<TokenSpec> read_any_token_body(std::string_view text) {
  EVQ_TRY_ASSIGN(const Json json, wire::parse_object(text));
  EVQ_TRY_ASSIGN(TokenSpec spec, read_token(json));
  EVQ_TRY_ASSIGN(const std::optional<bool> personal, wire::optional_bool(json, "personal"));
  spec.personal = personal.value_or(false);
  return spec;
}

std::string write_any_token(const TokenRecord& token) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("id");
  json.string(token.id);
  json.key("name");
  json.string(token.name);
  json.key("kind");
  json.string(token.kind);
  json.key("created");
  json.instant(token.created);
  json.key("expiresAt");
  token.expires.has_value() ? json.instant(*token.expires) : json.null();
  json.key("lastUsed");
  token.last_used.has_value() ? json.instant(*token.last_used) : json.null();
  json.key("capabilities");
  token.capabilities.empty() ? json.null() : json.raw(token.capabilities);
  json.end_object();
  return text;
}

Result<RegenerateBody> read_regenerate_body(std::string_view text) {
  EVQ_TRY_ASSIGN(const Json json, wire::parse_object(text));
  RegenerateBody body;
  EVQ_TRY(wire::required_string(json, "existingTokenExpiresAt"));  // or it would end at once
  EVQ_TRY_ASSIGN(body.old_expires, optional_time(json, "existingTokenExpiresAt"));
  EVQ_TRY_ASSIGN(body.new_expires, optional_time(json, "newTokenExpiresAt"));
  if (const Json* replacement = wire::member(json, "newToken"); replacement != nullptr) {
    if (!replacement->is_object()) {
      return make_error(ErrorCode::kUsage, "newToken must be an object");
    }
    EVQ_TRY_ASSIGN(body.replacement, read_token(*replacement));
  }
  return body;
}

Result<ObjectBody> read_object_body(std::string_view text,
                                    const std::vector<std::string>& required) {
  EVQ_TRY_ASSIGN(Json json, wire::parse_object(text));
  for (const std::string& name : required) {
    EVQ_TRY(wire::required_string(json, name.c_str()));
  }
  for (const char* name : {"description", "type", "unit", "aplQuery"}) {
    EVQ_TRY(wire::optional_string(json, name));
  }
  EVQ_TRY(wire::optional_strings(json, "datasets"));
  if (const Json* properties = wire::member(json, "properties");
      properties != nullptr && !properties->is_object()) {
    return make_error(ErrorCode::kUsage, "properties must be an object");
  }
  return object_body(std::move(json));
}

Result<ObjectBody> read_monitor_body(std::string_view text) {
  EVQ_TRY_ASSIGN(Json json, wire::parse_object(text));
  EVQ_TRY(wire::required_string(json, "name"));
  EVQ_TRY(check_monitor_types(json));
  const Json* ids = wire::member(json, "notifierIds");
  const Json* same_ids = wire::member(json, "notifierIDs");
  if (ids != nullptr && same_ids != nullptr && *ids != *same_ids) {
    return make_error(ErrorCode::kUsage, "notifierIds and notifierIDs are one list: give one");
  }
  rename_notifiers(&json);
  EVQ_TRY_ASSIGN(const std::optional<std::int64_t> until, optional_time(json, "disabledUntil"));
  keep_instant(&json, "disabledUntil", until);
  if (!until.has_value() && json.value("disabledUntil", Json()) == "") {
    json.erase("disabledUntil");
  }
  EVQ_TRY_ASSIGN(const auto apl, wire::optional_string(json, "aplQuery"));
  EVQ_TRY_ASSIGN(const auto mpl, wire::optional_string(json, "mplQuery"));
  if (!mpl.value_or("").empty()) {
    if (!apl.value_or("").empty()) {
      return make_error(ErrorCode::kUsage, "aplQuery and mplQuery are mutually exclusive");
    }
    json["aplQuery"] = *mpl;
  }
  json.erase("mplQuery");
  return object_body(std::move(json));
}

Result<ObjectBody> merge_object(std::string_view known, std::string_view changes) {
  EVQ_TRY_ASSIGN(Json json, wire::parse_object(known));
  EVQ_TRY_ASSIGN(Json given, wire::parse_object(changes));
  drop_zero_times(&given);
  for (const auto& [name, value] : given.items()) {
    if (!value.is_null()) {
      json[name] = value;
    }
  }
  ObjectBody merged = object_body(std::move(json));
  // What is stored may be longer than a request: it can still be changed, but not made to grow.
  if (merged.body.size() > kHttpObjectBytesMax && merged.body.size() > known.size()) {
    return make_error(ErrorCode::kTooLarge, "it would be larger than a request may be, which is " +
                                                size_text(kHttpObjectBytesMax));
  }
  return merged;
}

Result<ObjectBody> read_annotation_body(std::string_view text, std::int64_t now_ns) {
  EVQ_TRY_ASSIGN(Json json, wire::parse_object(text));
  EVQ_TRY_ASSIGN(const std::string type, wire::required_string(json, "type"));
  const bool good = !type.empty() && type.size() <= kAnnotationCharactersMax &&
                    std::ranges::all_of(type, [](char c) {
                      return (c >= 'a' && c <= 'z') || is_digit(c) || c == '-';
                    });
  if (!good) {
    return make_error(ErrorCode::kUsage,
                      "type must be up to " + std::to_string(kAnnotationCharactersMax) +
                          " small letters, digits and hyphens, as production-deployment");
  }
  EVQ_TRY_ASSIGN(const auto datasets, wire::optional_strings(json, "datasets"));
  if (!datasets.has_value() || datasets->empty()) {
    return make_error(ErrorCode::kUsage, "datasets is required: a list of names");
  }
  if (std::ranges::any_of(*datasets, &std::string::empty)) {
    return make_error(ErrorCode::kUsage, "datasets must hold names of one character at least");
  }
  drop_zero_times(&json);
  EVQ_TRY_ASSIGN(const std::optional<std::int64_t> begin, optional_time(json, "time"));
  EVQ_TRY_ASSIGN(const std::optional<std::int64_t> end, optional_time(json, "endTime"));
  if (!begin.has_value()) {
    json["time"] = instant_text(now_ns);
  }
  keep_instant(&json, "time", begin);
  keep_instant(&json, "endTime", end);
  if (!end.has_value()) {
    json.erase("endTime");
  } else if (*end < begin.value_or(now_ns)) {
    return make_error(ErrorCode::kUsage, "endTime is before time");
  }
  for (const auto& [name, most] : {std::pair("title", kAnnotationCharactersMax),
                                   std::pair("description", 2 * kAnnotationCharactersMax),
                                   std::pair("url", 2 * kAnnotationCharactersMax)}) {
    EVQ_TRY_ASSIGN(const auto given, wire::optional_string(json, name));
    if (!given.has_value()) {
      json.erase(name);
    } else if (count_code_points(*given) > most) {
      return make_error(ErrorCode::kUsage, std::string(name) + " is longer than " +
                                               std::to_string(most) + " characters");
    }
  }
  return object_body(std::move(json));
}

std::string write_listed_starred(const StoredObject& object) {
  Json json = Json::parse(starred_answer(object), nullptr, false);
  if (json.is_object() && json.contains("query") && json["query"].is_object()) {
    json["query"].emplace("queryOptions", Json::object());
    json.emplace("dataset", "");
  }
  return wire::text_of(json);
}

std::string maker_of(const StoredObject& object) {
  return object.who.empty() ? "owner" : object.who;
}

std::string write_object(const StoredObject& object) {
  Json json = Json::object();
  json["id"] = object.id;
  Json body = Json::parse(object.body, nullptr, false);
  if (body.is_object()) {
    wire::drop_nulls(&body);
    json.update(body);
  }
  json["id"] = object.id;
  if (object.kind == ObjectKind::kMonitor) {
    complete_monitor(&json);
  }
  if (object.kind == ObjectKind::kMonitor || object.kind == ObjectKind::kNotifier) {
    json["createdAt"] = instant_text(object.created);
    json["createdBy"] = maker_of(object);
    json["updatedAt"] = instant_text(object.updated);
  }
  return wire::text_of(json);
}

bool annotation_concerns(std::string_view body, const std::vector<std::string>& datasets,
                         const TimeRange& times) {
  const Json json = Json::parse(body, nullptr, false);
  const auto concerned = wire::optional_strings(json, "datasets");
  const auto begin = optional_time(json, "time");
  const auto end = optional_time(json, "endTime");
  if (!concerned.ok() || !begin.ok() || !end.ok()) {
    return false;
  }
  const std::int64_t from = begin->value_or(kInstantMin);
  return from <= times.last && end->value_or(from) >= times.first &&
         (datasets.empty() || std::ranges::any_of(concerned->value_or(std::vector<std::string>()),
                                                  [&](const auto& name) {
                                                    return std::ranges::find(datasets, name) !=
                                                           datasets.end();
                                                  }));
}

}  // namespace evq

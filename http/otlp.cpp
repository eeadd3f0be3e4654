#include "http/otlp.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>

#include "http/protobuf.h"
#include "store/base/json_writer.h"
#include "store/base/limits.h"
#include "store/base/time.h"
#include "store/column/dynamic_json.h"

namespace evq {
namespace {

// ---- the messages, with the numbers of opentelemetry-proto and the names of its JSON form
using enum ProtoKind;

extern const ProtoMessage kAnyValue;
constexpr std::array kKeyValueFields = {ProtoField{1, "key", kText},
                                        ProtoField{2, "value", kMessage, false, &kAnyValue}};
constexpr ProtoMessage kKeyValue{kKeyValueFields};
constexpr std::array kArrayValueFields = {ProtoField{1, "values", kMessage, true, &kAnyValue}};
constexpr ProtoMessage kArrayValue{kArrayValueFields};
constexpr std::array kKeyValueListFields = {ProtoField{1, "values", kMessage, true, &kKeyValue}};
constexpr ProtoMessage kKeyValueList{kKeyValueListFields};
constexpr std::array kAnyValueFields = {
    ProtoField{1, "stringValue", kText},
    ProtoField{2, "boolValue", kBool},
    ProtoField{3, "intValue", kInteger},
    ProtoField{4, "doubleValue", kReal},
    ProtoField{5, "arrayValue", kMessage, false, &kArrayValue},
    ProtoField{6, "kvlistValue", kMessage, false, &kKeyValueList},
    ProtoField{7, "bytesValue", kBytes}};
const ProtoMessage kAnyValue{kAnyValueFields};

constexpr std::array kResourceFields = {ProtoField{1, "attributes", kMessage, true, &kKeyValue}};
constexpr ProtoMessage kResource{kResourceFields};
constexpr std::array kScopeFields = {ProtoField{1, "name", kText}, ProtoField{2, "version", kText},
                                     ProtoField{3, "attributes", kMessage, true, &kKeyValue}};
constexpr ProtoMessage kScope{kScopeFields};

constexpr std::array kLogFields = {ProtoField{1, "timeUnixNano", kFixed64},
                                   ProtoField{2, "severityNumber", kInteger},
                                   ProtoField{3, "severityText", kText},
                                   ProtoField{5, "body", kMessage, false, &kAnyValue},
                                   ProtoField{6, "attributes", kMessage, true, &kKeyValue},
                                   ProtoField{9, "traceId", kHex},
                                   ProtoField{10, "spanId", kHex},
                                   ProtoField{11, "observedTimeUnixNano", kFixed64},
                                   ProtoField{12, "eventName", kText}};
constexpr ProtoMessage kLog{kLogFields};
constexpr std::array kScopeLogsFields = {ProtoField{1, "scope", kMessage, false, &kScope},
                                         ProtoField{2, "logRecords", kMessage, true, &kLog}};
constexpr ProtoMessage kScopeLogs{kScopeLogsFields};
constexpr std::array kResourceLogsFields = {
    ProtoField{1, "resource", kMessage, false, &kResource},
    ProtoField{2, "scopeLogs", kMessage, true, &kScopeLogs}};
constexpr ProtoMessage kResourceLogs{kResourceLogsFields};
constexpr std::array kLogsFields = {ProtoField{1, "resourceLogs", kMessage, true, &kResourceLogs}};
constexpr ProtoMessage kLogsRequest{kLogsFields};

constexpr std::array kSpanEventFields = {ProtoField{1, "timeUnixNano", kFixed64},
                                         ProtoField{2, "name", kText},
                                         ProtoField{3, "attributes", kMessage, true, &kKeyValue}};
constexpr ProtoMessage kSpanEvent{kSpanEventFields};
constexpr std::array kSpanLinkFields = {ProtoField{1, "traceId", kHex},
                                        ProtoField{2, "spanId", kHex},
                                        ProtoField{4, "attributes", kMessage, true, &kKeyValue}};
constexpr ProtoMessage kSpanLink{kSpanLinkFields};
constexpr std::array kStatusFields = {ProtoField{2, "message", kText},
                                      ProtoField{3, "code", kInteger}};
constexpr ProtoMessage kStatus{kStatusFields};
constexpr std::array kSpanFields = {ProtoField{1, "traceId", kHex},
                                    ProtoField{2, "spanId", kHex},
                                    ProtoField{3, "traceState", kText},
                                    ProtoField{4, "parentSpanId", kHex},
                                    ProtoField{5, "name", kText},
                                    ProtoField{6, "kind", kInteger},
                                    ProtoField{7, "startTimeUnixNano", kFixed64},
                                    ProtoField{8, "endTimeUnixNano", kFixed64},
                                    ProtoField{9, "attributes", kMessage, true, &kKeyValue},
                                    ProtoField{11, "events", kMessage, true, &kSpanEvent},
                                    ProtoField{13, "links", kMessage, true, &kSpanLink},
                                    ProtoField{15, "status", kMessage, false, &kStatus}};
constexpr ProtoMessage kSpan{kSpanFields};
constexpr std::array kScopeSpansFields = {ProtoField{1, "scope", kMessage, false, &kScope},
                                          ProtoField{2, "spans", kMessage, true, &kSpan}};
constexpr ProtoMessage kScopeSpans{kScopeSpansFields};
constexpr std::array kResourceSpansFields = {
    ProtoField{1, "resource", kMessage, false, &kResource},
    ProtoField{2, "scopeSpans", kMessage, true, &kScopeSpans}};
constexpr ProtoMessage kResourceSpans{kResourceSpansFields};
constexpr std::array kTracesFields = {
    ProtoField{1, "resourceSpans", kMessage, true, &kResourceSpans}};
constexpr ProtoMessage kTracesRequest{kTracesFields};

// ---- the mapping
DynamicView member(DynamicView bag, std::string_view name) {
  return bag.find(name).value_or(DynamicView());
}

// A list of the messages, which may be left out when it is empty.
bool is_list(DynamicView value) {
  return value.is_array() || value.is_null();
}

// Numbers of 64 bits are strings in the JSON form.
std::optional<std::int64_t> integer(DynamicView value) {
  if (value.tag() == DynamicTag::kLong) {
    return value.as_integer();
  }
  if (!value.is_string()) {
    return std::nullopt;
  }
  const std::string_view text = value.as_string();
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size()
             ? std::optional<std::int64_t>(number)
             : std::nullopt;
}

void write_any(JsonWriter* json, DynamicView any);

void write_pairs(JsonWriter* json, DynamicView pairs) {
  json->begin_object();
  for (DynamicView::Iterator each(pairs); each.next();) {
    const DynamicView key = member(each.value(), "key");
    if (key.is_string()) {
      json->key(key.as_string());
      write_any(json, member(each.value(), "value"));
    }
  }
  json->end_object();
}

// An AnyValue: an object with one member that names its type.
void write_any(JsonWriter* json, DynamicView any) {
  DynamicView::Iterator only(any);
  if (!any.is_bag() || !only.next()) {
    json->null();
  } else if (only.key() == "arrayValue") {
    json->begin_array();
    const DynamicView values = member(only.value(), "values");
    for (DynamicView::Iterator each(values); each.next();) {
      write_any(json, each.value());
    }
    json->end_array();
  } else if (only.key() == "kvlistValue") {
    write_pairs(json, member(only.value(), "values"));
  } else if (const auto number = integer(only.value());
             only.key() == "intValue" && number.has_value()) {
    json->integer(*number);
  } else {
    json->raw(json_from_dynamic(only.value()));
  }
}

// Names with dots as nested objects. What is too long for a field, or more than an event may have,
// stays whole, so that the tree is neither deep nor much larger than its names.
struct NameTree {
  std::map<std::string, NameTree, std::less<>> children;
  std::optional<std::string> value;  // JSON

  // `position` of the name among all that the tree is given.
  NameTree& at(std::string_view path, std::size_t position) {
    NameTree* node = this;
    const bool splits = path.size() <= kFieldNameBytesMax && position < kEventFieldsMax;
    while (true) {
      const std::size_t dot = splits ? std::min(path.find('.'), path.size()) : path.size();
      node = &node->children[std::string(path.substr(0, dot))];
      if (dot >= path.size()) {
        return *node;
      }
      path.remove_prefix(dot + 1);
    }
  }
  void write(JsonWriter* json) const {
    if (children.empty()) {
      json->raw(value.value_or("null"));
      return;
    }
    json->begin_object();
    if (value.has_value()) {  // both `a` and `a.b` were given
      json->key("_value");
      json->raw(*value);
    }
    for (const auto& [name, child] : children) {
      json->key(name);
      child.write(json);
    }
    json->end_object();
  }
};

// The first parts of the names that OpenTelemetry's semantic conventions define, in order.
constexpr std::array<std::string_view, 68> kConventionNamespaces = {
    "android",      "artifact",    "aspnetcore",   "aws",         "az",
    "azure",        "browser",     "cassandra",    "cicd",        "client",
    "cloud",        "cloudevents", "cloudfoundry", "code",        "container",
    "cpu",          "cpython",     "db",           "deployment",  "destination",
    "device",       "disk",        "dns",          "dotnet",      "elasticsearch",
    "enduser",      "error",       "event",        "exception",   "faas",
    "feature_flag", "file",        "gcp",          "gen_ai",      "geo",
    "go",           "graphql",     "heroku",       "host",        "http",
    "hw",           "ios",         "jvm",          "k8s",         "linux",
    "log",          "mcp",         "message",      "messaging",   "net",
    "network",      "nodejs",      "oci",          "opentracing", "os",
    "otel",         "peer",        "process",      "profile",     "rpc",
    "server",       "service",     "session",      "source",      "thread",
    "tls",          "url",         "user_agent"};

bool is_convention(std::string_view name) {
  const std::size_t dot = name.find('.');
  return dot != std::string_view::npos &&
         std::ranges::binary_search(kConventionNamespaces, name.substr(0, dot));
}

std::string value_text(DynamicView pair) {
  std::string text;
  JsonWriter value(text);
  write_any(&value, member(pair, "value"));
  return text;
}

void write_attributes(JsonWriter* json, std::string_view key, DynamicView pairs) {
  NameTree tree;
  std::size_t names = 0;
  for (DynamicView::Iterator each(pairs); each.next();) {
    const DynamicView name = member(each.value(), "key");
    if (name.is_string()) {
      tree.at(name.as_string(), names++).value = value_text(each.value());
    }
  }
  if (!tree.children.empty()) {
    json->key(key);
    tree.write(json);
  }
}

// The attributes of a log record or span.
void write_event_attributes(JsonWriter* json, DynamicView pairs) {
  NameTree tree;
  std::size_t names = 0;
  std::string custom;
  JsonWriter map(custom);
  map.begin_object();
  for (DynamicView::Iterator each(pairs); each.next();) {
    const DynamicView name = member(each.value(), "key");
    if (!name.is_string()) {
      continue;
    }
    if (is_convention(name.as_string())) {
      tree.at(name.as_string(), names++).value = value_text(each.value());
    } else {
      map.key(name.as_string());
      map.raw(value_text(each.value()));
    }
  }
  map.end_object();
  if (custom.size() > 2) {
    tree.children["custom"].value = std::move(custom);
  }
  if (!tree.children.empty()) {
    json->key("attributes");
    tree.write(json);
  }
}

void write_text(JsonWriter* json, std::string_view key, DynamicView value) {
  if (value.is_string() && !value.as_string().empty()) {
    json->key(key);
    json->string(value.as_string());
  }
}

void write_time(JsonWriter* json, std::string_view key, std::optional<std::int64_t> ns) {
  if (ns.value_or(0) != 0) {
    json->key(key);
    json->instant(*ns);
  }
}

void write_origin(JsonWriter* json, DynamicView resource, DynamicView scope) {
  const DynamicView attributes = member(resource, "attributes");
  write_attributes(json, "resource", attributes);
  for (DynamicView::Iterator each(attributes); each.next();) {
    const DynamicView key = member(each.value(), "key");
    if (key.is_string() && key.as_string() == "service.name") {
      json->key("service");
      json->begin_object();
      json->key("name");
      write_any(json, member(each.value(), "value"));
      json->end_object();
    }
  }
  if (!scope.is_bag()) {
    return;
  }
  json->key("scope");
  json->begin_object();
  write_text(json, "name", member(scope, "name"));
  write_text(json, "version", member(scope, "version"));
  write_attributes(json, "attributes", member(scope, "attributes"));
  json->end_object();
}

void write_log(JsonWriter* json, DynamicView log) {
  const std::optional<std::int64_t> time = integer(member(log, "timeUnixNano"));
  write_time(json, "_time",
             time.value_or(0) != 0 ? time : integer(member(log, "observedTimeUnixNano")));
  if (const DynamicView body = member(log, "body"); body.is_bag()) {
    json->key("body");
    write_any(json, body);
  }
  write_text(json, "severity_text", member(log, "severityText"));
  if (const auto number = integer(member(log, "severityNumber")); number.value_or(0) != 0) {
    json->key("severity_number");
    json->integer(*number);
  }
  write_text(json, "trace_id", member(log, "traceId"));
  write_text(json, "span_id", member(log, "spanId"));
  write_text(json, "event_name", member(log, "eventName"));
  write_event_attributes(json, member(log, "attributes"));
}

std::string_view span_kind(std::int64_t kind) {
  static constexpr std::array<std::string_view, 6> kKinds = {"unspecified", "internal", "server",
                                                             "client",      "producer", "consumer"};
  return kind >= 0 && kind < static_cast<std::int64_t>(kKinds.size())
             ? kKinds.at(static_cast<std::size_t>(kind))
             : kKinds[0];
}

void write_span_parts(JsonWriter* json, std::string_view key, DynamicView list) {
  if (list.size() == 0) {
    return;
  }
  json->key(key);
  json->begin_array();
  for (DynamicView::Iterator each(list); each.next();) {
    json->begin_object();
    write_text(json, "name", member(each.value(), "name"));
    write_time(json, "timestamp", integer(member(each.value(), "timeUnixNano")));
    write_text(json, "trace_id", member(each.value(), "traceId"));
    write_text(json, "span_id", member(each.value(), "spanId"));
    write_attributes(json, "attributes", member(each.value(), "attributes"));
    json->end_object();
  }
  json->end_array();
}

void write_span(JsonWriter* json, DynamicView span) {
  const auto start = integer(member(span, "startTimeUnixNano"));
  const auto end = integer(member(span, "endTimeUnixNano"));
  write_time(json, "_time", start);
  write_text(json, "trace_id", member(span, "traceId"));
  write_text(json, "span_id", member(span, "spanId"));
  write_text(json, "parent_span_id", member(span, "parentSpanId"));
  write_text(json, "trace_state", member(span, "traceState"));
  write_text(json, "name", member(span, "name"));
  json->key("kind");
  json->string(span_kind(integer(member(span, "kind")).value_or(0)));
  if (start.has_value() && end.has_value() && *end >= *start) {
    json->key(kOtlpDurationField);
    json->integer(*end - *start);
  }
  const DynamicView status = member(span, "status");
  const std::int64_t code = integer(member(status, "code")).value_or(0);
  json->key("error");
  json->boolean(code == 2);
  if (code != 0) {
    json->key("status");
    json->begin_object();
    json->key("code");
    json->string(code == 1 ? "OK" : "ERROR");
    write_text(json, "message", member(status, "message"));
    json->end_object();
  }
  write_event_attributes(json, member(span, "attributes"));
  write_span_parts(json, "events", member(span, "events"));
  write_span_parts(json, "links", member(span, "links"));
}

}  // namespace

Result<std::string> otlp_events(std::string body, OtlpSignal signal, bool protobuf,
                                RewritingClaim* claim) {
  const bool logs = signal == OtlpSignal::kLogs;
  const std::optional<std::string> bytes =
      protobuf ? dynamic_from_proto(body, logs ? kLogsRequest : kTracesRequest)
               : dynamic_from_json(body);
  std::string().swap(body);
  const Error malformed = make_error(ErrorCode::kData, "the export request is malformed");
  if (!bytes.has_value() || !DynamicView(*bytes).is_bag()) {
    return malformed;
  }
  std::string text;
  const DynamicView resources =
      member(DynamicView(*bytes), logs ? "resourceLogs" : "resourceSpans");
  if (!is_list(resources)) {
    return malformed;
  }
  for (DynamicView::Iterator resource(resources); resource.next();) {
    const DynamicView scopes = member(resource.value(), logs ? "scopeLogs" : "scopeSpans");
    if (!is_list(scopes)) {
      return malformed;
    }
    for (DynamicView::Iterator scope(scopes); scope.next();) {
      const DynamicView records = member(scope.value(), logs ? "logRecords" : "spans");
      if (!is_list(records)) {
        return malformed;
      }
      for (DynamicView::Iterator record(records); record.next();) {
        if (!record.value().is_bag()) {
          return malformed;
        }
        const std::size_t before = text.size();
        JsonWriter json(text);
        json.begin_object();
        logs ? write_log(&json, record.value()) : write_span(&json, record.value());
        write_origin(&json, member(resource.value(), "resource"), member(scope.value(), "scope"));
        json.end_object();
        text.push_back('\n');
        if (claim != nullptr) {
          EVQ_TRY(claim->take_events(text.size() - before));
        }
      }
    }
  }
  return text;
}

}  // namespace evq

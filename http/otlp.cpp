#include "http/otlp.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <span>
#include <utility>

#include "http/event_members.h"
#include "http/otlp_attributes.h"
#include "http/proto_json.h"
#include "http/protobuf.h"
#include "store/base/ascii.h"
#include "store/base/checked_math.h"
#include "store/base/json_writer.h"
#include "store/base/limits.h"
#include "store/column/dynamic_json.h"
#include "store/ingest/tolerant_reader.h"

namespace evq {
namespace {

// ---- the messages, with the numbers of opentelemetry-proto and the names of its JSON form
using enum ProtoKind;

constexpr std::size_t kTraceIdBytes = 16;
constexpr std::size_t kSpanIdBytes = 8;

constexpr ProtoField trace_id_field(std::uint32_t number) {
  return {.number = number, .name = "traceId", .kind = kHex, .hex_bytes = kTraceIdBytes};
}

constexpr ProtoField span_id_field(std::uint32_t number, std::string_view name) {
  return {.number = number, .name = name, .kind = kHex, .hex_bytes = kSpanIdBytes};
}

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
const ProtoMessage kAnyValue{kAnyValueFields, true};

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
                                   trace_id_field(9),
                                   span_id_field(10, "spanId"),
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
constexpr std::array kSpanLinkFields = {trace_id_field(1), span_id_field(2, "spanId"),
                                        ProtoField{3, "traceState", kText},
                                        ProtoField{4, "attributes", kMessage, true, &kKeyValue}};
constexpr ProtoMessage kSpanLink{kSpanLinkFields};
constexpr std::array kStatusFields = {ProtoField{2, "message", kText},
                                      ProtoField{3, "code", kInteger}};
constexpr ProtoMessage kStatus{kStatusFields};
constexpr std::array kSpanFields = {trace_id_field(1),
                                    span_id_field(2, "spanId"),
                                    ProtoField{3, "traceState", kText},
                                    span_id_field(4, "parentSpanId"),
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

// Whether something is given that should be a time and cannot be read as one.
bool is_bad_time(DynamicView value) {
  const bool any = !value.is_null() && !(value.is_string() && value.as_string().empty());
  return any && !otlp_integer(value).has_value();
}

void write_text(JsonWriter* json, std::string_view key, DynamicView value) {
  if (value.is_string() && !value.as_string().empty()) {
    json->key(key);
    json->string(value.as_string());
  }
}

// Nothing for an id of another length or of zeros alone, which by opentelemetry-proto is none. Ids
// of JSON may be written in either case; those of the other form come in small letters.
void write_id(JsonWriter* json, std::string_view key, DynamicView value, std::size_t bytes) {
  if (!value.is_string() || value.as_string().size() != 2 * bytes ||
      value.as_string().find_first_not_of('0') == std::string_view::npos ||
      !std::ranges::all_of(value.as_string(), [](char c) { return hex_digit(c) >= 0; })) {
    return;
  }
  json->key(key);
  json->string(ascii_lower(value.as_string()));
}
void write_trace_id(JsonWriter* json, DynamicView record) {
  write_id(json, "trace_id", member(record, "traceId"), kTraceIdBytes);
}
void write_span_id(JsonWriter* json, DynamicView record) {
  write_id(json, "span_id", member(record, "spanId"), kSpanIdBytes);
}

// Nothing for 0 and for what is not given; as it was given what cannot be read, and so that the
// store cannot read it either.
void write_time(JsonWriter* json, std::string_view key, DynamicView value) {
  const std::int64_t ns = otlp_integer(value).value_or(0);
  if (is_bad_time(value)) {
    json->key(key);
    json->string(value.is_string() ? std::string(value.as_string())
                                   : json_from_dynamic(value) + " ns");
  } else if (ns != 0) {
    json->key(key);
    json->instant(ns);
  }
}

// A member of a record that is a time.
struct TimeMember {
  TimeMember(DynamicView record, std::string_view member_name)
      : name(member_name), value(member(record, member_name)) {}
  bool is_bad() const { return is_bad_time(value); }

  std::string_view name;
  DynamicView value;
};

// Nothing unless both are given, of which 0 is none, and int64 has it.
std::optional<std::int64_t> difference(DynamicView from, DynamicView to) {
  const std::int64_t begin = otlp_integer(from).value_or(0);
  const std::int64_t end = otlp_integer(to).value_or(0);
  return begin != 0 && end != 0 ? checked_subtract(end, begin) : std::nullopt;
}

// A value of an enumeration, which JSON may give by name: one of `names` behind `prefix`, whose
// place is its number. 0, which none of them means, for what is neither.
std::int64_t enum_value(DynamicView value, std::string_view prefix,
                        std::span<const std::string_view> names) {
  if (!value.is_string() || !value.as_string().starts_with(prefix)) {
    return otlp_integer(value).value_or(0);
  }
  const auto found = std::ranges::find(names, value.as_string().substr(prefix.size()));
  return found == names.end() ? 0 : found - names.begin();
}

// Where a record comes from, as members of an event: the resource, its service and the scope.
std::string origin_text(DynamicView resource, DynamicView scope) {
  std::string text;
  JsonWriter json(text);
  OtlpAttributes names(OtlpAttributes::Names::kAll);
  const DynamicView attributes = member(resource, "attributes");
  names.write("resource", attributes, &json);
  for (DynamicView::Iterator each(attributes); each.next();) {
    const DynamicView key = member(each.value(), "key");
    if (key.is_string() && key.as_string() == "service.name") {
      json.key("service");
      json.begin_object();
      json.key("name");
      write_otlp_value(&json, member(each.value(), "value"));
      json.end_object();
    }
  }
  if (scope.is_bag()) {
    json.key("scope");
    json.begin_object();
    write_text(&json, "name", member(scope, "name"));
    write_text(&json, "version", member(scope, "version"));
    names.write("attributes", member(scope, "attributes"), &json);
    json.end_object();
  }
  return text;
}

std::string span_kind(DynamicView value) {
  static constexpr std::array<std::string_view, 6> kKinds = {"UNSPECIFIED", "INTERNAL", "SERVER",
                                                             "CLIENT",      "PRODUCER", "CONSUMER"};
  const std::int64_t kind = enum_value(value, "SPAN_KIND_", kKinds);
  return ascii_lower(kind >= 0 && kind < static_cast<std::int64_t>(kKinds.size())
                         ? kKinds.at(static_cast<std::size_t>(kind))
                         : kKinds[0]);
}

std::int64_t status_code(DynamicView value) {
  static constexpr std::array<std::string_view, 3> kCodes = {"UNSET", "OK", "ERROR"};
  return enum_value(value, "STATUS_CODE_", kCodes);
}

std::int64_t severity_number(DynamicView value) {
  static constexpr std::array<std::string_view, 25> kNumbers = {
      "UNSPECIFIED", "TRACE",  "TRACE2", "TRACE3", "TRACE4", "DEBUG",  "DEBUG2", "DEBUG3", "DEBUG4",
      "INFO",        "INFO2",  "INFO3",  "INFO4",  "WARN",   "WARN2",  "WARN3",  "WARN4",  "ERROR",
      "ERROR2",      "ERROR3", "ERROR4", "FATAL",  "FATAL2", "FATAL3", "FATAL4"};
  return enum_value(value, "SEVERITY_NUMBER_", kNumbers);
}

// Appends records to text, an event a line.
class EventText {
 public:
  // `origin` as origin_text() gives it.
  void add_log(DynamicView log, std::string_view origin);
  void add_span(DynamicView span, std::string_view origin);

  std::size_t size() const { return text_.size(); }
  OtlpEvents take() { return {std::move(text_), std::move(unread_times_)}; }

 private:
  void write_event_time(std::initializer_list<TimeMember> times);
  // The members that end every event.
  void end(DynamicView record, std::string_view origin) {
    event_attributes_.write("attributes", member(record, "attributes"), &json_);
    if (!origin.empty()) {
      json_.raw(origin);
    }
    json_.end_object();
    json_.new_line();
    ++lines_;
  }
  void write_span_parts(std::string_view key, DynamicView list);

  std::string text_;
  JsonWriter json_{text_};
  OtlpAttributes event_attributes_{OtlpAttributes::Names::kConventions};
  OtlpAttributes part_attributes_{OtlpAttributes::Names::kAll};
  std::uint64_t lines_ = 0;  // that are whole
  std::map<std::uint64_t, std::string_view> unread_times_;
};

// The event's time: the first of them that is given and not 0, or one that cannot be read, with
// which the store refuses the event and says so.
void EventText::write_event_time(std::initializer_list<TimeMember> times) {
  const auto* const bad = std::ranges::find_if(times, &TimeMember::is_bad);
  const auto* const given = std::ranges::find_if(
      times, [](const TimeMember& time) { return otlp_integer(time.value).value_or(0) != 0; });
  if (bad != times.end() && unread_times_.size() < kIngestFailuresListedMax) {
    unread_times_.emplace(lines_ + 1, bad->name);
  }
  if (bad != times.end() || given != times.end()) {
    write_time(&json_, "_time", (bad != times.end() ? bad : given)->value);
  }
}

void EventText::add_log(DynamicView log, std::string_view origin) {
  json_.begin_object();
  write_event_time({{log, "timeUnixNano"}, {log, "observedTimeUnixNano"}});
  if (const DynamicView body = member(log, "body"); body.is_bag()) {
    json_.key("body");
    write_otlp_value(&json_, body);
  }
  write_text(&json_, "severity_text", member(log, "severityText"));
  if (const std::int64_t number = severity_number(member(log, "severityNumber")); number != 0) {
    json_.key("severity_number");
    json_.integer(number);
  }
  write_trace_id(&json_, log);
  write_span_id(&json_, log);
  write_text(&json_, "event_name", member(log, "eventName"));
  end(log, origin);
}

void EventText::write_span_parts(std::string_view key, DynamicView list) {
  if (list.size() == 0) {
    return;
  }
  json_.key(key);
  json_.begin_array();
  for (DynamicView::Iterator each(list); each.next();) {
    json_.begin_object();
    write_text(&json_, "name", member(each.value(), "name"));
    write_time(&json_, "timestamp", member(each.value(), "timeUnixNano"));
    write_trace_id(&json_, each.value());
    write_span_id(&json_, each.value());
    write_text(&json_, "trace_state", member(each.value(), "traceState"));
    part_attributes_.write("attributes", member(each.value(), "attributes"), &json_);
    json_.end_object();
  }
  json_.end_array();
}

void EventText::add_span(DynamicView span, std::string_view origin) {
  json_.begin_object();
  const TimeMember begins(span, "startTimeUnixNano");
  const TimeMember ends(span, "endTimeUnixNano");
  ends.is_bad() ? write_event_time({begins, ends}) : write_event_time({begins});
  write_trace_id(&json_, span);
  write_span_id(&json_, span);
  write_id(&json_, "parent_span_id", member(span, "parentSpanId"), kSpanIdBytes);
  write_text(&json_, "trace_state", member(span, "traceState"));
  write_text(&json_, "name", member(span, "name"));
  json_.key("kind");
  json_.string(span_kind(member(span, "kind")));
  const std::optional<std::int64_t> duration = difference(begins.value, ends.value);
  if (duration.value_or(-1) >= 0) {
    json_.key(kOtlpDurationField);
    json_.integer(*duration);
  } else if (!ends.is_bad()) {  // of clocks that differ: the span ends before it begins
    write_time(&json_, "end_time", ends.value);
  }
  const DynamicView status = member(span, "status");
  const std::int64_t code = status_code(member(status, "code"));
  json_.key("error");
  json_.boolean(code == 2);
  if (code != 0) {
    json_.key("status");
    json_.begin_object();
    json_.key("code");
    json_.string(code == 1 ? "OK" : code == 2 ? "ERROR" : std::to_string(code));
    write_text(&json_, "message", member(status, "message"));
    json_.end_object();
  }
  write_span_parts("events", member(span, "events"));
  write_span_parts("links", member(span, "links"));
  end(span, origin);
}

Error malformed(const std::string& why) {
  return make_error(ErrorCode::kData, "the export request is malformed: " + why);
}

// Refuses what is not of the message's shape, so that nothing of it is passed over, and gives
// members the names by which they are looked for. What has no list of records and is not empty is
// another message.
Status check_json(const ProtoMessage& message, RewritingClaim* claim, std::string* bytes) {
  const Result<ProtoJsonShape> shape = check_proto_json(DynamicView(*bytes), message);
  if (!shape.ok()) {
    return malformed(shape.error().message);
  }
  if (shape->has_other_names) {
    if (claim != nullptr) {
      EVQ_TRY(claim->take_events(bytes->size()));
    }
    *bytes = with_table_names(DynamicView(*bytes), message);
  }
  const DynamicView request(*bytes);
  const std::string_view records = message.fields[0].name;
  return request.size() == 0 || request.find(records).has_value()
             ? Status::success()
             : Status(malformed("it has no " + std::string(records)));
}

// The dynamic bytes of a request. Takes the body, as otlp_events does.
Result<std::string> read_request(std::string body, const ProtoMessage& message,
                                 OtlpEncoding encoding, RewritingClaim* claim) {
  if (encoding == OtlpEncoding::kProtobuf) {
    Result<std::string> bytes = dynamic_from_proto(body, message);
    return bytes.ok() || bytes.error().code != ErrorCode::kData ? std::move(bytes)
                                                                : malformed(bytes.error().message);
  }
  if (claim != nullptr) {
    EVQ_TRY(claim->take_values(body));
  }
  DynamicBuilder builder;
  if (const auto fault = TolerantReader().read(body, &builder); fault.has_value()) {
    return malformed("it is no JSON: " + line_and_column(body, fault->offset) + ": " +
                     fault->reason);
  }
  std::string().swap(body);
  std::string bytes = builder.take();
  EVQ_TRY(check_json(message, claim, &bytes));
  return bytes;
}

// How many attributes are looked at side by side: those of a record or of one of a span's parts,
// the most of them.
std::size_t most_attributes(DynamicView attributed) {
  std::size_t most = member(attributed, "attributes").size();
  for (const std::string_view parts : {"events", "links"}) {
    for (DynamicView::Iterator each(member(attributed, parts)); each.next();) {
      most = std::max(most, member(each.value(), "attributes").size());
    }
  }
  return most;
}

// Appends the records of one scope.
Status add_records(DynamicView scope, DynamicView resource, OtlpSignal signal,
                   RewritingClaim* claim, MemberRoom* room, EventText* events) {
  const bool logs = signal == OtlpSignal::kLogs;
  std::optional<std::string> origin;  // when there is a record: scopes may be many and empty
  const auto make_room = [&](DynamicView attributed) {
    return room != nullptr ? room->take(most_attributes(attributed)) : Status();
  };
  const DynamicView records = member(scope, logs ? "logRecords" : "spans");
  for (DynamicView::Iterator record(records); record.next();) {
    EVQ_TRY(make_room(record.value()));
    if (!origin.has_value()) {
      EVQ_TRY(make_room(resource));
      EVQ_TRY(make_room(member(scope, "scope")));
      origin = origin_text(resource, member(scope, "scope"));
    }
    const std::size_t before = events->size();
    logs ? events->add_log(record.value(), *origin) : events->add_span(record.value(), *origin);
    if (claim != nullptr) {
      EVQ_TRY(claim->take_events(events->size() - before));
    }
  }
  return Status::success();
}

}  // namespace

Result<OtlpEvents> otlp_events(std::string body, OtlpSignal signal, OtlpEncoding encoding,
                               RewritingClaim* claim) {
  const bool logs = signal == OtlpSignal::kLogs;
  const ProtoMessage& message = logs ? kLogsRequest : kTracesRequest;
  EVQ_TRY_ASSIGN(const std::string bytes, read_request(std::move(body), message, encoding, claim));
  EventText events;
  std::optional<MemberRoom> room;
  if (claim != nullptr) {
    room.emplace(*claim);
  }
  const DynamicView resources = member(DynamicView(bytes), logs ? "resourceLogs" : "resourceSpans");
  for (DynamicView::Iterator resource(resources); resource.next();) {
    const DynamicView scopes = member(resource.value(), logs ? "scopeLogs" : "scopeSpans");
    const DynamicView source = member(resource.value(), "resource");
    for (DynamicView::Iterator scope(scopes); scope.next();) {
      EVQ_TRY(add_records(scope.value(), source, signal, claim, room.has_value() ? &*room : nullptr,
                          &events));
    }
  }
  return events.take();
}

}  // namespace evq

// Ingest as other systems speak it: Elasticsearch's bulk API and Splunk's HTTP event collector.
// Each body is rewritten as NDJSON and stored like any other.

#include <algorithm>
#include <array>
#include <map>

#include "http/error_form.h"
#include "http/ingest_body.h"
#include "http/router.h"
#include "store/base/ascii.h"
#include "store/base/json_writer.h"
#include "store/base/limits.h"
#include "store/base/time.h"
#include "store/base/utf8.h"
#include "store/column/dynamic_json.h"
#include "store/ingest/nested_value.h"

namespace evq {
namespace {

// ---- Elasticsearch

struct Bulk {
  std::string documents;             // NDJSON
  std::vector<std::string> actions;  // of each document: index, create
};

// What {"index":{…}} asks for; empty for a line that asks for nothing known. Events are never
// changed, so there is no `update`.
std::string_view action_of(DynamicView line) {
  DynamicView::Iterator only(line);
  if (!line.is_bag() || !only.next() || !only.value().is_bag()) {
    return {};
  }
  static constexpr std::array<std::string_view, 3> kActions = {"index", "create", "delete"};
  const auto found = std::ranges::find(kActions, only.key());
  return found == kActions.end() ? std::string_view() : *found;
}

// Pairs of an action line and a document; `delete` has no document and does nothing here.
Result<Bulk> read_bulk(std::string_view body) {
  Bulk bulk;
  JsonReader reader;
  DynamicBuilder builder;
  while (!body.empty()) {
    const std::string_view line = take_line(&body);
    if (is_blank(line)) {
      continue;
    }
    builder.clear();
    const bool is_json = reader.read(line, &builder);
    const std::string_view action =
        action_of(is_json ? DynamicView(builder.bytes()) : DynamicView());
    if (action.empty()) {
      return make_error(ErrorCode::kData, "an action line of the bulk body is malformed");
    }
    if (action == "delete") {
      continue;
    }
    const std::string_view document = take_line(&body);
    if (is_blank(document)) {
      return make_error(ErrorCode::kData, "an action line of the bulk body has no document");
    }
    bulk.actions.emplace_back(action);
    bulk.documents.append(document).push_back('\n');
  }
  return bulk;
}

// Why a document failed, by its line; null when it was stored. Only the first failures are listed:
// of what comes behind them nobody is told that it was stored.
class BulkFailures {
 public:
  explicit BulkFailures(const IngestCounts& counts) {
    for (const IngestFailure& failure : counts.failures) {
      reasons_.emplace(failure.line, failure.reason);
    }
    if (counts.failed > counts.failures.size()) {
      known_lines_ = reasons_.rbegin()->first;
    }
  }
  const std::string* find(std::uint64_t line) const {
    static const std::string kUnknown =
        "too many documents of this request failed to say whether this one did";
    const auto reason = reasons_.find(line);
    return reason != reasons_.end() ? &reason->second : line > known_lines_ ? &kUnknown : nullptr;
  }

 private:
  std::map<std::uint64_t, std::string> reasons_;
  std::uint64_t known_lines_ = UINT64_MAX;
};

std::string bulk_answer(const Bulk& bulk, std::string_view dataset, const IngestReport& report,
                        std::int64_t took_ms) {
  const BulkFailures failures(report.counts);
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("took");
  json.integer(took_ms);
  json.key("errors");
  json.boolean(report.counts.failed > 0);
  json.key("items");
  json.begin_array();
  for (std::size_t i = 0; i < bulk.actions.size(); ++i) {
    const std::string* failure = failures.find(i + 1);
    json.begin_object();
    json.key(bulk.actions[i]);
    json.begin_object();
    json.key("_index");
    json.string(dataset);
    json.key("status");
    json.integer(failure == nullptr ? 201 : 400);
    if (failure == nullptr) {
      json.key("result");
      json.string("created");
    } else {
      json.key("error");
      json.begin_object();
      json.key("type");
      json.string("mapper_parsing_exception");
      json.key("reason");
      json.string(*failure);
      json.end_object();
    }
    json.end_object();
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return text;
}

// ---- Splunk

// Of one request: each is a load of its own, and may be a dataset of its own.
constexpr std::size_t kIndexesMax = 100;

// The top-level JSON objects of a text that holds one after the other, or a list of them; nothing
// when it holds anything else.
std::optional<std::vector<std::string_view>> split_objects(std::string_view text) {
  constexpr std::string_view kBetween = " \t\r\n,[]";
  std::vector<std::string_view> objects;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{') {
      NestedValue object{.depth = 1};
      const std::size_t end = pass_nested(text, i + 1, &object);
      objects.push_back(text.substr(i, end - i));
      i = end - 1;
    } else if (kBetween.find(text[i]) == std::string_view::npos) {
      return std::nullopt;
    }
  }
  return objects;
}

// Whether an envelope has an event, and one that says something.
bool has_event(DynamicView envelope) {
  const auto event = envelope.find("event");
  return event.has_value() && !event->is_null();
}

bool has_blank_event(DynamicView envelope) {
  const auto event = envelope.find("event");
  return event.has_value() && event->is_string() && event->as_string().empty();
}

// One envelope, which has an event, as this event.
void append_envelope(DynamicView envelope, std::string* out) {
  const auto event = envelope.find("event");
  JsonWriter json(*out);
  json.begin_object();
  if (const auto time = envelope.find("time"); time.has_value() && !time->is_null()) {
    json.key("_time");
    append_json(*time, &json.raw());
  }
  for (const char* name : {"host", "source", "sourcetype"}) {
    if (const auto value = envelope.find(name); value.has_value() && !value->is_null()) {
      json.key(name);
      append_json(*value, &json.raw());
    }
  }
  if (event->is_bag()) {
    append_members(&json, *event);
  } else {
    json.key("_raw");
    append_json(*event, &json.raw());
  }
  if (const auto fields = envelope.find("fields"); fields.has_value() && fields->is_bag()) {
    append_members(&json, *fields);
  }
  json.end_object();
  out->push_back('\n');
}

// ?index=, else the first envelope's index, else the only dataset the token may ingest to.
std::string splunk_dataset(const HttpRequest& request, DynamicView envelope) {
  if (const auto index = request.parameter("index"); index.has_value() && !index->empty()) {
    return std::string(*index);
  }
  const auto index = envelope.find("index");
  if (index.has_value() && index->is_string() && !index->as_string().empty()) {
    return std::string(index->as_string());
  }
  std::string only;
  if (request.identity.capabilities != nullptr) {
    for (const auto& [dataset, resources] : request.identity.capabilities->datasets) {
      if (dataset != "*" && request.identity.may(dataset, "ingest", "create")) {
        only = only.empty() ? dataset : "*";
      }
    }
  }
  return only == "*" ? std::string() : only;
}

// Stores nothing unless every dataset has a good name and the token may write to it. Like Splunk it
// keeps the good events of a request of which others are not, and then says nothing that would make
// the sender repeat all of them.
Result<HttpResponse> store_splunk(Api& api, HttpRequest& request,
                                  const std::map<std::string, std::string>& events_by_dataset) {
  for (const auto& [dataset, events] : events_by_dataset) {
    if (!check_dataset_name(dataset).ok()) {
      return splunk_answer(400, 7, "Incorrect index");
    }
    if (!request.identity.may(dataset, "ingest", "create")) {
      return splunk_answer(
          403, 7, "Incorrect index: " + permission_error("ingest", "create", dataset).message);
    }
  }
  IngestCounts counts;
  for (const auto& [dataset, events] : events_by_dataset) {
    Result<IngestReport> report = store_ndjson(api, request, dataset, events);
    if (!report.ok() && counts.ingested == 0) {
      return std::move(report).take_error();
    }
    if (!report.ok()) {
      return splunk_answer(400, 6,
                           std::to_string(counts.ingested) +
                               " events were kept, but not those of " + dataset + ": " +
                               report.error().message);
    }
    counts.add(std::move(report).value().counts);
  }
  if (counts.failed > 0) {
    return splunk_answer(400, 6,
                         "Invalid data format: " + std::to_string(counts.failed) + " of " +
                             std::to_string(counts.failed + counts.ingested) +
                             " events were not kept: " + counts.failures[0].reason);
  }
  return splunk_answer(200, 0, "Success");
}

}  // namespace

Result<HttpResponse> handle_elastic_info(Api& /*api*/, HttpRequest& request) {
  const std::string_view path = request.route->pattern;
  HttpResponse response = json_response(
      path.ends_with("/_license") ? R"({"license":{"status":"active","uid":"evq","type":"basic"}})"
      : path.ends_with("/_cluster/health")
          ? R"({"cluster_name":"evq","status":"green"})"
          : R"({"name":"evq","cluster_name":"evq","version":{"number":"8.12.1",)"
            R"("build_flavor":"default"},"tagline":"You Know, for Search"})");
  add_elastic_header(&response);
  return response;
}

Result<HttpResponse> handle_elastic_bulk(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const std::shared_ptr<RewritingClaim> claim, begin_rewriting(api, request));
  EVQ_TRY_ASSIGN(const std::string body,
                 decoded_text(request, kHttpIngestBodyBytesMax, claim.get()));
  EVQ_TRY_ASSIGN(const Bulk bulk, read_bulk(body));
  IngestOptions options;
  options.format = InputFormat::kNdjson;
  options.timestamp_field = "@timestamp";
  const std::unique_ptr<ByteSource> source = memory_source(bulk.documents);
  const std::string_view dataset = request.argument("dataset");
  EVQ_TRY_ASSIGN(const IngestReport report, store_events(api, request, dataset, *source, options));
  const std::int64_t took_ms = (monotonic_now_ns() - request.received_ns) / kMillisecondNs;
  HttpResponse response = json_response(bulk_answer(bulk, dataset, report, took_ms));
  add_elastic_header(&response);
  return response;
}

Result<HttpResponse> handle_splunk_events(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const std::shared_ptr<RewritingClaim> claim, begin_rewriting(api, request));
  EVQ_TRY_ASSIGN(const std::string body,
                 decoded_text(request, kHttpIngestBodyBytesMax, claim.get()));
  const auto envelopes = split_objects(body).value_or(std::vector<std::string_view>());
  if (envelopes.empty()) {
    return splunk_answer(400, is_blank(body) ? 5 : 6,
                         is_blank(body) ? "No data" : "Invalid data format");
  }
  std::map<std::string, std::string> by_dataset;
  JsonReader reader;
  DynamicBuilder builder;
  for (const std::string_view text : envelopes) {
    builder.clear();
    if (!reader.read(text, &builder)) {
      return splunk_answer(400, 6, "Invalid data format");
    }
    const DynamicView envelope(builder.bytes());
    if (!has_event(envelope)) {
      return splunk_answer(400, 12, "Event field is required");
    }
    if (has_blank_event(envelope)) {
      return splunk_answer(400, 13, "Event field cannot be blank");
    }
    append_envelope(envelope, &by_dataset[splunk_dataset(request, envelope)]);
    if (by_dataset.size() > kIndexesMax) {
      return splunk_answer(400, 7, "Incorrect index: too many of them in one request");
    }
  }
  return store_splunk(api, request, by_dataset);
}

Result<HttpResponse> handle_splunk_raw(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const std::shared_ptr<RewritingClaim> claim, begin_rewriting(api, request));
  EVQ_TRY_ASSIGN(const std::string body,
                 decoded_text(request, kHttpIngestBodyBytesMax, claim.get()));
  std::string events;
  for (std::string_view rest = body; !rest.empty();) {
    const std::string_view line = take_line(&rest);
    if (!is_blank(line)) {
      JsonWriter json(events);
      json.begin_object();
      json.key("_raw");
      json.string(line);
      for (const char* name : {"host", "source", "sourcetype"}) {
        if (const auto value = request.parameter(name); value.has_value()) {
          json.key(name);
          json.string(*value);
        }
      }
      json.end_object();
      events.push_back('\n');
    }
  }
  if (events.empty()) {
    return splunk_answer(400, 5, "No data");
  }
  return store_splunk(api, request, {{splunk_dataset(request, DynamicView()), std::move(events)}});
}

Result<HttpResponse> handle_splunk_health(Api& /*api*/, HttpRequest& /*request*/) {
  return splunk_answer(200, 17, "HEC is healthy");
}

}  // namespace evq

// Ingest as other systems speak it: Elasticsearch's bulk API and Splunk's HTTP event collector.
// Each body is rewritten as NDJSON and stored like any other.

#include "http/ingest_body.h"
#include "store/base/json_writer.h"
#include "store/base/time.h"
#include "store/column/dynamic_json.h"

namespace evq {
namespace {

std::string_view next_line(std::string_view* rest) {
  const std::size_t end = std::min(rest->find('\n'), rest->size());
  std::string_view line = rest->substr(0, end);
  rest->remove_prefix(std::min(end + 1, rest->size()));
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  return line;
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// ---- Elasticsearch

struct Bulk {
  std::string documents;             // NDJSON
  std::vector<std::string> actions;  // of each document: index, create, update
};

// Pairs of an action line and a document; `delete` has no document and does nothing here.
Result<Bulk> read_bulk(std::string_view body) {
  Bulk bulk;
  while (!body.empty()) {
    const std::string_view line = next_line(&body);
    if (is_blank(line)) {
      continue;
    }
    const std::optional<std::string> bytes = dynamic_from_json(line);
    DynamicView::Iterator action(bytes.has_value() ? DynamicView(*bytes) : DynamicView());
    if (!action.next()) {
      return make_error(ErrorCode::kData, "an action line of the bulk body is malformed");
    }
    if (action.key() == "delete") {
      continue;
    }
    const std::string_view document = next_line(&body);
    if (is_blank(document)) {
      return make_error(ErrorCode::kData, "an action line of the bulk body has no document");
    }
    bulk.actions.emplace_back(action.key());
    bulk.documents.append(document).push_back('\n');
  }
  return bulk;
}

std::string bulk_answer(const Bulk& bulk, const IngestReport& report, std::int64_t took_ms) {
  std::map<std::uint64_t, std::string> failed;
  for (const IngestFailure& failure : report.counts.failures) {
    failed.emplace(failure.line, failure.reason);
  }
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
    const auto failure = failed.find(i + 1);
    json.begin_object();
    json.key(bulk.actions[i]);
    json.begin_object();
    json.key("status");
    json.integer(failure == failed.end() ? 201 : 400);
    if (failure != failed.end()) {
      json.key("error");
      json.begin_object();
      json.key("type");
      json.string("mapper_parsing_exception");
      json.key("reason");
      json.string(failure->second);
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

// The top-level JSON objects of a text that holds one after the other.
std::vector<std::string_view> split_objects(std::string_view text) {
  std::vector<std::string_view> objects;
  std::size_t start = 0;
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      i += c == '\\' ? 1U : 0U;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{') {
      start = depth == 0 ? i : start;
      ++depth;
    } else if (c == '}' && depth > 0 && --depth == 0) {
      objects.push_back(text.substr(start, i + 1 - start));
    }
  }
  if (depth > 0) {
    objects.push_back(text.substr(start));
  }
  return objects;
}

HttpResponse splunk_answer(int status, int code, std::string_view text) {
  HttpResponse response;
  response.status = status;
  JsonWriter json(response.body);
  json.begin_object();
  json.key("text");
  json.string(text);
  json.key("code");
  json.integer(code);
  json.end_object();
  return response;
}

void append_members(JsonWriter* json, DynamicView bag) {
  for (DynamicView::Iterator each(bag); each.next();) {
    json->key(each.key());
    json->raw(json_from_dynamic(each.value()));
  }
}

// One envelope as an event; false when it has none.
bool append_envelope(DynamicView envelope, std::string* out) {
  const auto event = envelope.find("event");
  if (!event.has_value() || event->is_null()) {
    return false;
  }
  JsonWriter json(*out);
  json.begin_object();
  if (const auto time = envelope.find("time"); time.has_value() && !time->is_null()) {
    json.key("_time");
    json.raw(json_from_dynamic(*time));
  }
  for (const char* name : {"host", "source", "sourcetype"}) {
    if (const auto value = envelope.find(name); value.has_value() && !value->is_null()) {
      json.key(name);
      json.raw(json_from_dynamic(*value));
    }
  }
  if (event->is_bag()) {
    append_members(&json, *event);
  } else {
    json.key("_raw");
    json.raw(json_from_dynamic(*event));
  }
  if (const auto fields = envelope.find("fields"); fields.has_value() && fields->is_bag()) {
    append_members(&json, *fields);
  }
  json.end_object();
  out->push_back('\n');
  return true;
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

Result<HttpResponse> store_splunk(Api& api, HttpRequest& request, const std::string& dataset,
                                  std::string_view events) {
  if (dataset.empty()) {
    return splunk_answer(400, 7, "Incorrect index");
  }
  if (!request.identity.may(dataset, "ingest", "create")) {
    return permission_error("ingest", "create", dataset);
  }
  EVQ_TRY_ASSIGN(const IngestReport report, store_ndjson(api, request, dataset, events));
  return report.counts.ingested == 0 ? splunk_answer(400, 6, "Invalid data format")
                                     : splunk_answer(200, 0, "Success");
}

}  // namespace

Result<HttpResponse> handle_elastic_info(Api& /*api*/, HttpRequest& /*request*/) {
  HttpResponse response = json_response(
      R"({"name":"evq","cluster_name":"evq","version":{"number":"8.12.1","build_flavor":"default"},)"
      R"("tagline":"You Know, for Search"})");
  response.headers.emplace_back("X-Elastic-Product", "Elasticsearch");
  return response;
}

Result<HttpResponse> handle_elastic_bulk(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const std::string body, decoded_text(request));
  EVQ_TRY_ASSIGN(const Bulk bulk, read_bulk(body));
  IngestOptions options;
  options.format = InputFormat::kNdjson;
  options.timestamp_field = "@timestamp";
  const std::unique_ptr<ByteSource> source = memory_source(bulk.documents);
  EVQ_TRY_ASSIGN(const IngestReport report,
                 store_events(api, request, request.argument("dataset"), *source, options));
  const std::int64_t took_ms = (monotonic_now_ns() - request.received_ns) / kMillisecondNs;
  HttpResponse response = json_response(bulk_answer(bulk, report, took_ms));
  response.headers.emplace_back("X-Elastic-Product", "Elasticsearch");
  return response;
}

Result<HttpResponse> handle_splunk_events(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const std::string body, decoded_text(request));
  const std::vector<std::string_view> envelopes = split_objects(body);
  if (envelopes.empty()) {
    return splunk_answer(400, is_blank(body) ? 5 : 6,
                         is_blank(body) ? "No data" : "Invalid data format");
  }
  std::map<std::string, std::string> by_dataset;
  for (const std::string_view text : envelopes) {
    const std::optional<std::string> bytes = dynamic_from_json(text);
    if (!bytes.has_value()) {
      return splunk_answer(400, 6, "Invalid data format");
    }
    const DynamicView envelope(*bytes);
    if (!append_envelope(envelope, &by_dataset[splunk_dataset(request, envelope)])) {
      return splunk_answer(400, 12, "Event field is required");
    }
  }
  HttpResponse response;
  for (const auto& [dataset, events] : by_dataset) {
    EVQ_TRY_ASSIGN(response, store_splunk(api, request, dataset, events));
    if (response.status != 200) {
      break;
    }
  }
  return response;
}

Result<HttpResponse> handle_splunk_raw(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const std::string body, decoded_text(request));
  std::string events;
  for (std::string_view rest = body; !rest.empty();) {
    const std::string_view line = next_line(&rest);
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
  return store_splunk(api, request, splunk_dataset(request, DynamicView()), events);
}

Result<HttpResponse> handle_splunk_health(Api& /*api*/, HttpRequest& /*request*/) {
  return splunk_answer(200, 17, "HEC is healthy");
}

}  // namespace evq

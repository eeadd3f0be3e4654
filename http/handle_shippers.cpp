// Ingest as other systems speak it: Elasticsearch's bulk API and Splunk's HTTP event collector.
// Each body is rewritten as NDJSON and stored like any other.

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "apl/service/answer_parts.h"
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

// What an action line asks for. Events are never changed: of `update` and `delete` only the answer
// knows.
enum class BulkAction : std::uint8_t { kIndex, kCreate, kDelete, kUpdate };
constexpr std::array<std::string_view, 4> kBulkActions = {"index", "create", "delete", "update"};

struct Bulk {
  std::string documents;            // NDJSON, those of `index` and `create`
  std::vector<BulkAction> actions;  // of all lines
};

// What {"index":{…}} asks for; nothing for a line that asks for nothing known, or for two things.
// Some senders leave notes of their own beside the action.
std::optional<BulkAction> action_of(DynamicView line) {
  if (!line.is_bag()) {
    return std::nullopt;
  }
  std::optional<BulkAction> action;
  for (DynamicView::Iterator member(line); member.next();) {
    const auto found = std::ranges::find(kBulkActions, member.key());
    if (found == kBulkActions.end()) {
      continue;
    }
    if (action.has_value() || !member.value().is_bag()) {
      return std::nullopt;
    }
    action = static_cast<BulkAction>(found - kBulkActions.begin());
  }
  return action;
}

// Pairs of an action line and a document; `delete` has no document.
Result<Bulk> read_bulk(std::string_view body) {
  Bulk bulk;
  JsonReader reader;
  DynamicBuilder builder;
  for (std::size_t number = 1; !body.empty(); ++number) {
    const std::string_view line = take_line(&body);
    if (is_blank(line)) {
      continue;
    }
    const std::string place = "the action line " + std::to_string(number) + " of the bulk body ";
    builder.clear();
    const bool is_json = reader.read(line, &builder);
    const std::optional<BulkAction> action =
        action_of(is_json ? DynamicView(builder.bytes()) : DynamicView());
    if (!action.has_value()) {
      return make_error(ErrorCode::kData,
                        place + R"(is malformed: {"index":{}} or {"create":{}} is expected)");
    }
    bulk.actions.push_back(*action);
    if (action == BulkAction::kDelete) {
      continue;
    }
    const std::string_view document = take_line(&body);
    ++number;
    if (is_blank(document)) {
      return make_error(ErrorCode::kData, place + "has no document");
    }
    if (action != BulkAction::kUpdate) {
      bulk.documents.append(document).push_back('\n');
    }
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

// The answer, made while it is sent: it has an item for each action, and may be many times as long
// as the body was.
class BulkAnswer {
 public:
  BulkAnswer(std::vector<BulkAction> actions, std::string_view dataset, const IngestReport& report,
             std::int64_t took_ms)
      : actions_(std::move(actions)),
        failures_(report.counts),
        dataset_(dataset),
        head_("{\"took\":" + std::to_string(took_ms) + ",\"errors\":" +
              (report.counts.failed > 0 || has_update(actions_) ? "true" : "false") +
              ",\"items\":[") {}

  // Appends the next piece; false when it was the last.
  bool next(std::string* out) {
    out->append(std::exchange(head_, {}));
    for (; at_ < actions_.size() && out->size() < kAnswerPieceBytes; ++at_) {
      out->append(at_ == 0 ? "" : ",");
      append_item(out);
    }
    const bool more = at_ < actions_.size();
    out->append(more ? "" : "]}");
    return more;
  }

 private:
  static bool has_update(const std::vector<BulkAction>& actions) {
    return std::ranges::find(actions, BulkAction::kUpdate) != actions.end();
  }

  void append_item(std::string* out) {
    const BulkAction action = actions_[at_];
    JsonWriter json(*out);
    json.begin_object();
    json.key(kBulkActions.at(static_cast<std::size_t>(action)));
    json.begin_object();
    json.key("_index");
    json.string(dataset_);
    if (action == BulkAction::kDelete) {
      append_result(404, "not_found", &json);
    } else if (action == BulkAction::kUpdate) {
      append_failure("illegal_argument_exception",
                     "update is not supported: events are stored and never changed", &json);
    } else if (const std::string* failure = failures_.find(++document_); failure != nullptr) {
      append_failure("mapper_parsing_exception", *failure, &json);
    } else {
      append_result(201, "created", &json);
    }
    json.end_object();
    json.end_object();
  }

  static void append_result(int status, std::string_view result, JsonWriter* json) {
    json->key("status");
    json->integer(status);
    json->key("result");
    json->string(result);
  }

  static void append_failure(std::string_view type, std::string_view reason, JsonWriter* json) {
    json->key("status");
    json->integer(400);
    json->key("error");
    json->begin_object();
    json->key("type");
    json->string(type);
    json->key("reason");
    json->string(reason);
    json->end_object();
  }

  const std::vector<BulkAction> actions_;
  const BulkFailures failures_;
  const std::string dataset_;
  std::string head_;  // until it is written
  std::size_t at_ = 0;
  std::uint64_t document_ = 0;  // the last one's number, which is its line
};

// ---- Splunk

// Of one request: each is a load of its own, and may be a dataset of its own.
constexpr std::size_t kIndexesMax = 100;

// Takes the next JSON object off a text that holds one after the other, or a list of them; an empty
// one at its end. False when something else comes first.
bool take_object(std::string_view* text, std::string_view* object) {
  text->remove_prefix(std::min(text->find_first_not_of(" \t\r\n,[]"), text->size()));
  if (!text->empty() && text->front() != '{') {
    return false;
  }
  NestedValue nested{.depth = 1};
  const std::size_t end = text->empty() ? 0 : pass_nested(*text, 1, &nested);
  *object = text->substr(0, end);
  text->remove_prefix(end);
  return true;
}

// The refusal of an envelope that is not what it should be, nothing for a good one: it has an event
// that says something, and what is beside it is not passed over.
std::optional<HttpResponse> refuse_envelope(DynamicView envelope, std::size_t number) {
  const DynamicView event = envelope.find("event").value_or(DynamicView());
  if (event.is_null()) {
    return splunk_answer(400, 12, "Event field is required", number);
  }
  if (event.is_string() && event.as_string().empty()) {
    return splunk_answer(400, 13, "Event field cannot be blank", number);
  }
  const DynamicView fields = envelope.find("fields").value_or(DynamicView());
  if (!fields.is_null() && !fields.is_bag()) {
    return splunk_answer(400, 15, "Error in handling indexed fields: fields is no object", number);
  }
  const DynamicView index = envelope.find("index").value_or(DynamicView());
  if (!index.is_null() && !index.is_string()) {
    return splunk_answer(400, 7, "Incorrect index: it is no text", number);
  }
  return std::nullopt;
}

// The number that is a member of a JSON object as it is written; empty when there is none. Of
// several the last counts.
std::string_view number_text(std::string_view object, std::string_view name) {
  std::string_view key;
  std::string_view found;
  bool in_key = true;
  for (std::size_t at = 1; at < object.size();) {
    std::size_t end = at + 1;
    const char c = object[at];
    if (c == '"') {
      while (end < object.size() && object[end] != '"') {
        end += object[end] == '\\' ? std::size_t{2} : std::size_t{1};
      }
      key = in_key ? object.substr(at + 1, end - at - 1) : key;
      ++end;
    } else if (c == '{' || c == '[') {
      NestedValue nested{.depth = 1};
      end = pass_nested(object, end, &nested);
    } else if (c == ':' || c == ',') {
      in_key = c == ',';
    } else if (c == '-' || is_digit(c)) {
      end = std::min(object.find_first_not_of("0123456789+-.eE", at), object.size());
      found = key == name ? object.substr(at, end - at) : found;
    }
    at = end;
  }
  return found;
}

// One envelope, which has an event, as this event. `text`: as it was sent, which of the time has
// all digits.
void append_envelope(DynamicView envelope, std::string_view text, std::string* out) {
  const auto event = envelope.find("event");
  JsonWriter json(*out);
  json.begin_object();
  if (const auto time = envelope.find("time"); time.has_value() && !time->is_null()) {
    json.key("_time");
    const bool is_real = time->tag() == DynamicTag::kReal;
    const std::string_view digits = is_real ? number_text(text, "time") : std::string_view();
    if (!digits.empty()) {
      json.raw().append(digits);
    } else {
      append_json(*time, &json.raw());
    }
  }
  for (const char* name : {"index", "host", "source", "sourcetype"}) {
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

// Whether a raw body is JSON, as its type says: not a text that was only sent with that type.
bool holds_json(const HttpRequest& request, std::string_view body) {
  const std::size_t begin = body.find_first_not_of(" \t\r\n");
  return media_type(request) == "application/json" && begin != std::string_view::npos &&
         (body[begin] == '{' || body[begin] == '[');
}

// Adds an event of a raw body: the members that `write` writes, and those of `origin`.
template <class Write>
Status append_raw_event(const Write& write, const std::string& origin, RewritingClaim* claim,
                        std::string* events) {
  const std::size_t before = events->size();
  JsonWriter json(*events);
  json.begin_object();
  write(&json);
  if (!origin.empty()) {
    json.raw(origin);
  }
  json.end_object();
  events->push_back('\n');
  return claim->take_events(events->size() - before);
}

// Each object of a raw body as an event; kData for anything else.
Result<std::string> raw_objects(std::string_view body, const std::string& origin,
                                RewritingClaim* claim) {
  std::string events;
  JsonReader reader;
  DynamicBuilder builder;
  while (true) {
    std::string_view text;
    const bool is_object = take_object(&body, &text);
    if (is_object && text.empty()) {
      return events;
    }
    builder.clear();
    if (!is_object || !reader.read(text, &builder)) {
      return make_error(ErrorCode::kData, "Invalid data format");
    }
    const auto write = [&](JsonWriter* json) {
      append_members(json, DynamicView(builder.bytes()));
    };
    EVQ_TRY(append_raw_event(write, origin, claim, &events));
  }
}

// Each line of a raw body as an event.
Result<std::string> raw_lines(std::string_view body, const std::string& origin,
                              RewritingClaim* claim) {
  std::string events;
  while (!body.empty()) {
    const std::string_view line = take_line(&body);
    if (is_blank(line)) {
      continue;
    }
    const auto write = [&](JsonWriter* json) {
      json->key("_raw");
      json->string(line);
    };
    EVQ_TRY(append_raw_event(write, origin, claim, &events));
  }
  return events;
}

// Where the events of a request go: by ?index=, else by the envelope's index, else by that of the
// first envelope, else to the only dataset that the token may ingest to. Must not outlive the
// request.
class SplunkIndex {
 public:
  explicit SplunkIndex(const HttpRequest& request)
      : asked_(request.parameter("index").value_or("")) {
    if (request.identity.capabilities == nullptr) {
      return;
    }
    for (const auto& [dataset, resources] : request.identity.capabilities->datasets) {
      if (dataset != "*" && request.identity.may(dataset, "ingest", "create")) {
        several_ = only_.has_value();
        only_ = dataset;
      }
    }
  }
  // Of an envelope, asked for in the order of the request; empty when nothing tells.
  std::string dataset_of(DynamicView envelope) {
    const auto index = envelope.find("index");
    const bool named = index.has_value() && index->is_string();
    const std::string_view own = named ? index->as_string() : std::string_view();
    if (!first_.has_value()) {
      first_ = own;
    }
    for (const std::string_view name : {asked_, own, std::string_view(*first_)}) {
      if (!name.empty()) {
        return std::string(name);
      }
    }
    return several_ ? std::string() : std::string(only_.value_or(""));
  }

 private:
  std::string_view asked_;
  std::optional<std::string> first_;
  std::optional<std::string_view> only_;
  bool several_ = false;  // it is not the only one
};

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
  EVQ_TRY_ASSIGN(Bulk bulk, read_bulk(body));
  IngestOptions options;
  options.format = InputFormat::kNdjson;
  options.timestamp_field = "@timestamp";
  const std::unique_ptr<ByteSource> source = memory_source(bulk.documents);
  const std::string_view dataset = request.argument("dataset");
  EVQ_TRY_ASSIGN(const IngestReport report, store_events(api, request, dataset, *source, options));
  const std::int64_t took_ms = (monotonic_now_ns() - request.received_ns) / kMillisecondNs;
  const auto answer =
      std::make_shared<BulkAnswer>(std::move(bulk.actions), dataset, report, took_ms);
  HttpResponse response;
  if (answer->next(&response.body)) {
    response.rest = [answer](std::string* piece) { return Result<bool>(answer->next(piece)); };
  }
  add_elastic_header(&response);
  return response;
}

Result<HttpResponse> handle_splunk_events(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const std::shared_ptr<RewritingClaim> claim, begin_rewriting(api, request));
  EVQ_TRY_ASSIGN(const std::string body,
                 decoded_text(request, kHttpIngestBodyBytesMax, claim.get()));
  SplunkIndex index(request);
  std::map<std::string, std::string> by_dataset;
  JsonReader reader;
  DynamicBuilder builder;
  std::string_view rest = body;
  for (std::size_t number = 0;; ++number) {
    std::string_view text;
    const bool is_object = take_object(&rest, &text);
    if (is_object && text.empty()) {
      break;
    }
    builder.clear();
    if (!is_object || !reader.read(text, &builder)) {
      return splunk_answer(400, 6, "Invalid data format", number);
    }
    const DynamicView envelope(builder.bytes());
    if (auto refusal = refuse_envelope(envelope, number); refusal.has_value()) {
      return *std::move(refusal);
    }
    std::string& events = by_dataset[index.dataset_of(envelope)];
    const std::size_t before = events.size();
    append_envelope(envelope, text, &events);
    EVQ_TRY(claim->take_events(events.size() - before));
    if (by_dataset.size() > kIndexesMax) {
      return splunk_answer(400, 7, "Incorrect index: too many of them in one request");
    }
  }
  if (by_dataset.empty()) {
    return is_blank(body) ? splunk_answer(400, 5, "No data")
                          : splunk_answer(400, 6, "Invalid data format");
  }
  return store_splunk(api, request, by_dataset);
}

Result<HttpResponse> handle_splunk_raw(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const std::shared_ptr<RewritingClaim> claim, begin_rewriting(api, request));
  EVQ_TRY_ASSIGN(const std::string body,
                 decoded_text(request, kHttpIngestBodyBytesMax, claim.get()));
  std::string origin;  // members of every event
  JsonWriter members(origin);
  for (const char* name : {"host", "source", "sourcetype"}) {
    if (const auto value = request.parameter(name); value.has_value()) {
      members.key(name);
      members.string(*value);
    }
  }
  EVQ_TRY_ASSIGN(std::string events, holds_json(request, body)
                                         ? raw_objects(body, origin, claim.get())
                                         : raw_lines(body, origin, claim.get()));
  if (events.empty()) {
    return splunk_answer(400, 5, "No data");
  }
  const std::string dataset = SplunkIndex(request).dataset_of(DynamicView());
  return store_splunk(api, request, {{dataset, std::move(events)}});
}

Result<HttpResponse> handle_splunk_health(Api& /*api*/, HttpRequest& /*request*/) {
  return splunk_answer(200, 17, "HEC is healthy");
}

}  // namespace evq

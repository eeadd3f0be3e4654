// Ingest as Elasticsearch speaks it: many documents at once, or one alone. Documents go into the
// dataset of the path, whatever index they name; what is said of an index is always true.

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "apl/service/answer_parts.h"
#include "apl/service/spooled_text.h"
#include "http/error_form.h"
#include "http/ingest_body.h"
#include "http/limits.h"
#include "http/router.h"
#include "http/wire.h"
#include "store/base/ascii.h"
#include "store/base/json_writer.h"
#include "store/base/limits.h"
#include "store/base/time.h"
#include "store/base/utf8.h"
#include "store/ingest/nested_value.h"
#include "store/ingest/tolerant_reader.h"

namespace evq {
namespace {

// What an action line asks for. Events are never changed: of `update` and `delete` only the answer
// knows.
enum class BulkAction : std::uint8_t { kIndex, kCreate, kDelete, kUpdate };
constexpr std::array<std::string_view, 4> kBulkActions = {"index", "create", "delete", "update"};

// The actions of a bulk body and the ids that they give, until each has been answered: they may be
// as long as the body, and their sender may read slowly, so that they are spooled.
class BulkActions {
 public:
  explicit BulkActions(std::shared_ptr<SpoolSpace> space) : spooled_(std::move(space), 1) {}

  // kDiskFull, kIo, kUnavailable. An id has no NUL.
  Status add(BulkAction action, std::string_view id) {
    has_update_ = has_update_ || action == BulkAction::kUpdate;
    std::string& tail = spooled_.tail(0);
    tail.push_back(static_cast<char>(action));
    tail.append(id).push_back('\0');
    unsettled_ += id.size() + 2;
    return unsettled_ < kAnswerPieceBytes ? Status::success() : settle();
  }
  // Call it after the last one.
  Status settle() {
    unsettled_ = 0;
    return spooled_.settle(0);
  }
  bool has_update() const { return has_update_; }
  bool more() const { return at_ < read_.size() || position_ < spooled_.size(0); }
  // Takes the next one, of which there must be more. kIo.
  Status take(BulkAction* action, std::string* id) {
    std::size_t end = read_.find('\0', at_ + 1);
    while (end == std::string::npos && position_ < spooled_.size(0)) {
      read_.erase(0, std::exchange(at_, 0));
      EVQ_TRY(spooled_.read_on(0, &position_, &read_));
      end = read_.find('\0', at_ + 1);
    }
    const auto number = static_cast<unsigned char>(at_ < read_.size() ? read_[at_] : '\xFF');
    if (end == std::string::npos || number >= kBulkActions.size()) {
      return make_error(ErrorCode::kIo, "the kept actions are not what they were");
    }
    *action = static_cast<BulkAction>(number);
    *id = read_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return {};
  }

 private:
  SpooledText spooled_;
  std::size_t unsettled_ = 0;
  bool has_update_ = false;
  std::uint64_t position_ = 0;  // what is behind it has not been read
  std::string read_;
  std::size_t at_ = 0;  // in what was read
};

// The _id that an action gives; empty for none, and for what BulkActions cannot keep.
std::string id_of(DynamicView action) {
  const DynamicView id = action.find("_id").value_or(DynamicView());
  if (id.tag() == DynamicTag::kLong) {
    return std::to_string(id.as_integer());
  }
  const bool keeps = id.is_string() && id.as_string().find('\0') == std::string_view::npos;
  return keeps ? std::string(id.as_string()) : std::string();
}

// What {"index":{…}} asks for, with its _id; nothing for a line that asks for nothing known, or for
// two things. Some senders leave notes of their own beside the action.
std::optional<BulkAction> action_of(DynamicView line, std::string* id) {
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
    *id = id_of(member.value());
  }
  return action;
}

Status check_id(std::string_view id) {
  return id.size() <= kElasticIdBytesMax
             ? Status::success()
             : Status(make_error(
                   ErrorCode::kData,
                   "an _id is longer than " + std::to_string(kElasticIdBytesMax) + " bytes"));
}

// Stands for what is no document, and fails as one.
constexpr std::string_view kNoDocument = "0";

// Whether a line would be more events than one, or another number of them than one: a list, or
// something behind an object. What is wrong inside of an object, the store says.
bool is_several(std::string_view line) {
  if (!line.starts_with('{')) {
    return true;
  }
  NestedValue nested{.depth = 1};
  const std::size_t end = pass_nested(line, 1, &nested);
  return nested.depth == 0 && end < line.size();
}

// Reads pairs of an action line and a document; `delete` has no document. Returns those of `index`
// and `create`, as NDJSON.
Result<std::string> read_bulk(std::string_view body, RewritingClaim* claim, BulkActions* actions) {
  std::string documents;
  TolerantReader reader;
  DynamicBuilder builder;
  for (std::size_t number = 1; !body.empty(); ++number) {
    const std::string_view line = take_line(&body);
    if (is_blank(line)) {
      continue;
    }
    const std::string place = "the action line " + std::to_string(number) + " of the bulk body ";
    EVQ_TRY(claim->take_values(line));
    builder.clear();
    std::string id;
    const bool is_json = !reader.read(line, &builder).has_value();
    const std::optional<BulkAction> action =
        action_of(is_json ? DynamicView(builder.bytes()) : DynamicView(), &id);
    if (!action.has_value()) {
      return make_error(ErrorCode::kData,
                        place + R"(is malformed: {"index":{}} or {"create":{}} is expected)");
    }
    if (const Status good = check_id(id); !good.ok()) {
      return make_error(ErrorCode::kData, place + "is refused: " + good.error().message);
    }
    EVQ_TRY(actions->add(*action, id));
    if (action == BulkAction::kDelete) {
      continue;
    }
    const std::string_view document = take_line(&body);
    ++number;
    if (is_blank(document)) {
      return make_error(ErrorCode::kData, place + "has no document");
    }
    if (action != BulkAction::kUpdate) {
      documents.append(is_several(trimmed(document)) ? kNoDocument : document).push_back('\n');
    }
  }
  EVQ_TRY(actions->settle());
  return documents;
}

// Why a document failed, by its line; null when it was stored. The reasons of the first failures
// are listed; of the others it is known that they failed.
class BulkFailures {
 public:
  // `lines`, ascending, are those of all failures.
  BulkFailures(IngestCounts counts, std::vector<std::uint64_t> lines)
      : listed_(std::move(counts.failures)), lines_(std::move(lines)) {}
  const std::string* find(std::uint64_t line) const {
    static const std::string kUnlisted =
        "the document was refused, as were so many before it that only the first " +
        std::to_string(kIngestFailuresListedMax) + " have their reasons";
    const auto failure = std::ranges::lower_bound(listed_, line, {}, &IngestFailure::line);
    if (failure != listed_.end() && failure->line == line) {
      return &failure->reason;
    }
    return std::ranges::binary_search(lines_, line) ? &kUnlisted : nullptr;
  }

 private:
  std::vector<IngestFailure> listed_;  // by line
  std::vector<std::uint64_t> lines_;
};

// What clients require of a document's answer besides: its version and its number are those of one
// that was never changed.
constexpr std::string_view kNeverChanged =
    R"("_version":1,"_shards":{"total":1,"successful":1,"failed":0},"_seq_no":0,"_primary_term":1)";

// The answer, made while it is sent: it has an item for each action, and may be many times as long
// as the body was.
class BulkAnswer {
 public:
  // `failures` and whether there are any.
  BulkAnswer(std::shared_ptr<BulkActions> actions, std::string_view dataset, BulkFailures failures,
             bool failed, std::int64_t took_ms)
      : actions_(std::move(actions)),
        dataset_(dataset),
        head_("{\"took\":" + std::to_string(took_ms) + ",\"errors\":" +
              (failed || actions_->has_update() ? "true" : "false") + ",\"items\":["),
        failures_(std::move(failures)) {}

  // Appends the next piece; false when it was the last. kIo.
  Result<bool> next(std::string* out) {
    out->append(std::exchange(head_, {}));
    while (actions_->more() && out->size() < kAnswerPieceBytes) {
      BulkAction action = BulkAction::kIndex;
      std::string id;
      EVQ_TRY(actions_->take(&action, &id));
      out->append(items_ == 0 ? "" : ",");
      append_item(action, id.empty() ? made_ids_ + "-" + std::to_string(items_) : id, out);
      ++items_;
    }
    const bool more = actions_->more();
    out->append(more ? "" : "]}");
    return more;
  }

 private:
  void append_item(BulkAction action, std::string_view id, std::string* out) {
    JsonWriter json(*out);
    json.begin_object();
    json.key(kBulkActions.at(static_cast<std::size_t>(action)));
    json.begin_object();
    json.key("_index");
    json.string(dataset_);
    json.key("_id");
    json.string(id);
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
    json->key("result");
    json->string(result);
    json->raw(kNeverChanged);
    json->key("status");
    json->integer(status);
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

  const std::shared_ptr<BulkActions> actions_;
  const std::string made_ids_ = make_uuid();  // what those that are made up begin with
  const std::string dataset_;
  std::string head_;  // until it is written
  const BulkFailures failures_;
  std::uint64_t items_ = 0;
  std::uint64_t document_ = 0;  // the last one's number, which is its line
};

// The answer where there is no memory for another one.
constexpr std::string_view kBareStored = R"({"took":0,"errors":false,"items":[]})";
constexpr std::string_view kBareFailed = R"({"took":0,"errors":true,"items":[]})";

// Whether a text is one JSON object as far as its brackets tell: what is wrong inside of it, the
// store says.
bool is_one_object(std::string_view text) {
  if (!text.starts_with('{')) {
    return false;
  }
  NestedValue nested{.depth = 1};
  return pass_nested(text, 1, &nested) == text.size() && nested.depth == 0;
}

// How documents are read: their time is that of `@timestamp`, or of the field that the request
// names.
IngestOptions document_options(const HttpRequest& request, InputFormat format) {
  IngestOptions options;
  options.format = format;
  options.timestamp_field = request.parameter("timestamp-field").value_or("@timestamp");
  options.grouped_events = false;
  return options;
}

// Says how many documents have no time of their own.
void tell_untimed(const IngestCounts& counts, HttpResponse* response) {
  if (counts.untimed > 0) {
    response->headers.emplace_back(kUntimedHeader, std::to_string(counts.untimed));
  }
}

// A document that was stored, as Elasticsearch tells of it.
HttpResponse document_answer(std::string_view dataset, std::string_view id) {
  HttpResponse response;
  response.status = 201;
  JsonWriter json(response.body);
  json.begin_object();
  json.key("_index");
  json.string(dataset);
  json.key("_id");
  json.string(repair_utf8(id));
  json.key("result");
  json.string("created");
  json.raw(kNeverChanged);
  json.end_object();
  add_elastic_header(&response);
  return response;
}

// What clients ask for before they send. Typed ones (elasticsearch-java, opensearch-java, whose
// member `distribution` is) require every member; what is told is the release that the endpoints
// are like.
constexpr std::string_view kVersion =
    R"("version":{"number":"8.12.1","distribution":"elasticsearch","build_flavor":"default",)"
    R"("build_type":"tar","build_hash":"6185ba65d27469afabc9bc951cded6c17c21e3f3",)"
    R"("build_date":"2024-02-01T13:07:13.727175297Z","build_snapshot":false,)"
    R"("lucene_version":"9.9.2","minimum_wire_compatibility_version":"7.17.0",)"
    R"("minimum_index_compatibility_version":"7.0.0"},"tagline":"You Know, for Search")";
constexpr std::string_view kHealth =
    R"({"cluster_name":"evq","status":"green","timed_out":false,"number_of_nodes":1,)"
    R"("number_of_data_nodes":1,"active_primary_shards":1,"active_shards":1,)"
    R"("relocating_shards":0,"initializing_shards":0,"unassigned_shards":0,)"
    R"("unassigned_primary_shards":0,"delayed_unassigned_shards":0,"number_of_pending_tasks":0,)"
    R"("number_of_in_flight_fetch":0,"task_max_waiting_in_queue_millis":0,)"
    R"("active_shards_percent_as_number":100.0})";
constexpr std::string_view kLicense =
    R"({"license":{"status":"active","uid":"evq","type":"basic",)"
    R"("issue_date":"2024-01-01T00:00:00.000Z","issue_date_in_millis":1704067200000,)"
    R"("max_nodes":1000,"issued_to":"evq","issuer":"evq","start_date_in_millis":-1}})";

}  // namespace

Result<HttpResponse> handle_elastic_info(Api& api, HttpRequest& request) {
  const std::string_view path = request.route->pattern;
  std::string body(path.ends_with("/_license") ? kLicense : kHealth);
  if (path.ends_with("/elastic")) {
    EVQ_TRY_ASSIGN(const std::string id, organization_id(api.definitions()));
    body.clear();
    JsonWriter json(body);
    json.begin_object();
    json.raw(R"("name":"evq","cluster_name":"evq")");
    json.key("cluster_uuid");
    json.string(id);
    json.raw(kVersion);
    json.end_object();
  }
  HttpResponse response = json_response(std::move(body));
  add_elastic_header(&response);
  return response;
}

Result<HttpResponse> handle_elastic_bulk(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const std::shared_ptr<RewritingClaim> claim, begin_rewriting(api, request));
  EVQ_TRY_ASSIGN(const std::string body,
                 decoded_text(request, kHttpIngestBodyBytesMax, claim.get()));
  const auto actions = std::make_shared<BulkActions>(api.answers);
  EVQ_TRY_ASSIGN(const std::string documents, read_bulk(body, claim.get(), actions.get()));
  const IngestOptions options = document_options(request, InputFormat::kNdjson);
  const std::unique_ptr<ByteSource> source = memory_source(documents);
  const std::string_view dataset = request.argument("dataset");
  HttpResponse bare = json_response(std::string(kBareStored));
  add_elastic_header(&bare);
  std::vector<std::uint64_t> failed_lines;
  const auto note_line = [&](std::string_view /*document*/, const IngestFailure& failure) {
    failed_lines.push_back(failure.line);
  };
  EVQ_TRY_ASSIGN(IngestReport report,
                 store_events(api, request, dataset, *source, options, note_line));
  if (report.counts.failed > 0 || actions->has_update()) {
    bare.body = kBareFailed;  // which is shorter
  }
  const std::int64_t took_ms = (monotonic_now_ns() - request.received_ns) / kMillisecondNs;
  return answer_stored(std::move(bare), [&] {
    HttpResponse response;
    add_elastic_header(&response);
    tell_untimed(report.counts, &response);
    const bool failed = report.counts.failed > 0;
    const auto answer = std::make_shared<BulkAnswer>(
        actions, dataset, BulkFailures(std::move(report.counts), std::move(failed_lines)), failed,
        took_ms);
    const Result<bool> more = answer->next(&response.body);
    if (!more.ok() || *more) {
      response.rest = [answer](std::string* piece) { return answer->next(piece); };
    }
    return response;
  });
}

// An id is not kept: of two documents with one id there are two events.
Result<HttpResponse> handle_elastic_document(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const std::shared_ptr<RewritingClaim> claim, begin_rewriting(api, request));
  EVQ_TRY_ASSIGN(const std::string body,
                 decoded_text(request, kHttpIngestBodyBytesMax, claim.get()));
  const std::string_view document = trimmed(body);
  if (!is_one_object(document)) {
    return make_error(ErrorCode::kData, "the body must be one document, a JSON object");
  }
  const IngestOptions options = document_options(request, InputFormat::kJson);
  const std::unique_ptr<ByteSource> source = memory_source(document);
  const std::string_view dataset = request.argument("dataset");
  const std::string& id = request.argument("id");
  EVQ_TRY(check_id(id));
  HttpResponse stored = document_answer(dataset, id.empty() ? make_uuid() : id);
  EVQ_TRY_ASSIGN(const IngestReport report, store_events(api, request, dataset, *source, options));
  if (report.counts.failed > 0) {
    return make_error(ErrorCode::kData, report.counts.failures[0].reason);
  }
  return stored;
}

}  // namespace evq

#include "http/wire.h"

#include <algorithm>
#include <span>

#include "apl/syntax/diagnostics.h"
#include "http/wire_json.h"
#include "store/base/json_writer.h"
#include "store/base/limits.h"
#include "store/base/time.h"
#include "store/base/utf8.h"
#include "store/column/dynamic_json.h"

namespace evq {
namespace {

using wire::Json;

// In the detail of a query's error, from the values that Axiom's schema allows.
constexpr std::string_view kSyntaxIdPrefix = "APL1";
constexpr std::int64_t kCompileErrorType = 1;
constexpr std::int64_t kSyntaxErrorCode = 1;
constexpr std::int64_t kMeaningErrorCode = 16;

// A query over a dataset that is not there is a compile error for the command line, and a missing
// resource for clients, which look for these words.
bool is_missing_dataset(const Error& error) {
  return error.id == "APL2001";
}

Value value_of(const Json& json) {
  switch (json.type()) {
    case Json::value_t::boolean:
      return Value::boolean(json.get<bool>());
    case Json::value_t::number_integer:
      return Value::integer(json.get<std::int64_t>());
    case Json::value_t::number_unsigned:
      return json.get<std::uint64_t>() > INT64_MAX ? Value::real(json.get<double>())
                                                   : Value::integer(json.get<std::int64_t>());
    case Json::value_t::number_float:
      return Value::real(json.get<double>());
    case Json::value_t::string:
      return Value::string(json.get<std::string>());
    case Json::value_t::array:
    case Json::value_t::object: {
      std::optional<std::string> bytes = dynamic_from_json(wire::text_of(json));
      return bytes.has_value() ? Value::dynamic(*std::move(bytes)) : Value::null();
    }
    case Json::value_t::null:
    case Json::value_t::binary:
    case Json::value_t::discarded:
      break;
  }
  return Value::null();
}

Status read_default_order(const Json& body, QueryRequest* request) {
  const Json* order = wire::member(body, "defaultOrder");
  if (order == nullptr) {
    return Status::success();
  }
  if (!order->is_array()) {
    return make_error(ErrorCode::kUsage, "defaultOrder must be a list");
  }
  for (const Json& item : *order) {
    if (!item.is_object()) {
      return make_error(ErrorCode::kUsage, "defaultOrder holds objects");
    }
    EVQ_TRY_ASSIGN(const std::string name, wire::required_string(item, "field"));
    EVQ_TRY_ASSIGN(const std::optional<bool> desc, wire::optional_bool(item, "desc"));
    request->order_by_default(name, desc.value_or(false));
  }
  return Status::success();
}

Status read_cursor(const Json& body, QueryRequest* request) {
  EVQ_TRY_ASSIGN(request->cursor, wire::optional_string(body, "cursor"));
  EVQ_TRY_ASSIGN(const std::optional<bool> include, wire::optional_bool(body, "includeCursor"));
  EVQ_TRY_ASSIGN(const std::optional<bool> field, wire::optional_bool(body, "includeCursorField"));
  request->include_cursor = include.value_or(false);
  request->include_cursor_field = field.value_or(false);
  return Status::success();
}

// Members of evq alone, for followers and exports.
Result<ArrivalRange> read_arrivals(const Json& body) {
  EVQ_TRY_ASSIGN(const auto from, wire::optional_count(body, "arrivedFrom"));
  EVQ_TRY_ASSIGN(const auto before, wire::optional_count(body, "arrivedBefore"));
  return ArrivalRange{from.value_or(0), before.value_or(UINT64_MAX)};
}

// Null: there is none.
Result<const Json*> optional_object(const Json& body, const char* name) {
  const Json* object = wire::member(body, name);
  if (object != nullptr && !object->is_object()) {
    return make_error(ErrorCode::kUsage, std::string(name) + " must be an object");
  }
  return object;
}

Result<std::optional<std::int64_t>> read_auto_bins(const Json& body) {
  EVQ_TRY_ASSIGN(const std::optional<std::uint64_t> bins,
                 wire::optional_count(body, "maxBinAutoGroups"));
  if (!bins.has_value()) {
    return std::optional<std::int64_t>();
  }
  if (*bins == 0 || *bins > std::uint64_t{kAutoBinsMax}) {
    return make_error(ErrorCode::kUsage,
                      "maxBinAutoGroups goes from 1 to " + std::to_string(kAutoBinsMax));
  }
  return std::optional(static_cast<std::int64_t>(*bins));
}

Result<QueryVariables> read_variables(const Json& body) {
  QueryVariables variables;
  EVQ_TRY_ASSIGN(const Json* given, optional_object(body, "variables"));
  if (given != nullptr) {
    for (const auto& [name, value] : given->items()) {
      variables[name] = value_of(value);
    }
  }
  return variables;
}

Result<QueryRequest> read_query(const Json& body) {
  QueryRequest request;
  EVQ_TRY_ASSIGN(request.apl, wire::required_string(body, "apl"));
  EVQ_TRY_ASSIGN(request.start_time, wire::optional_string(body, "startTime"));
  EVQ_TRY_ASSIGN(request.end_time, wire::optional_string(body, "endTime"));
  EVQ_TRY(read_cursor(body, &request));
  EVQ_TRY_ASSIGN(request.limit, wire::optional_count(body, "limit"));
  EVQ_TRY_ASSIGN(request.default_limit, wire::optional_count(body, "defaultLimit"));
  EVQ_TRY_ASSIGN(request.auto_bins, read_auto_bins(body));
  EVQ_TRY_ASSIGN(request.arrivals, read_arrivals(body));
  if (request.limit == std::uint64_t{0}) {
    request.limit.reset();
  }
  if (request.default_limit == std::uint64_t{0}) {
    request.default_limit.reset();
  }
  EVQ_TRY(read_default_order(body, &request));
  EVQ_TRY(wire::optional_strings(body, "libraries"));
  EVQ_TRY(optional_object(body, "queryOptions"));
  EVQ_TRY_ASSIGN(request.variables, read_variables(body));
  return request;
}

// After how many seconds to come again; nothing where that helps nobody.
std::string_view seconds_to_wait(ErrorCode code) {
  return code == ErrorCode::kUnavailable ? "1" : code == ErrorCode::kDiskFull ? "10" : "";
}

}  // namespace

std::string message_of_error(const Error& error) {
  std::string message = (is_missing_dataset(error) ? "dataset not found: " : "") + error.message;
  if (!error.hint.empty()) {
    message += " (" + diag::inline_hint(error.hint) + ")";
  }
  return message;
}

HttpResponse response_of_error(const Error& error, std::string_view apl) {
  const ErrorCode code = is_missing_dataset(error) ? ErrorCode::kNotFound : error.code;
  const int status = error_code_info(code).http_status;
  const std::string message = message_of_error(error);
  if (error.code != ErrorCode::kCompile) {
    HttpResponse plain = error_response(status, message, {}, error.hint);
    plain.headers.emplace_back(kErrorKindHeader, error_code_info(error.code).name);
    if (const std::string_view seconds = seconds_to_wait(error.code); !seconds.empty()) {
      plain.headers.emplace_back("Retry-After", seconds);
    }
    return plain;
  }
  std::string detail;
  JsonWriter json(detail);
  json.begin_object();
  json.key("message");
  json.string(repair_utf8(error.message));
  if (!error.hint.empty()) {
    json.key("hint");  // as a line of its own has it
    json.string(repair_utf8(error.hint));
  }
  if (error.span.has_value()) {
    const std::string_view before = apl.substr(0, std::min(error.span->begin, apl.size()));
    const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
    json.key("line");
    json.unsigned_integer(1 + static_cast<std::uint64_t>(std::ranges::count(before, '\n')));
    json.key("column");
    json.unsigned_integer(before.size() - line_start + 1);
    json.key("length");
    json.unsigned_integer(error.span->end - std::min(error.span->begin, error.span->end));
  }
  json.key("errorType");
  json.integer(kCompileErrorType);
  json.key("compileErrorCode");
  json.integer(error.id.starts_with(kSyntaxIdPrefix) ? kSyntaxErrorCode : kMeaningErrorCode);
  json.key("id");
  json.string(error.id);
  json.end_object();
  HttpResponse refusal = error_response(status, message, detail);
  refusal.headers.emplace_back(kErrorKindHeader, error_code_info(error.code).name);
  return refusal;
}

Result<QueryRequest> read_query_body(std::string_view text) {
  EVQ_TRY_ASSIGN(const Json body, wire::parse_object(text));
  return read_query(body);
}

Result<std::vector<BatchItem>> read_batch_body(std::string_view text) {
  EVQ_TRY_ASSIGN(const Json body, wire::parse_array(text));
  std::vector<BatchItem> items;
  for (const Json& each : body) {
    if (!each.is_object()) {
      return make_error(ErrorCode::kUsage, "a batch is a list of objects");
    }
    BatchItem& item = items.emplace_back();
    EVQ_TRY_ASSIGN(item.id, wire::required_string(each, "queryId"));
    const Json* query = wire::member(each, "aplRequest");
    const Json* metrics = wire::member(each, "mplRequest");
    const Json* only = query != nullptr ? query : metrics;
    if ((query != nullptr && metrics != nullptr) || only == nullptr || !only->is_object()) {
      return make_error(ErrorCode::kUsage,
                        "every query of a batch needs an aplRequest or an mplRequest");
    }
    item.of_metrics = query == nullptr;
    if (!item.of_metrics) {
      EVQ_TRY_ASSIGN(item.query, read_query(*query));
    }
  }
  return items;
}

Result<DeleteRequest> read_delete_body(std::string_view text) {
  EVQ_TRY_ASSIGN(const Json body, wire::parse_object(text));
  DeleteRequest request;
  EVQ_TRY_ASSIGN(request.apl, wire::required_string(body, "apl"));
  EVQ_TRY_ASSIGN(request.start_time, wire::optional_string(body, "startTime"));
  EVQ_TRY_ASSIGN(request.end_time, wire::optional_string(body, "endTime"));
  EVQ_TRY_ASSIGN(const std::optional<bool> commit, wire::optional_bool(body, "commit"));
  if (!commit.has_value()) {
    return make_error(ErrorCode::kUsage, "commit is required: true or false");
  }
  request.commit = *commit;
  EVQ_TRY_ASSIGN(request.variables, read_variables(body));
  return request;
}

Result<CompletionPlace> read_completion_body(std::string_view text) {
  EVQ_TRY_ASSIGN(const Json body, wire::parse_object(text));
  CompletionPlace place;
  const Json* apl = wire::member(body, "apl");
  if (apl == nullptr || !apl->is_string()) {
    return make_error(ErrorCode::kUsage, "apl is required: the text to complete");
  }
  place.apl = apl->get<std::string>();
  if (place.apl.size() > kQueryTextBytesMax) {
    return diag::text_too_long(kQueryTextBytesMax);
  }
  EVQ_TRY_ASSIGN(const std::optional<std::uint64_t> cursor, wire::optional_count(body, "cursor"));
  place.cursor = std::min<std::uint64_t>(cursor.value_or(UINT64_MAX), place.apl.size());
  return place;
}

void append_ingest_report(const IngestReport& report, std::size_t failures_max, std::string* out) {
  JsonWriter json(*out);
  json.begin_object();
  json.key("ingested");
  json.unsigned_integer(report.counts.ingested);
  json.key("failed");
  json.unsigned_integer(report.counts.failed);
  json.key("failures");
  json.begin_array();
  const std::span<const IngestFailure> failures(report.counts.failures);
  for (const IngestFailure& failure : failures.first(std::min(failures.size(), failures_max))) {
    json.begin_object();
    json.key("timestamp");
    json.instant(failure.time_ns);
    json.key("error");
    json.string("line " + std::to_string(failure.line) + ", column " +
                std::to_string(failure.column) + ": " + failure.reason);
    json.end_object();
  }
  json.end_array();
  json.key("processedBytes");
  json.unsigned_integer(report.counts.processed_bytes);
  json.key("blocksCreated");
  json.unsigned_integer(report.blocks_created);
  json.key("walLength");
  json.unsigned_integer(report.fresh_chunks);
  json.end_object();
}

std::string write_ingest_report(const IngestReport& report) {
  std::string text;
  append_ingest_report(report, SIZE_MAX, &text);
  return text;
}

std::string write_delete_response(const DeleteResponse& response) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("dryRun");
  json.boolean(response.dry_run);
  json.key("rowsMatched");
  json.unsigned_integer(response.rows_matched);
  json.key("rowsDeleted");
  json.unsigned_integer(response.rows_deleted);
  const auto instant = [&](std::string_view name, const std::optional<std::int64_t>& time) {
    json.key(name);
    json.string(time.has_value() ? instant_text(*time) : std::string());
  };
  instant("firstMatchedEvent", response.first_matched_ns);
  instant("lastMatchedEvent", response.last_matched_ns);
  json.end_object();
  return text;
}

std::string write_completion(const CompletionAnswer& answer) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("begin");
  json.unsigned_integer(answer.begin);
  json.key("end");
  json.unsigned_integer(answer.end);
  json.key("note");
  json.string(answer.note);
  json.key("candidates");
  json.begin_array();
  for (const Candidate& candidate : answer.candidates) {
    const std::pair<std::string_view, std::string_view> members[] = {
        {"kind", candidate_kind_name(candidate.kind)},
        {"name", candidate.name},
        {"replacement", candidate.replacement},
        {"signature", candidate.signature},
        {"doc", candidate.doc}};
    json.begin_object();
    for (const auto& [key, value] : members) {
      json.key(key);
      json.string(value);
    }
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return text;
}

std::string write_check_report(const CheckReport& report) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  const auto count = [&](std::string_view name, std::uint64_t value) {
    json.key(name);
    json.unsigned_integer(value);
  };
  count("files", report.files);
  count("blocks", report.blocks);
  count("segments", report.segments);
  count("events", report.rows);
  json.key("problems");
  json.begin_array();
  for (const CheckProblem& problem : report.problems) {
    json.begin_object();
    json.key("file");
    json.string(problem.file);
    if (problem.block.has_value()) {
      count("block", *problem.block);
    }
    json.key("message");
    json.string(problem.message);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return text;
}

std::string write_plan(std::string_view plan) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("plan");
  json.string(plan);
  json.end_object();
  return text;
}

}  // namespace evq

#include "http/wire_answer.h"

#include <algorithm>
#include <array>
#include <optional>

#include "apl/service/answer_parts.h"
#include "apl/syntax/diagnostics.h"
#include "http/wire_json.h"
#include "store/base/ascii.h"
#include "store/base/json_writer.h"
#include "store/base/time_parse.h"
#include "store/column/dynamic_json.h"

namespace evq {
namespace {

using wire::Json;

// Deeper than any value here, and not so deep that what goes into it step by step runs out of
// stack.
constexpr int kAnswerDepthMax = 1000;

Result<Json> parse(std::string_view text, Json::value_t type, std::string_view what) {
  bool too_deep = false;
  const auto keep = [&too_deep](int depth, Json::parse_event_t /*event*/, Json& /*parsed*/) {
    too_deep = too_deep || depth > kAnswerDepthMax;
    return !too_deep;
  };
  Json json = Json::parse(text.begin(), text.end(), keep, false);
  if (too_deep) {
    return unexpected_answer("it is nested too deep");
  }
  if (json.is_discarded() || json.type() != type) {
    return unexpected_answer(what);
  }
  return json;
}

std::string text_member(const Json& object, const char* name) {
  const Json* value = wire::member(object, name);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

std::optional<std::int64_t> integer_of(const Json& json) {
  const bool fits = json.is_number_integer() &&
                    (!json.is_number_unsigned() || json.get<std::uint64_t>() <= INT64_MAX);
  return fits ? std::optional(json.get<std::int64_t>()) : std::nullopt;
}

// 0 for what is no count.
std::uint64_t count_member(const Json& object, const char* name) {
  const Json* value = wire::member(object, name);
  const std::int64_t count = value != nullptr ? integer_of(*value).value_or(0) : 0;
  return count > 0 ? static_cast<std::uint64_t>(count) : 0;
}

bool bool_member(const Json& object, const char* name) {
  const Json* value = wire::member(object, name);
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

const Json* list_member(const Json& object, const char* name) {
  const Json* value = wire::member(object, name);
  return value != nullptr && value->is_array() ? value : nullptr;
}

// The `length` bytes at a line and column, both from 1; the word that begins there when the length
// is not told.
std::optional<Span> span_at(std::string_view apl, std::uint64_t line, std::uint64_t column,
                            std::uint64_t length) {
  std::size_t at = 0;
  for (; line > 1; --line) {
    at = apl.find('\n', at);
    if (at == std::string_view::npos) {
      return std::nullopt;
    }
    ++at;
  }
  if (column == 0 || column - 1 > apl.size() - at) {
    return std::nullopt;
  }
  at += column - 1;
  if (length > 0) {
    return Span{at, at + std::min<std::uint64_t>(length, apl.size() - at)};
  }
  std::size_t end = at;
  while (end < apl.size() && (is_letter_or_digit(apl[end]) || apl[end] == '_')) {
    ++end;
  }
  return Span{at, std::max(end, std::min(at + 1, apl.size()))};
}

void write_optional(JsonWriter* json, std::string_view name,
                    const std::optional<std::string>& text) {
  if (text.has_value()) {
    json->key(name);
    json->string(*text);
  }
}

void write_variables(JsonWriter* json, const QueryVariables& variables) {
  if (variables.empty()) {
    return;
  }
  json->key("variables");
  json->begin_object();
  for (const auto& [name, value] : variables) {
    json->key(name);
    append_json(DynamicView(dynamic_from_value(value)), &json->raw());
  }
  json->end_object();
}

}  // namespace

Error unexpected_answer(std::string_view what) {
  return make_error(ErrorCode::kServer,
                    "the server's answer is not as expected: " + std::string(what));
}

std::string write_query_body(const QueryRequest& request) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("apl");
  json.string(request.apl);
  write_optional(&json, "startTime", request.start_time);
  write_optional(&json, "endTime", request.end_time);
  write_optional(&json, "cursor", request.cursor);
  const std::array<std::pair<std::string_view, std::optional<std::uint64_t>>, 4> counts = {{
      {"limit", request.limit},
      {"defaultLimit", request.default_limit},
      {"arrivedFrom",
       request.arrivals.from == 0 ? std::nullopt : std::optional(request.arrivals.from)},
      {"arrivedBefore", request.arrivals.before == UINT64_MAX
                            ? std::nullopt
                            : std::optional(request.arrivals.before)},
  }};
  for (const auto& [name, count] : counts) {
    if (count.has_value()) {
      json.key(name);
      json.unsigned_integer(*count);
    }
  }
  for (const auto& [name, wanted] :
       {std::pair("includeCursor", request.include_cursor),
        std::pair("includeCursorField", request.include_cursor_field)}) {
    if (wanted) {
      json.key(name);
      json.boolean(true);
    }
  }
  write_variables(&json, request.variables);
  std::vector<OrderItem> order = request.default_order;
  if (order.empty() && request.ascending) {
    order.push_back({"_time", false});
  }
  if (!order.empty()) {
    json.key("defaultOrder");
    write_order(order, &json);
  }
  json.end_object();
  return text;
}

std::string write_delete_body(const DeleteRequest& request) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("apl");
  json.string(request.apl);
  write_optional(&json, "startTime", request.start_time);
  write_optional(&json, "endTime", request.end_time);
  json.key("commit");
  json.boolean(request.commit);
  write_variables(&json, request.variables);
  json.end_object();
  return text;
}

Result<IngestReport> read_ingest_answer(std::string_view text) {
  EVQ_TRY_ASSIGN(const Json answer, parse(text, Json::value_t::object, "no JSON object"));
  if (wire::member(answer, "ingested") == nullptr) {  // silence is not success
    return unexpected_answer("it does not say what was ingested");
  }
  IngestReport report;
  report.counts.ingested = count_member(answer, "ingested");
  report.counts.failed = count_member(answer, "failed");
  report.counts.processed_bytes = count_member(answer, "processedBytes");
  report.blocks_created = static_cast<std::uint32_t>(count_member(answer, "blocksCreated"));
  report.fresh_chunks = static_cast<std::uint32_t>(count_member(answer, "walLength"));
  const Json* failures = list_member(answer, "failures");
  for (std::size_t i = 0; failures != nullptr && i < failures->size(); ++i) {
    if ((*failures)[i].is_object()) {
      IngestFailure failure;
      failure.reason = text_member((*failures)[i], "error");
      failure.time_ns = parse_instant(text_member((*failures)[i], "timestamp")).value_or(0);
      report.counts.failures.push_back(std::move(failure));
    }
  }
  return report;
}

Result<DeleteResponse> read_delete_answer(std::string_view text) {
  EVQ_TRY_ASSIGN(const Json answer, parse(text, Json::value_t::object, "no JSON object"));
  DeleteResponse response;
  response.dry_run = bool_member(answer, "dryRun");
  response.rows_matched = count_member(answer, "rowsMatched");
  response.rows_deleted = count_member(answer, "rowsDeleted");
  response.first_matched_ns = parse_instant(text_member(answer, "firstMatchedEvent"));
  response.last_matched_ns = parse_instant(text_member(answer, "lastMatchedEvent"));
  return response;
}

Result<CheckReport> read_check_answer(std::string_view text) {
  EVQ_TRY_ASSIGN(const Json answer, parse(text, Json::value_t::object, "no JSON object"));
  CheckReport report;
  report.files = count_member(answer, "files");
  report.blocks = count_member(answer, "blocks");
  report.segments = count_member(answer, "segments");
  report.rows = count_member(answer, "events");
  const Json* problems = list_member(answer, "problems");
  if (problems == nullptr) {  // silence is not soundness
    return make_error(ErrorCode::kServer, "the server's answer lacks its list of problems");
  }
  for (const Json& each : *problems) {
    if (!each.is_object()) {
      return make_error(ErrorCode::kServer, "the server's list of problems holds no objects");
    }
    CheckProblem problem;
    problem.file = text_member(each, "file");
    if (each.contains("block")) {
      problem.block = count_member(each, "block");
    }
    problem.message = text_member(each, "message");
    report.problems.push_back(std::move(problem));
  }
  return report;
}

Error read_error_answer(int status, std::string_view body, std::string_view apl,
                        std::string_view kind) {
  const Result<Json> answer = parse(body, Json::value_t::object, "no JSON object");
  Error error;
  error.message = "the server answered with status " + std::to_string(status);
  const Json* detail = nullptr;
  if (answer.ok()) {
    const std::string message = text_member(*answer, "message");
    error.message = message.empty() ? error.message : message;
    detail = wire::member(*answer, "detail");
    error.hint = text_member(*answer, "hint");
  }
  error.code = status == 401 || status == 403   ? ErrorCode::kForbidden
               : status == 404                  ? ErrorCode::kNotFound
               : status == 409                  ? ErrorCode::kConflict
               : status == 413                  ? ErrorCode::kTooLarge
               : status == 400 || status == 415 ? ErrorCode::kUsage
               : status == 422                  ? ErrorCode::kLimit
                                                : ErrorCode::kServer;
  // The message has the hint in brackets behind it. Who is asked for other tokens or names knows a
  // hint of his own, and so does who waits for the server.
  const std::string bracketed = " (" + diag::inline_hint(error.hint) + ")";
  const bool has_other_hint = status == 401 || status == 403 || status == 404 || status >= 500;
  if (!error.hint.empty() && !has_other_hint && error.message.ends_with(bracketed)) {
    error.message.resize(error.message.size() - bracketed.size());
  } else {
    error.hint.clear();
  }
  // Those whose exit status tells more than the HTTP status.
  for (const ErrorCode code : {ErrorCode::kTimeout, ErrorCode::kData, ErrorCode::kDiskFull,
                               ErrorCode::kReadOnly, ErrorCode::kCorrupt}) {
    error.code = kind == error_code_info(code).name ? code : error.code;
  }
  if (detail != nullptr && detail->is_object()) {
    error.code = ErrorCode::kCompile;
    error.span = span_at(apl, count_member(*detail, "line"), count_member(*detail, "column"),
                         count_member(*detail, "length"));
    error.id = diag::find_diagnostic_id(text_member(*detail, "id"));
    const std::string plain = text_member(*detail, "message");
    error.hint = text_member(*detail, "hint");
    // The message is the plain one with the hint in brackets behind it, which servers that send no
    // hint beside it have only there.
    if (!error.hint.empty() && !plain.empty()) {
      error.message = plain;
    } else if (!plain.empty() && error.message.ends_with(")") &&
               error.message.find(plain + " (") != std::string::npos) {
      const std::size_t hint = error.message.find(plain + " (") + plain.size() + 2;
      error.hint = error.message.substr(hint, error.message.size() - hint - 1);
      error.message = plain;
    }
  }
  return error;
}

Result<CompletionAnswer> read_completion_answer(std::string_view text) {
  EVQ_TRY_ASSIGN(const Json json, parse(text, Json::value_t::object, "no object"));
  CompletionAnswer answer;
  answer.begin = count_member(json, "begin");
  answer.end = count_member(json, "end");
  answer.note = text_member(json, "note");
  const Json* candidates = list_member(json, "candidates");
  if (candidates == nullptr || answer.begin > answer.end) {
    return unexpected_answer("no candidates");
  }
  for (const Json& each : *candidates) {
    if (!each.is_object()) {
      return unexpected_answer("a candidate is no object");
    }
    answer.candidates.push_back({find_candidate_kind(text_member(each, "kind")),
                                 text_member(each, "name"), text_member(each, "replacement"),
                                 text_member(each, "signature"), text_member(each, "doc")});
  }
  return answer;
}

std::string write_completion_body(std::string_view apl, std::size_t cursor) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("apl");
  json.string(apl);
  json.key("cursor");
  json.unsigned_integer(cursor);
  json.end_object();
  return text;
}

Result<std::vector<std::string>> read_json_list(std::string_view text) {
  EVQ_TRY_ASSIGN(const Json list, parse(text, Json::value_t::array, "no list"));
  std::vector<std::string> items;
  for (const Json& item : list) {
    items.push_back(wire::text_of(item));
  }
  return items;
}

Result<std::vector<std::string>> read_text_list(std::string_view text) {
  EVQ_TRY_ASSIGN(const Json list, parse(text, Json::value_t::array, "no list"));
  std::vector<std::string> texts;
  for (const Json& item : list) {
    if (!item.is_string()) {
      return unexpected_answer("no list of texts");
    }
    texts.push_back(item.get<std::string>());
  }
  return texts;
}

Result<std::string> read_text_member(std::string_view text, const char* name) {
  EVQ_TRY_ASSIGN(const Json object, parse(text, Json::value_t::object, "no JSON object"));
  return text_member(object, name);
}

Result<DatasetAnswer> read_dataset_answer(std::string_view text) {
  EVQ_TRY_ASSIGN(const Json object, parse(text, Json::value_t::object, "no JSON object"));
  DatasetAnswer dataset;
  dataset.name = text_member(object, "name");
  dataset.json = wire::text_of(object);
  if (!object.contains("numEvents")) {
    return dataset;
  }
  DatasetStats& stats = dataset.stats.emplace();
  stats.rows = count_member(object, "numEvents");
  stats.fresh_chunks = count_member(object, "freshChunks");
  const std::uint64_t blocks = count_member(object, "numBlocks");
  stats.blocks = blocks - std::min(blocks, stats.fresh_chunks);  // there they are blocks as well
  stats.queued_blocks = count_member(object, "queuedBlocks");
  stats.raw_bytes = count_member(object, "inputBytes");
  stats.stored_bytes = count_member(object, "compressedBytes");
  stats.file_bytes =
      object.contains("fileBytes") ? count_member(object, "fileBytes") : stats.stored_bytes;
  stats.min_time = parse_instant(text_member(object, "minTime"));
  stats.max_time = parse_instant(text_member(object, "maxTime"));
  return dataset;
}

Result<std::vector<FieldAnswer>> read_field_answers(std::string_view text) {
  EVQ_TRY_ASSIGN(const Json list, parse(text, Json::value_t::array, "no list"));
  std::vector<FieldAnswer> fields;
  for (const Json& item : list) {
    if (!item.is_object()) {
      return unexpected_answer("fields");
    }
    fields.push_back({text_member(item, "name"), type_of_api_name(text_member(item, "type")),
                      text_member(item, "description"), wire::text_of(item)});
  }
  return fields;
}

std::string write_dataset_body(std::string_view name, std::string_view description) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("name");
  json.string(name);
  json.key("description");
  json.string(description);
  json.end_object();
  return text;
}

std::string write_name_body(std::string_view name) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("name");
  json.string(name);
  json.end_object();
  return text;
}

}  // namespace evq

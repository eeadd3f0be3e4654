#include "http/wire_answer.h"

#include <algorithm>
#include <array>
#include <optional>

#include "apl/syntax/diagnostics.h"
#include "http/wire_json.h"
#include "store/base/ascii.h"
#include "store/base/json_writer.h"
#include "store/base/time_parse.h"
#include "store/base/timespan.h"
#include "store/column/dynamic_json.h"
#include "store/column/vector_builder.h"

namespace evq {
namespace {

using wire::Json;

Error unexpected(std::string_view what) {
  return make_error(ErrorCode::kServer,
                    "the server's answer is not as expected: " + std::string(what));
}

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
    return unexpected("it is nested too deep");
  }
  if (json.is_discarded() || json.type() != type) {
    return unexpected(what);
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

// A column's type here; what has several types there ("integer|float", "integer|string") is dynamic
// unless it is numbers only.
Type type_of(const std::string& name) {
  if (name == "unknown" || name.empty()) {
    return Type::kDynamic;
  }
  if (name == "integer|float" || name == "float|integer") {
    return Type::kReal;
  }
  return type_from_name(name).value_or(Type::kDynamic);
}

void append_dynamic(const Json& cell, VectorBuilder* builder) {
  const std::optional<std::string> bytes = dynamic_from_json(wire::text_of(cell));
  if (bytes.has_value()) {
    builder->append_text(*bytes);
  } else {
    builder->append_null();
  }
}

// A cell that is not of its column's type is null.
void append_cell(const Json& cell, VectorBuilder* builder) {
  std::optional<std::int64_t> integer;
  switch (builder->type()) {
    case Type::kBool:
      return cell.is_boolean() ? builder->append_bool(cell.get<bool>()) : builder->append_null();
    case Type::kLong:
      integer = integer_of(cell);
      return integer.has_value() ? builder->append_integer(*integer) : builder->append_null();
    case Type::kReal:
      return cell.is_number() ? builder->append_real(cell.get<double>()) : builder->append_null();
    case Type::kString:
      return cell.is_string() ? builder->append_text(cell.get_ref<const std::string&>())
                              : builder->append_null();
    case Type::kDatetime:
    case Type::kTimespan:
      if (cell.is_string()) {
        const auto& text = cell.get_ref<const std::string&>();
        integer =
            builder->type() == Type::kDatetime ? parse_instant(text) : parse_go_duration(text);
      }
      return integer.has_value() ? builder->append_integer(*integer) : builder->append_null();
    case Type::kDynamic:
      return cell.is_null() ? builder->append_null() : append_dynamic(cell, builder);
    case Type::kNull:
      break;
  }
  builder->append_null();
}

Result<ResultHeader> read_header(const Json& table, const Json& answer) {
  ResultHeader header;
  const Json* fields = list_member(table, "fields");
  if (fields == nullptr) {
    return unexpected("no fields");
  }
  std::vector<Field> schema;
  for (const Json& field : *fields) {
    if (!field.is_object()) {
      return unexpected("fields");
    }
    schema.push_back({text_member(field, "name"), type_of(text_member(field, "type"))});
    header.aggregated = header.aggregated || wire::member(field, "agg") != nullptr;
  }
  header.schema = Schema(std::move(schema));
  if (const Json* names = list_member(answer, "datasetNames"); names != nullptr) {
    for (const Json& name : *names) {
      header.datasets.push_back(name.is_string() ? name.get<std::string>() : std::string());
    }
  }
  if (const Json* groups = list_member(table, "groups"); groups != nullptr) {
    for (const Json& group : *groups) {
      header.group_names.push_back(group.is_object() ? text_member(group, "name") : std::string());
    }
  }
  const Json* buckets = wire::member(table, "buckets");
  if (buckets != nullptr && buckets->is_object() && count_member(*buckets, "size") > 0) {
    header.bin_ns = static_cast<std::int64_t>(count_member(*buckets, "size"));
  }
  const Json* status = wire::member(answer, "status");
  const Json* messages = status != nullptr ? list_member(*status, "messages") : nullptr;
  for (std::size_t i = 0; messages != nullptr && i < messages->size(); ++i) {
    if ((*messages)[i].is_object()) {
      header.warnings.push_back(text_member((*messages)[i], "msg"));
    }
  }
  return header;
}

QueryStatus read_status(const Json& answer) {
  QueryStatus status;
  const Json* json = wire::member(answer, "status");
  if (json == nullptr || !json->is_object()) {
    return status;
  }
  status.elapsed_us = static_cast<std::int64_t>(count_member(*json, "elapsedTime"));
  status.rows_examined = count_member(*json, "rowsExamined");
  status.rows_matched = count_member(*json, "rowsMatched");
  status.blocks_examined = count_member(*json, "blocksExamined");
  status.blocks_total = status.blocks_examined;
  status.blocks_matched = count_member(*json, "blocksMatched");
  status.groups = count_member(*json, "numGroups");
  status.is_partial = bool_member(*json, "isPartial");
  status.min_cursor = text_member(*json, "minCursor");
  status.max_cursor = text_member(*json, "maxCursor");
  return status;
}

Result<std::vector<Chunk>> read_columns(const Json& table, const Schema& schema) {
  constexpr std::size_t kRowsMax = 8192;
  const Json* columns = list_member(table, "columns");
  std::vector<Chunk> chunks;
  if (columns == nullptr || columns->empty()) {
    return chunks;
  }
  if (columns->size() != schema.size()) {
    return unexpected("columns");
  }
  const std::size_t rows = (*columns)[0].size();
  for (const Json& column : *columns) {
    if (!column.is_array() || column.size() != rows) {
      return unexpected("columns of different lengths");
    }
  }
  for (std::size_t begin = 0; begin < rows; begin += kRowsMax) {
    const std::size_t end = std::min(rows, begin + kRowsMax);
    std::vector<Vector> vectors;
    for (std::size_t i = 0; i < schema.size(); ++i) {
      VectorBuilder builder(schema[i].type);
      for (std::size_t row = begin; row < end; ++row) {
        append_cell((*columns)[i][row], &builder);
      }
      vectors.push_back(builder.finish());
    }
    chunks.emplace_back(std::move(vectors), end - begin);
  }
  return chunks;
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

}  // namespace

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
  if (!request.variables.empty()) {
    json.key("variables");
    json.begin_object();
    for (const auto& [name, value] : request.variables) {
      json.key(name);
      json.raw(json_from_dynamic(DynamicView(dynamic_from_value(value))));
    }
    json.end_object();
  }
  if (request.ascending) {
    json.key("defaultOrder");
    json.raw(R"([{"field":"_time","desc":false}])");
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
  json.end_object();
  return text;
}

Status read_tabular_answer(std::string_view text, std::uint64_t rows_max, ResultSink& sink) {
  EVQ_TRY_ASSIGN(const Json answer, parse(text, Json::value_t::object, "no JSON object"));
  const Json* tables = list_member(answer, "tables");
  if (tables == nullptr || tables->empty() || !(*tables)[0].is_object()) {
    return unexpected("no tables");
  }
  const Json& table = (*tables)[0];
  EVQ_TRY_ASSIGN(const ResultHeader header, read_header(table, answer));
  EVQ_TRY_ASSIGN(const std::vector<Chunk> chunks, read_columns(table, header.schema));
  QueryStatus status = read_status(answer);
  for (const Chunk& chunk : chunks) {
    status.rows += chunk.rows();
  }
  EVQ_TRY(check_answer_whole(status, rows_max));
  EVQ_TRY(sink.begin(header));
  for (const Chunk& chunk : chunks) {
    EVQ_TRY(sink.push(chunk, {}));
  }
  return sink.end(status);
}

Result<QueryStatus> read_answer_status(std::string_view text) {
  EVQ_TRY_ASSIGN(const Json answer, parse(text, Json::value_t::object, "no JSON object"));
  QueryStatus status = read_status(answer);
  if (const Json* tables = list_member(answer, "tables");
      tables != nullptr && !tables->empty() && (*tables)[0].is_object()) {
    const Json* columns = list_member((*tables)[0], "columns");
    status.rows = columns == nullptr || columns->empty() ? 0 : (*columns)[0].size();
    return status;
  }
  const Json* matches = list_member(answer, "matches");
  const Json* buckets = wire::member(answer, "buckets");
  if (matches == nullptr) {
    return unexpected("neither tables nor matches");
  }
  const Json* totals =
      buckets != nullptr && buckets->is_object() ? list_member(*buckets, "totals") : nullptr;
  status.rows = matches->size() + (totals != nullptr ? totals->size() : 0);
  return status;
}

Status check_answer_whole(const QueryStatus& status, std::uint64_t rows_max) {
  if (status.rows < rows_max && !status.is_partial) {
    return Status::success();
  }
  return make_error(ErrorCode::kLimit,
                    "the server gives at most " + std::to_string(status.rows) +
                        " rows at once, and there may be more",
                    "ask for fewer with | limit N, or narrow the time range");
}

Result<IngestReport> read_ingest_answer(std::string_view text) {
  EVQ_TRY_ASSIGN(const Json answer, parse(text, Json::value_t::object, "no JSON object"));
  if (wire::member(answer, "ingested") == nullptr) {  // silence is not success
    return unexpected("it does not say what was ingested");
  }
  IngestReport report;
  report.counts.ingested = count_member(answer, "ingested");
  report.counts.failed = count_member(answer, "failed");
  report.counts.processed_bytes = count_member(answer, "processedBytes");
  report.blocks_created = static_cast<std::uint32_t>(count_member(answer, "blocksCreated"));
  report.wal_length = static_cast<std::uint32_t>(count_member(answer, "walLength"));
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
  }
  error.code = status == 401 || status == 403   ? ErrorCode::kForbidden
               : status == 404                  ? ErrorCode::kNotFound
               : status == 409                  ? ErrorCode::kConflict
               : status == 413                  ? ErrorCode::kTooLarge
               : status == 400 || status == 415 ? ErrorCode::kUsage
               : status == 422                  ? ErrorCode::kLimit
                                                : ErrorCode::kServer;
  // Those whose exit status tells more than the HTTP status.
  for (const ErrorCode code :
       {ErrorCode::kTimeout, ErrorCode::kData, ErrorCode::kDiskFull, ErrorCode::kCorrupt}) {
    error.code = kind == error_code_info(code).name ? code : error.code;
  }
  if (detail != nullptr && detail->is_object()) {
    error.code = ErrorCode::kCompile;
    error.span = span_at(apl, count_member(*detail, "line"), count_member(*detail, "column"),
                         count_member(*detail, "length"));
    error.id = diag::find_diagnostic_id(text_member(*detail, "compileErrorCode"));
    const std::string plain = text_member(*detail, "message");
    // The message is the plain one with the hint in brackets behind it.
    if (!plain.empty() && error.message.ends_with(")") &&
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
  const Json* candidates = list_member(json, "candidates");
  if (candidates == nullptr || answer.begin > answer.end) {
    return unexpected("no candidates");
  }
  for (const Json& each : *candidates) {
    if (!each.is_object()) {
      return unexpected("a candidate is no object");
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
      return unexpected("no list of texts");
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
      return unexpected("fields");
    }
    fields.push_back({text_member(item, "name"), type_of(text_member(item, "type")),
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

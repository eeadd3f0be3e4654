#include "http/legacy_query.h"
#include "http/limits.h"
#include "http/wire_json.h"
#include "store/base/timespan.h"

namespace evq {
namespace {

using wire::Json;

Value scalar(const Json& json) {
  if (json.is_boolean()) {
    return Value::boolean(json.get<bool>());
  }
  if (json.is_number_integer() &&
      (!json.is_number_unsigned() || json.get<std::uint64_t>() <= INT64_MAX)) {
    return Value::integer(json.get<std::int64_t>());
  }
  if (json.is_number()) {
    return Value::real(json.get<double>());
  }
  return json.is_string() ? Value::string(json.get<std::string>()) : Value::null();
}

// "auto", a duration however it is spelt, or a number of seconds; nothing when it is not given.
Result<std::optional<std::int64_t>> read_resolution(const Json& body) {
  EVQ_TRY_ASSIGN(const auto text, wire::optional_string(body, "resolution"));
  if (text.value_or("").empty()) {
    return std::optional<std::int64_t>();
  }
  if (*text == "auto") {
    return std::optional<std::int64_t>(0);
  }
  std::optional<std::int64_t> span = parse_timespan(*text);
  if (!span.has_value()) {
    span = parse_go_duration(*text + "s");
  }
  if (span.value_or(0) <= 0) {
    return make_error(ErrorCode::kUsage, "resolution must be auto or a duration such as 5m or 1d");
  }
  return span;
}

// An error about a member of `place`, which begins with the member's name.
Error inside(const std::string& place, Error error) {
  error.message = place + "." + error.message;
  return error;
}

// Has `read` look at each element of a list member, all objects; none when it is not given.
template <class Read>
Status read_objects(const Json& body, const char* name, const Read& read) {
  const Json* list = wire::member(body, name);
  if (list == nullptr) {
    return Status::success();
  }
  if (!list->is_array()) {
    return make_error(ErrorCode::kUsage, std::string(name) + " must be a list");
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    const Json& each = (*list)[i];
    if (!each.is_object()) {
      return make_error(ErrorCode::kUsage, std::string(name) + " must hold objects");
    }
    if (const Status done = read(each); !done.ok()) {
      return inside(std::string(name) + "[" + std::to_string(i) + "]", done.error());
    }
  }
  return Status::success();
}

Result<LegacyFilter> read_filter(const Json& json) {
  LegacyFilter filter;
  EVQ_TRY_ASSIGN(const auto op, wire::optional_string(json, "op"));
  EVQ_TRY_ASSIGN(const auto field, wire::optional_string(json, "field"));
  filter.op = op.value_or("");
  filter.field = field.value_or("");
  EVQ_TRY_ASSIGN(const auto case_sensitive, wire::optional_bool(json, "caseSensitive"));
  filter.case_sensitive = case_sensitive.value_or(false);
  if (const Json* value = wire::member(json, "value"); value != nullptr) {
    if (value->is_structured()) {
      return make_error(ErrorCode::kUsage, "value must be a string, a number, true or false");
    }
    filter.value = scalar(*value);
  }
  if (wire::member(json, "children") != nullptr) {
    filter.children.emplace();
  }
  EVQ_TRY(read_objects(json, "children", [&](const Json& child) -> Status {
    EVQ_TRY_ASSIGN(LegacyFilter read, read_filter(child));
    filter.children->push_back(std::move(read));
    return Status::success();
  }));
  if (filter.op.empty() && !filter.field.empty()) {
    return make_error(ErrorCode::kUsage, "op is required");
  }
  return filter;
}

// One or a list; an empty text is what clients send that have none.
Status read_arguments(const Json& aggregation, std::vector<Value>* arguments) {
  const Json* argument = wire::member(aggregation, "argument");
  if (argument == nullptr) {
    return Status::success();
  }
  const auto read = [&](const Json& each) -> Status {
    if (each.is_structured() || each.is_null()) {
      return make_error(ErrorCode::kUsage, "argument must be a number, a name or a list of these");
    }
    const Value value = scalar(each);
    if (value.type() != Type::kString || !value.as_text().empty()) {
      arguments->push_back(value);
    }
    return Status::success();
  };
  if (!argument->is_array()) {
    return read(*argument);
  }
  for (const Json& each : *argument) {
    EVQ_TRY(read(each));
  }
  return Status::success();
}

// The name of a field, which may be left out where nothing else is said of it.
Result<std::string> read_field(const Json& json, bool needed) {
  EVQ_TRY_ASSIGN(const auto field, wire::optional_string(json, "field"));
  if (needed && field.value_or("").empty()) {
    return make_error(ErrorCode::kUsage, "field is required");
  }
  return field.value_or("");
}

Result<LegacyAggregation> read_aggregation(const Json& json) {
  LegacyAggregation aggregation;
  EVQ_TRY_ASSIGN(const auto alias, wire::optional_string(json, "alias"));
  EVQ_TRY_ASSIGN(const auto field, wire::optional_string(json, "field"));
  EVQ_TRY_ASSIGN(aggregation.op, wire::required_string(json, "op"));
  aggregation.alias = alias.value_or("");
  aggregation.field = field.value_or("");
  EVQ_TRY(read_arguments(json, &aggregation.arguments));
  return aggregation;
}

Status read_lists(const Json& body, LegacyQuery* query) {
  const Json* aggregations = wire::member(body, "aggregations");
  if (aggregations != nullptr && aggregations->size() > kLegacyAggregationsMax) {
    return make_error(ErrorCode::kUsage, "aggregations holds more than " +
                                             std::to_string(kLegacyAggregationsMax) + " of them");
  }
  EVQ_TRY(read_objects(body, "aggregations", [&](const Json& json) -> Status {
    EVQ_TRY_ASSIGN(LegacyAggregation aggregation, read_aggregation(json));
    query->aggregations.push_back(std::move(aggregation));
    return Status::success();
  }));
  EVQ_TRY(read_objects(body, "order", [&](const Json& json) -> Status {
    EVQ_TRY_ASSIGN(const auto descending, wire::optional_bool(json, "desc"));
    EVQ_TRY_ASSIGN(const std::string field, read_field(json, descending.value_or(false)));
    query->order.push_back({field, descending.value_or(false)});
    return Status::success();
  }));
  EVQ_TRY_ASSIGN(const auto groups, wire::optional_strings(body, "groupBy"));
  query->group_by = groups.value_or(std::vector<std::string>());
  EVQ_TRY(read_objects(body, "virtualFields", [&](const Json& json) -> Status {
    EVQ_TRY_ASSIGN(const std::string alias, wire::required_string(json, "alias"));
    EVQ_TRY_ASSIGN(const std::string expression, wire::required_string(json, "expr"));
    query->virtual_fields.emplace_back(alias, expression);
    return Status::success();
  }));
  return read_objects(body, "project", [&](const Json& json) -> Status {
    EVQ_TRY_ASSIGN(const auto alias, wire::optional_string(json, "alias"));
    EVQ_TRY_ASSIGN(const std::string field, read_field(json, !alias.value_or("").empty()));
    query->project.emplace_back(field, alias.value_or(""));
    return Status::success();
  });
}

// A filter of groups, which the API does not describe: an answer without it would be a wrong one.
Status refuse_having(const Json& body) {
  const Json* having = wire::member(body, "having");
  const auto is_empty = [](const Json& json) {
    return json.is_string() ? json.get_ref<const std::string&>().empty() : json.empty();
  };
  const bool none = having == nullptr || is_empty(*having) ||
                    (having->is_object() && having->contains("op") && is_empty((*having)["op"]));
  return none ? Status::success()
              : Status(make_error(ErrorCode::kUsage,
                                  "having is not supported: a query of APL has where behind "
                                  "summarize for it"));
}

}  // namespace

Result<LegacyQuery> read_legacy_body(std::string_view text) {
  EVQ_TRY_ASSIGN(const Json body, wire::parse_object(text));
  LegacyQuery query;
  EVQ_TRY_ASSIGN(query.start_time, wire::optional_string(body, "startTime"));
  EVQ_TRY_ASSIGN(query.end_time, wire::optional_string(body, "endTime"));
  EVQ_TRY_ASSIGN(query.limit, wire::optional_count(body, "limit"));
  if (query.limit == std::uint64_t{0}) {
    query.limit.reset();
  }
  EVQ_TRY_ASSIGN(query.cursor, wire::optional_string(body, "cursor"));
  if (query.cursor.value_or("").empty()) {
    EVQ_TRY_ASSIGN(query.cursor, wire::optional_string(body, "continuationToken"));
  }
  EVQ_TRY_ASSIGN(const auto include, wire::optional_bool(body, "includeCursor"));
  query.include_cursor = include.value_or(false);
  if (const Json* filter = wire::member(body, "filter"); filter != nullptr) {
    if (!filter->is_object()) {
      return make_error(ErrorCode::kUsage, "filter must be an object");
    }
    Result<LegacyFilter> read = read_filter(*filter);
    if (!read.ok()) {
      return inside("filter", std::move(read).take_error());
    }
    query.filter = *std::move(read);
  }
  EVQ_TRY(refuse_having(body));
  EVQ_TRY_ASSIGN(query.resolution, read_resolution(body));
  EVQ_TRY(read_lists(body, &query));
  return query;
}

}  // namespace evq

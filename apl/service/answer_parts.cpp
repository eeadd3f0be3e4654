#include "apl/service/answer_parts.h"

#include <array>
#include <utility>

#include "apl/service/result_writer.h"
#include "store/base/json_writer.h"
#include "store/column/dynamic_kinds.h"

namespace evq {
namespace {

void write_message(JsonWriter* json, std::string_view code, std::string_view text) {
  json->begin_object();
  json->key("priority");
  json->string("warn");
  json->key("count");
  json->integer(1);
  json->key("code");
  json->string(code);
  json->key("msg");
  json->string(text);
  json->end_object();
}

void write_messages(JsonWriter* json, const ResultHeader& header, bool default_limit) {
  json->key("messages");
  json->begin_array();
  if (default_limit) {
    write_message(json, kDefaultLimitCode,
                  "the query has no limit: these are the first " +
                      std::to_string(*header.default_limit) +
                      " rows, the default; add \"| limit N\" or page on with a cursor");
  }
  for (const std::string& warning : header.warnings) {
    const bool always_true = warning.starts_with("where clause always evaluates");
    write_message(json,
                  always_true ? "apl_whereclausealwaysevaluatestoTRUEwhichwillincludealldata_1"
                              : "apl_warning",
                  warning);
  }
  json->end_array();
}

}  // namespace

std::pair<std::int64_t, std::int64_t> answer_range(const ResultHeader& header,
                                                   const QueryStatus& status) {
  return {header.range_start_ns == INT64_MIN ? status.min_block_time_ns : header.range_start_ns,
          header.range_end_ns == INT64_MAX ? status.max_block_time_ns : header.range_end_ns};
}

std::string status_json(const ResultHeader& header, const QueryStatus& status) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("elapsedTime");
  json.integer(status.elapsed_us);
  json.key("minCursor");
  json.string(status.min_cursor);
  json.key("maxCursor");
  json.string(status.max_cursor);
  const std::array<std::pair<std::string_view, std::uint64_t>, 6> counts = {{
      {"blocksExamined", status.blocks_examined},
      {"blocksCached", status.blocks_cached},
      {"blocksMatched", status.blocks_matched},
      {"rowsExamined", status.rows_examined},
      {"rowsMatched", status.rows_matched},
      {"numGroups", status.groups},
  }};
  for (const auto& [name, count] : counts) {
    json.key(name);
    json.unsigned_integer(count);
  }
  json.key("isPartial");
  json.boolean(status.is_partial);
  json.key("cacheStatus");
  json.integer(1);
  json.key("minBlockTime");
  json.instant(status.min_block_time_ns);
  json.key("maxBlockTime");
  json.instant(status.max_block_time_ns);
  const bool default_limit = ended_by_default_limit(header, status);
  if (default_limit || !header.warnings.empty()) {
    write_messages(&json, header, default_limit);
  }
  json.end_object();
  return text;
}

std::string dynamic_type_text(std::uint32_t kinds) {
  std::string text;
  for (int i = 0; i < kTypeCount; ++i) {
    const auto kind = static_cast<Type>(i);
    if ((kinds & type_bit(kind)) != 0) {
      text.append(text.empty() ? "" : "|").append(api_type_name(kind));
    }
  }
  return text.empty() ? std::string(api_type_name(Type::kDynamic)) : text;
}

void write_order(std::span<const OrderItem> order, JsonWriter* json) {
  json->begin_array();
  for (const OrderItem& item : order) {
    json->begin_object();
    json->key("field");
    json->string(item.field);
    json->key("desc");
    json->boolean(item.descending);
    json->end_object();
  }
  json->end_array();
}

std::string dataset_members_json(const ResultHeader& header) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("datasetNames");
  json.begin_array();
  for (const std::string& dataset : header.datasets) {
    json.string(dataset);
  }
  json.end_array();
  json.key("fieldsMetaMap");
  json.begin_object();
  for (std::size_t i = 0; i < header.datasets.size(); ++i) {
    json.key(header.datasets[i]);
    json.begin_array();
    for (const FieldMeta& field :
         i < header.fields_meta.size() ? header.fields_meta[i] : std::vector<FieldMeta>()) {
      json.begin_object();
      json.key("name");
      json.string(field.name);
      json.key("type");
      json.string(field.type);
      json.key("unit");
      json.string(field.unit);
      json.key("hidden");
      json.boolean(field.hidden);
      json.key("description");
      json.string(field.description);
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
  json.end_object();
  return text.substr(1, text.size() - 2);
}

std::string field_type_text(const FieldInfo& field) {
  std::string text;
  for (const Type seen : field.types_seen) {
    if (seen != Type::kNull) {
      text.append(text.empty() ? "" : "|").append(api_type_name(seen));
    }
  }
  return text.empty() ? std::string(api_type_name(field.type)) : text;
}

}  // namespace evq

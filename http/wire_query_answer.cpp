// Answers of queries as a client reads them. They may be long, so their JSON becomes dynamic bytes
// (store/column/dynamic.h), about as many as its own, and their columns are read from those.

#include <algorithm>
#include <optional>

#include "apl/service/answer_parts.h"
#include "http/wire_answer.h"
#include "store/base/limits.h"
#include "store/base/time_parse.h"
#include "store/base/timespan.h"
#include "store/column/dynamic_json.h"
#include "store/column/vector_builder.h"

namespace evq {
namespace {

// A value of the deepest kind, in the deepest place of an answer.
constexpr std::size_t kQueryAnswerDepthMax = kDynamicDepthMax + 10;
constexpr std::size_t kChunkRows = 8192;

// Of compact JSON, outside of strings.
bool is_negative_zero(std::string_view text, std::size_t at) {
  const auto one_of = [&](std::string_view chars, std::size_t place) {
    return place < text.size() && chars.find(text[place]) != std::string_view::npos;
  };
  return text.substr(at, 2) == "-0" && at > 0 && one_of("[,:", at - 1) && one_of(",]}", at + 2);
}

bool may_hold_negative_zero(std::string_view text) {
  std::size_t at = text.find("-0");
  while (at != std::string_view::npos && !is_negative_zero(text, at)) {
    at = text.find("-0", at + 1);
  }
  return at != std::string_view::npos;
}

// Each -0 as -0.0: only a real is one, and readers of JSON take the short form for an integer.
std::string with_pointed_zeros(std::string_view text) {
  std::string out;
  std::size_t copied = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && is_negative_zero(text, i)) {
      out.append(text.substr(copied, i + 2 - copied)).append(".0");
      copied = i + 2;
    }
  }
  return out.append(text.substr(copied));
}

// The bytes of an answer, which is an object.
Result<std::string> parse(std::string_view text) {
  std::optional<std::string> bytes =
      may_hold_negative_zero(text)
          ? dynamic_from_json(with_pointed_zeros(text), kQueryAnswerDepthMax)
          : dynamic_from_json(text, kQueryAnswerDepthMax);
  if (!bytes.has_value() || !DynamicView(*bytes).is_bag()) {
    return unexpected_answer("no JSON object");
  }
  return *std::move(bytes);
}

// Null when there is none, as everything below.
DynamicView member(DynamicView object, std::string_view name) {
  return object.find(name).value_or(DynamicView());
}

std::string text_member(DynamicView object, std::string_view name) {
  const DynamicView value = member(object, name);
  return value.is_string() ? std::string(value.as_string()) : std::string();
}

// 0 for what is no count.
std::int64_t amount_member(DynamicView object, std::string_view name) {
  const DynamicView value = member(object, name);
  return value.tag() == DynamicTag::kLong ? std::max<std::int64_t>(value.as_integer(), 0) : 0;
}

std::uint64_t count_member(DynamicView object, std::string_view name) {
  return static_cast<std::uint64_t>(amount_member(object, name));
}

// The only table that is read.
DynamicView first_table(DynamicView answer) {
  const DynamicView tables = member(answer, "tables");
  return tables.is_array() ? tables.at(0) : DynamicView();
}

// A cell that is not of its column's type is null.
void append_cell(DynamicView cell, VectorBuilder* builder) {
  const Type held = cell.type();
  std::optional<std::int64_t> integer;
  switch (builder->type()) {
    case Type::kBool:
      return held == Type::kBool ? builder->append_bool(cell.as_bool()) : builder->append_null();
    case Type::kLong:
      return held == Type::kLong ? builder->append_integer(cell.as_integer())
                                 : builder->append_null();
    case Type::kReal:
      return is_numeric(held) ? builder->append_real(cell.as_real()) : builder->append_null();
    case Type::kString:
      return held == Type::kString ? builder->append_text(cell.as_string())
                                   : builder->append_null();
    case Type::kDatetime:
    case Type::kTimespan:
      if (held == Type::kString) {
        integer = builder->type() == Type::kDatetime ? parse_instant(cell.as_string())
                                                     : parse_go_duration(cell.as_string());
      }
      return integer.has_value() ? builder->append_integer(*integer) : builder->append_null();
    case Type::kDynamic:
      return held == Type::kNull ? builder->append_null() : builder->append_text(cell.bytes());
    case Type::kNull:
      break;
  }
  builder->append_null();
}

// What a column was made by; charts ask whether it counts.
ResultHeader::Origin read_origin(DynamicView aggregation) {
  ResultHeader::Origin origin;
  origin.is_aggregate = aggregation.is_bag();
  origin.aggregate = origin.is_aggregate ? text_member(aggregation, "name") : std::string();
  return origin;
}

std::uint64_t rows_of(DynamicView table) {
  const DynamicView columns = member(table, "columns");
  const bool any = columns.is_array() && columns.size() > 0 && columns.at(0).is_array();
  return any ? columns.at(0).size() : 0;
}

Result<ResultHeader> read_header(DynamicView table, DynamicView answer) {
  ResultHeader header;
  const DynamicView fields = member(table, "fields");
  if (!fields.is_array()) {
    return unexpected_answer("no fields");
  }
  std::vector<Field> schema;
  for (DynamicView::Iterator field(fields); field.next();) {
    if (!field.value().is_bag()) {
      return unexpected_answer("fields");
    }
    schema.push_back(
        {text_member(field.value(), "name"), type_of_api_name(text_member(field.value(), "type"))});
    header.origins.push_back(read_origin(member(field.value(), "agg")));
    header.aggregated = header.aggregated || header.origins.back().is_aggregate;
  }
  header.schema = Schema(std::move(schema));
  for (DynamicView::Iterator name(member(answer, "datasetNames")); name.next();) {
    header.datasets.emplace_back(name.value().is_string() ? name.value().as_string()
                                                          : std::string_view());
  }
  for (DynamicView::Iterator group(member(table, "groups")); group.next();) {
    header.group_names.push_back(text_member(group.value(), "name"));
  }
  for (DynamicView::Iterator key(member(table, "order")); key.next();) {
    const DynamicView descending = member(key.value(), "desc");
    header.order.push_back({text_member(key.value(), "field"),
                            descending.type() == Type::kBool && descending.as_bool()});
  }
  if (const std::int64_t bin_ns = amount_member(member(table, "buckets"), "size"); bin_ns > 0) {
    header.bin_ns = bin_ns;
  }
  for (DynamicView::Iterator message(member(member(answer, "status"), "messages"));
       message.next();) {
    if (!message.value().is_bag()) {
      continue;
    }
    if (text_member(message.value(), "code") == kDefaultLimitCode) {
      header.default_limit = rows_of(table);
    } else {
      header.warnings.push_back(text_member(message.value(), "msg"));
    }
  }
  return header;
}

QueryStatus read_status(DynamicView answer) {
  QueryStatus status;
  const DynamicView told = member(answer, "status");
  const DynamicView partial = member(told, "isPartial");
  status.elapsed_us = amount_member(told, "elapsedTime");
  status.rows_examined = count_member(told, "rowsExamined");
  status.rows_matched = count_member(told, "rowsMatched");
  status.blocks_examined = count_member(told, "blocksExamined");
  status.blocks_total = status.blocks_examined;
  status.blocks_matched = count_member(told, "blocksMatched");
  status.groups = count_member(told, "numGroups");
  status.is_partial = partial.is_bool() && partial.as_bool();
  status.min_cursor = text_member(told, "minCursor");
  status.max_cursor = text_member(told, "maxCursor");
  return status;
}

Result<std::vector<Chunk>> read_columns(DynamicView table, const Schema& schema) {
  const DynamicView columns = member(table, "columns");
  if (!columns.is_array() || columns.size() == 0 || schema.size() == 0) {
    return std::vector<Chunk>();
  }
  if (columns.size() != schema.size()) {
    return unexpected_answer("columns");
  }
  const std::size_t rows = columns.at(0).size();
  std::vector<std::vector<Vector>> vectors((rows + kChunkRows - 1) / kChunkRows);
  std::size_t field = 0;
  for (DynamicView::Iterator column(columns); column.next(); ++field) {
    if (!column.value().is_array() || column.value().size() != rows) {
      return unexpected_answer("columns of different lengths");
    }
    DynamicView::Iterator cell(column.value());
    for (std::size_t chunk = 0; chunk < vectors.size(); ++chunk) {
      VectorBuilder builder(schema[field].type);
      const std::size_t end = std::min(rows, (chunk + 1) * kChunkRows);
      for (std::size_t row = chunk * kChunkRows; row < end && cell.next(); ++row) {
        append_cell(cell.value(), &builder);
      }
      vectors[chunk].push_back(builder.finish());
    }
  }
  std::vector<Chunk> chunks;
  for (std::vector<Vector>& chunk : vectors) {
    const std::size_t size = chunk[0].size();
    chunks.emplace_back(std::move(chunk), size);
  }
  return chunks;
}

}  // namespace

Type type_of_api_name(std::string_view name) {
  return type_from_name(name).value_or(Type::kDynamic);
}

Status read_tabular_answer(std::string_view text, std::uint64_t rows_max, ResultSink& sink) {
  ResultHeader header;
  QueryStatus status;
  std::vector<Chunk> chunks;
  {
    EVQ_TRY_ASSIGN(const std::string bytes, parse(text));
    const DynamicView answer(bytes);
    const DynamicView table = first_table(answer);
    if (!table.is_bag()) {
      return unexpected_answer("no tables");
    }
    EVQ_TRY_ASSIGN(header, read_header(table, answer));
    EVQ_TRY_ASSIGN(chunks, read_columns(table, header.schema));
    status = read_status(answer);
  }
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
  EVQ_TRY_ASSIGN(const std::string bytes, parse(text));
  const DynamicView answer(bytes);
  QueryStatus status = read_status(answer);
  if (const DynamicView table = first_table(answer); table.is_bag()) {
    const DynamicView columns = member(table, "columns");
    status.rows = columns.is_array() ? columns.at(0).size() : 0;
    return status;
  }
  const DynamicView matches = member(answer, "matches");
  if (!matches.is_array()) {
    return unexpected_answer("neither tables nor matches");
  }
  const DynamicView totals = member(member(answer, "buckets"), "totals");
  status.rows = matches.size() + (totals.is_array() ? totals.size() : 0);
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

}  // namespace evq

#include "store/block/block_writer.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "store/base/check.h"
#include "store/base/checksum.h"
#include "store/base/limits.h"
#include "store/base/seeded_text_hash.h"
#include "store/base/thread_pool.h"
#include "store/block/time_units.h"
#include "store/encoding/segment.h"

namespace evq {
namespace {

// Measured on logs: -5 halves a chunk; 1 keeps up with the parser; beyond 9 the gain stops paying.
constexpr int kFreshLevel = -5;
constexpr int kIngestLevel = 1;
constexpr int kCompactLevel = 9;

EncodeOptions options_of(Effort effort) {
  switch (effort) {
    case Effort::kPassing:
      return {kUncompressed, false};
    case Effort::kFresh:
      return {kFreshLevel, false};
    case Effort::kIngest:
      return {kIngestLevel};
    case Effort::kCompact:
      break;
  }
  return {kCompactLevel};
}

ColumnHeader make_header(const Field& field, const EncodedSegment& segment) {
  const ColumnStatistics& statistics = segment.statistics;
  ColumnHeader header;
  header.name = field.name;
  header.type = field.type;
  header.encoding = static_cast<std::uint8_t>(segment.encoding);
  header.nulls = statistics.nulls;
  header.distinct = statistics.distinct;
  header.least = statistics.least;
  header.greatest = statistics.greatest;
  header.raw_bytes = statistics.raw_bytes;
  header.segment_bytes = segment.bytes.size();
  header.segment_checksum = checksum64(segment.bytes);
  header.filter_bytes = segment.filter.size();
  header.filter_checksum = segment.filter.empty() ? 0 : checksum64(segment.filter);
  const bool bounds = !statistics.least.is_null() && !statistics.greatest.is_null();
  const auto flag = [&](bool set, std::uint8_t bit) {
    header.flags = static_cast<std::uint8_t>(header.flags | (set ? bit : 0));
  };
  flag(bounds, kColumnHasBounds);
  flag(statistics.distinct_exact, kColumnDistinctExact);
  flag(bounds && statistics.least_exact, kColumnLeastExact);
  flag(bounds && statistics.greatest_exact, kColumnGreatestExact);
  flag(statistics.has_nan, kColumnHasNan);
  flag(statistics.is_dictionary, kColumnIsDictionary);
  if (!bounds) {
    header.least = Value::null(field.type);
    header.greatest = Value::null(field.type);
  }
  return header;
}

// Dictionaries and constants are small, and their readers use their shape.
void refer_to_time(const Vector& values, const Vector& times, EncodedSegment* segment) {
  if (segment->statistics.is_dictionary || segment->encoding == EncodingId::kConstant) {
    return;
  }
  if (std::optional<std::string> bytes = encode_time_units(values, times)) {
    segment->encoding = EncodingId::kTimeUnits;
    segment->bytes = std::move(*bytes);
  }
}

bool is_time_column(const Table& table, std::string_view name) {
  const std::optional<std::size_t> column = table.schema.find(name);
  if (!column.has_value() || table.schema[*column].type != Type::kDatetime) {
    return false;
  }
  const Vector& values = table.columns[*column];
  for (std::size_t i = 0; values.may_have_nulls() && i < values.size(); ++i) {
    if (values.is_null(i)) {
      return false;
    }
  }
  return true;
}

Status check_table(const Table& table) {
  if (table.rows == 0 || table.rows > kBlockRowsMax) {
    return make_error(ErrorCode::kUsage, "a block holds 1 to 65536 rows");
  }
  if (table.columns.size() != table.schema.size()) {
    return make_error(ErrorCode::kUsage, "a block needs one column for each field");
  }
  std::unordered_set<std::string_view, SeededTextHash> names;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Vector& column = table.columns[i];
    if (column.size() != table.rows || column.type() != table.schema[i].type) {
      return make_error(ErrorCode::kUsage,
                        "column '" + table.schema[i].name + "' is not what the schema says");
    }
    if (!names.insert(table.schema[i].name).second) {
      return make_error(ErrorCode::kUsage, "field '" + table.schema[i].name + "' is there twice");
    }
  }
  for (const std::string_view name : {kTimeField, kSysTimeField}) {
    if (!is_time_column(table, name)) {
      return make_error(ErrorCode::kUsage, "a block needs a datetime column '" + std::string(name) +
                                               "' without nulls");
    }
  }
  return {};
}

// Whether these bounds can stand for all rows.
bool has_times(const BlockHeader& header, std::string_view name) {
  const std::optional<std::size_t> column = header.find(name);
  return column.has_value() && header.columns[*column].type == Type::kDatetime &&
         header.columns[*column].nulls == 0;
}

}  // namespace

// Most events come in order of time and some late: only those are sorted, and merged with the rest.
std::vector<std::uint32_t> time_order(const Vector& times) {
  const Vector flat = times.flatten();
  const auto* values = flat.values().data<std::int64_t>();
  if (std::is_sorted(values, values + flat.size())) {
    return {};
  }
  // Time and row in one sort key keep equal times in order without a stable sort's copies.
  std::vector<std::pair<std::int64_t, std::uint32_t>> late;
  std::vector<std::uint32_t> order(flat.size());
  std::size_t others = 0;  // the first rows of `order`, for now
  std::int64_t greatest = values[0];
  for (std::uint32_t i = 0; i < flat.size(); ++i) {
    if (values[i] < greatest) {
      late.emplace_back(values[i], i);
    } else {
      greatest = values[i];
      order[others++] = i;
    }
  }
  std::sort(late.begin(), late.end());
  // From the end on, where there is room. A late row with the time of another that is not comes
  // behind it: it was late for a greater time.
  for (std::size_t place = order.size(); !late.empty(); --place) {
    const bool takes_late = others == 0 || late.back().first >= values[order[others - 1]];
    order[place - 1] = takes_late ? late.back().second : order[--others];
    if (takes_late) {
      late.pop_back();
    }
  }
  return order;
}

Result<EncodedBlock> encode_block(Table table, Effort effort, ThreadPool* pool) {
  EVQ_TRY(check_table(table));
  const auto let_go = [&](std::size_t i, const RowOrder& order) {
    Vector values = std::move(table.columns[i]);
    return order.empty() ? values : values.gather(order.rows());
  };
  return encode_block(table.schema, let_go, effort, pool);
}

Result<EncodedBlock> encode_block(const Schema& schema, const OrderedColumnSource& source,
                                  Effort effort, ThreadPool* pool) {
  const std::optional<std::size_t> time_column = schema.find(kTimeField);
  EVQ_CHECK(time_column.has_value());
  Vector times = source(*time_column, {});
  const RowOrder order(time_order(times));
  if (!order.empty()) {
    times = times.gather(order.rows());
  }
  const auto put_in_order = [&](std::size_t i) {
    return i == *time_column ? times : source(i, order);
  };
  EVQ_TRY_ASSIGN(std::vector<EncodedColumn> columns,
                 encode_columns(schema, put_in_order, {}, effort, pool, &times));
  return assemble_block(times.size(), std::move(columns));
}

Result<std::vector<EncodedColumn>> encode_columns(Table table,
                                                  const std::vector<std::uint32_t>& order,
                                                  Effort effort, ThreadPool* pool,
                                                  const Vector* times) {
  const auto let_go = [&](std::size_t i) { return std::move(table.columns[i]); };
  return encode_columns(table.schema, let_go, order, effort, pool, times);
}

Result<std::vector<EncodedColumn>> encode_columns(const Schema& schema, const ColumnSource& source,
                                                  const std::vector<std::uint32_t>& order,
                                                  Effort effort, ThreadPool* pool,
                                                  const Vector* times) {
  std::vector<std::optional<Result<EncodedColumn>>> results(schema.size());
  const auto encode = [&](std::size_t i) {
    Vector values = source(i);
    if (!order.empty()) {
      values = values.gather(order);
    }
    results[i].emplace(encode_column(schema[i], values, effort, times));
  };
  if (pool != nullptr) {
    pool->run_parallel(results.size(), encode);
  } else {
    for (std::size_t i = 0; i < results.size(); ++i) {
      encode(i);
    }
  }
  std::vector<EncodedColumn> columns;
  columns.reserve(results.size());
  for (auto& result : results) {
    EVQ_TRY_ASSIGN(EncodedColumn column, std::move(*result));
    columns.push_back(std::move(column));
  }
  return columns;
}

Result<EncodedColumn> encode_column(const Field& field, const Vector& values, Effort effort,
                                    const Vector* times) {
  const EncodeOptions options = options_of(effort);
  EVQ_TRY_ASSIGN(EncodedSegment segment, encode_segment(values, options, kBoundBytesMax));
  if (times != nullptr && options.analyse && field.name != kTimeField) {
    refer_to_time(values, *times, &segment);
  }
  EncodedColumn column;
  column.header = make_header(field, segment);
  column.segment = std::move(segment.bytes);
  column.filter = std::move(segment.filter);
  return column;
}

Result<EncodedBlock> assemble_block(std::size_t rows, std::vector<EncodedColumn> columns) {
  EncodedBlock block;
  block.header.rows = static_cast<std::uint32_t>(rows);
  for (EncodedColumn& column : columns) {
    block.header.columns.push_back(std::move(column.header));
    block.segments.push_back(std::move(column.segment));
    block.filters.push_back(std::move(column.filter));
  }
  if (!has_times(block.header, kTimeField) || !has_times(block.header, kSysTimeField)) {
    return make_error(ErrorCode::kUsage, "a block needs its two columns of times without nulls");
  }
  const ColumnHeader& time = block.header.columns[*block.header.find(kTimeField)];
  const ColumnHeader& sys_time = block.header.columns[*block.header.find(kSysTimeField)];
  block.header.min_time = time.least.as_integer();
  block.header.max_time = time.greatest.as_integer();
  block.header.min_sys_time = sys_time.least.as_integer();
  block.header.max_sys_time = sys_time.greatest.as_integer();
  block.header.index_names();
  return block;
}

}  // namespace evq

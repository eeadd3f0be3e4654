// JSON forms of an answer. Columns that are dictionaries are rendered once per entry.

#include <array>
#include <map>
#include <utility>

#include "apl/service/result_writer.h"
#include "store/base/json_writer.h"
#include "store/base/number.h"
#include "store/base/time.h"
#include "store/base/timespan.h"
#include "store/column/dynamic_json.h"

namespace evq {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{1} << 18U;

void append_slot_json(std::string* out, const Values& values, std::size_t slot) {
  if (values.is_null(slot)) {
    out->append("null");
    return;
  }
  switch (values.type()) {
    case Type::kNull:
      out->append("null");
      return;
    case Type::kBool:
      out->append(values.data<std::uint8_t>()[slot] != 0 ? "true" : "false");
      return;
    case Type::kLong:
      append_int(*out, values.data<std::int64_t>()[slot]);
      return;
    case Type::kReal:
      append_real_json(*out, values.data<double>()[slot]);
      return;
    case Type::kString:
      append_json_string(*out, values.data<std::string_view>()[slot]);
      return;
    case Type::kDatetime:
      out->push_back('"');
      append_instant(*out, values.data<std::int64_t>()[slot]);
      out->push_back('"');
      return;
    case Type::kTimespan:
      out->push_back('"');
      append_duration(*out, values.data<std::int64_t>()[slot]);
      out->push_back('"');
      return;
    case Type::kDynamic:
      append_json(DynamicView(values.data<std::string_view>()[slot]), out);
      return;
  }
}

// Renders the cells of one column of a chunk.
class CellRenderer {
 public:
  explicit CellRenderer(const Vector& column) : column_(column) {
    if (!column.is_flat() && column.values().size() <= column.size()) {
      rendered_.resize(column.values().size());
    }
  }
  void append(std::string* out, std::size_t row) {
    const std::size_t slot = column_.slot(row);
    if (rendered_.empty()) {
      append_slot_json(out, column_.values(), slot);
      return;
    }
    std::string& text = rendered_[slot];
    if (text.empty()) {
      append_slot_json(&text, column_.values(), slot);
    }
    out->append(text);
  }

 private:
  const Vector& column_;
  std::vector<std::string> rendered_;
};

std::vector<CellRenderer> renderers(const Chunk& rows) {
  std::vector<CellRenderer> made;
  made.reserve(rows.column_count());
  for (const Vector& column : rows.columns()) {
    made.emplace_back(column);
  }
  return made;
}

// json and ndjson.
class ObjectWriter final : public ResultSink {
 public:
  ObjectWriter(ByteSink out, bool lines) : out_(std::move(out)), lines_(lines) {}

  Status begin(const ResultHeader& header) override {
    for (const Field& field : header.schema.fields()) {
      std::string key;
      append_json_string(key, field.name);
      keys_.push_back(key + ":");
    }
    if (!lines_) {
      text_.push_back('[');
    }
    return Status::success();
  }
  Status push(const Chunk& rows, std::span<const RowId> /*ids*/) override {
    std::vector<CellRenderer> cells = renderers(rows);
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      if (!lines_) {
        text_.append(first_ ? "\n" : ",\n");
      }
      first_ = false;
      text_.push_back('{');
      for (std::size_t column = 0; column < keys_.size(); ++column) {
        text_.append(column == 0 ? "" : ",").append(keys_[column]);
        cells[column].append(&text_, row);
      }
      text_.append(lines_ ? "}\n" : "}");
      if (text_.size() >= kFlushBytes) {
        EVQ_TRY(flush());
      }
    }
    return Status::success();
  }
  Status end(const QueryStatus& /*status*/) override {
    if (!lines_) {
      text_.append(first_ ? "]\n" : "\n]\n");
    }
    return flush();
  }

 private:
  Status flush() {
    EVQ_TRY(out_(text_));
    text_.clear();
    return Status::success();
  }

  ByteSink out_;
  bool lines_;
  bool first_ = true;
  std::vector<std::string> keys_;
  std::string text_;
};

void append_sources(JsonWriter* json, const std::vector<std::string>& datasets) {
  json->begin_array();
  for (const std::string& dataset : datasets) {
    json->begin_object();
    json->key("name");
    json->string(dataset);
    json->end_object();
  }
  json->end_array();
}

void append_names(JsonWriter* json, const ResultHeader& header) {
  json->key("datasetNames");
  json->begin_array();
  for (const std::string& dataset : header.datasets) {
    json->string(dataset);
  }
  json->end_array();
  json->key("fieldsMetaMap");
  json->begin_object();
  for (const std::string& dataset : header.datasets) {
    json->key(dataset);
    json->begin_array();
    for (std::size_t i = 0; i < header.schema.size(); ++i) {
      if (header.origins.size() > i && header.origins[i].is_aggregate) {
        continue;
      }
      json->begin_object();
      json->key("name");
      json->string(header.schema[i].name);
      json->key("type");
      json->string(api_type_name(header.schema[i].type));
      json->key("unit");
      json->string("");
      json->key("hidden");
      json->boolean(false);
      json->key("description");
      json->string("");
      json->end_object();
    }
    json->end_array();
  }
  json->end_object();
}

void append_value(JsonWriter* json, const Value& value) {
  std::string text;
  append_cell_json(&text, Vector::constant(value, 1), 0);
  json->raw(text);
}

class TabularWriter final : public ResultSink {
 public:
  explicit TabularWriter(ByteSink out) : out_(std::move(out)) {}

  Status begin(const ResultHeader& header) override {
    header_ = header;
    columns_.resize(header.schema.size());
    return Status::success();
  }
  Status push(const Chunk& rows, std::span<const RowId> /*ids*/) override {
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      CellRenderer cells(rows.column(column));
      std::string& text = columns_[column];
      for (std::size_t row = 0; row < rows.rows(); ++row) {
        if (!text.empty()) {
          text.push_back(',');
        }
        cells.append(&text, row);
      }
    }
    return Status::success();
  }
  Status end(const QueryStatus& status) override {
    std::string text;
    JsonWriter json(text);
    json.begin_object();
    json.key("format");
    json.string("tabular");
    json.key("status");
    std::string status_text;
    append_status_json(&status_text, status, header_.warnings);
    json.raw(status_text);
    json.key("tables");
    json.begin_array();
    append_table(&json, status);
    json.end_array();
    append_names(&json, header_);
    json.end_object();
    text.push_back('\n');
    return out_(text);
  }

 private:
  void append_table(JsonWriter* json, const QueryStatus& status) {
    json->begin_object();
    json->key("name");
    json->string("0");
    json->key("sources");
    append_sources(json, header_.datasets);
    json->key("fields");
    json->begin_array();
    for (std::size_t i = 0; i < header_.schema.size(); ++i) {
      append_field(json, i);
    }
    json->end_array();
    json->key("order");
    json->begin_array();
    for (const OrderItem& item : header_.order) {
      json->begin_object();
      json->key("field");
      json->string(item.field);
      json->key("desc");
      json->boolean(item.descending);
      json->end_object();
    }
    json->end_array();
    json->key("groups");
    json->begin_array();
    for (const std::string& group : header_.group_names) {
      json->begin_object();
      json->key("name");
      json->string(group);
      json->end_object();
    }
    json->end_array();
    append_range(json, status);
    json->key("columns");
    json->begin_array();
    for (const std::string& column : columns_) {
      json->raw("[" + column + "]");
    }
    json->end_array();
    json->end_object();
  }

  void append_field(JsonWriter* json, std::size_t i) {
    json->begin_object();
    json->key("name");
    json->string(header_.schema[i].name);
    json->key("type");
    json->string(api_type_name(header_.schema[i].type));
    if (i < header_.origins.size() && header_.origins[i].is_aggregate) {
      const ResultHeader::Origin& origin = header_.origins[i];
      json->key("agg");
      json->begin_object();
      json->key("name");
      json->string(origin.aggregate);
      json->key("fields");
      json->begin_array();
      for (const std::string& field : origin.fields) {
        json->string(field);
      }
      json->end_array();
      json->key("args");
      json->begin_array();
      for (const Value& value : origin.args) {
        append_value(json, value);
      }
      json->end_array();
      json->end_object();
    }
    json->end_object();
  }

  void append_range(JsonWriter* json, const QueryStatus& status) {
    json->key("range");
    json->begin_object();
    json->key("field");
    json->string("_time");
    json->key("start");
    json->instant(header_.range_start_ns == INT64_MIN ? status.min_block_time_ns
                                                      : header_.range_start_ns);
    json->key("end");
    json->instant(header_.range_end_ns == INT64_MAX ? status.max_block_time_ns
                                                    : header_.range_end_ns);
    json->end_object();
    if (header_.bin_ns.has_value()) {
      json->key("buckets");
      json->begin_object();
      json->key("field");
      json->string("_time");
      json->key("size");
      json->integer(*header_.bin_ns);
      json->end_object();
    }
  }

  ByteSink out_;
  ResultHeader header_;
  std::vector<std::string> columns_;
};

// The fields of an event as the tree they were ingested as: geo.city becomes {"geo":{"city":…}}, a
// dot escaped by a backslash stays part of its key.
struct FieldTree {
  std::map<std::string, FieldTree> children;
  std::vector<std::string> order;  // keys as they first came
  int column = -1;
};

std::vector<std::string> split_path(std::string_view name) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '\\' && i + 1 < name.size() && name[i + 1] == '.') {
      parts.back().push_back('.');
      ++i;
    } else if (name[i] == '.') {
      parts.emplace_back();
    } else {
      parts.back().push_back(name[i]);
    }
  }
  return parts;
}

void add_path(FieldTree* tree, std::string_view name, int column) {
  for (const std::string& part : split_path(name)) {
    if (!tree->children.contains(part)) {
      tree->order.push_back(part);
    }
    tree = &tree->children[part];
  }
  tree->column = column;
}

class LegacyWriter final : public ResultSink {
 public:
  explicit LegacyWriter(ByteSink out) : out_(std::move(out)) {}

  Status begin(const ResultHeader& header) override {
    header_ = header;
    for (std::size_t i = 0; i < header.schema.size(); ++i) {
      const std::string& name = header.schema[i].name;
      if (name == "_time") {
        time_ = static_cast<int>(i);
      } else if (name == "_sysTime") {
        sys_time_ = static_cast<int>(i);
      } else {
        add_path(&tree_, name, static_cast<int>(i));
      }
    }
    return Status::success();
  }

  Status push(const Chunk& rows, std::span<const RowId> ids) override {
    std::vector<CellRenderer> cells = renderers(rows);
    std::vector<bool> null_column(rows.column_count());
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      if (!matches_.empty()) {
        matches_.push_back(',');
      }
      if (header_.aggregated) {
        append_total(rows, row, &cells);
        continue;
      }
      matches_.append("{\"_time\":");
      append_time(time_, row, &cells);
      matches_.append(",\"_sysTime\":");
      append_time(sys_time_, row, &cells);
      matches_.append(",\"_rowId\":");
      append_json_string(matches_, row < ids.size() ? encode_cursor(ids[row]) : std::string());
      matches_.append(",\"data\":");
      append_tree(tree_, rows, row, &cells);
      matches_.push_back('}');
    }
    return Status::success();
  }

  Status end(const QueryStatus& status) override {
    std::string text = "{\"format\":\"legacy\",\"status\":";
    append_status_json(&text, status, header_.warnings);
    text.append(",\"matches\":[").append(header_.aggregated ? "" : matches_).append("]");
    text.append(",\"buckets\":{\"series\":[],\"totals\":[");
    text.append(header_.aggregated ? matches_ : "").append("]}");
    std::string names;
    JsonWriter json(names);
    json.begin_object();
    append_names(&json, header_);
    json.end_object();
    text.append(",").append(names.substr(1)).push_back('\n');
    return out_(text);
  }

 private:
  void append_time(int column, std::size_t row, std::vector<CellRenderer>* cells) {
    if (column < 0) {
      matches_.append("\"1970-01-01T00:00:00Z\"");
    } else {
      (*cells)[static_cast<std::size_t>(column)].append(&matches_, row);
    }
  }

  // Null fields and objects without any value are left out, as they were never there.
  bool append_tree(const FieldTree& tree, const Chunk& rows, std::size_t row,
                   std::vector<CellRenderer>* cells) {
    const std::size_t start = matches_.size();
    matches_.push_back('{');
    bool any = false;
    for (const std::string& key : tree.order) {
      const FieldTree& child = tree.children.at(key);
      const std::size_t before = matches_.size();
      matches_.append(any ? "," : "");
      append_json_string(matches_, key);
      matches_.push_back(':');
      const auto column = static_cast<std::size_t>(child.column);
      if (child.column >= 0 && !rows.column(column).is_null(row)) {
        (*cells)[column].append(&matches_, row);
        any = true;
      } else if (!child.order.empty() && append_tree(child, rows, row, cells)) {
        any = true;
      } else {
        matches_.resize(before);
      }
    }
    if (!any && start != 0 && &tree != &tree_) {
      return false;
    }
    matches_.push_back('}');
    return true;
  }

  // {"id":1,"group":{…},"aggregations":[{"op":alias,"value":v}]}
  void append_total(const Chunk& rows, std::size_t row, std::vector<CellRenderer>* cells) {
    matches_.append("{\"id\":" + std::to_string(next_id_++) + ",\"group\":{");
    const std::size_t groups = std::min(header_.group_names.size(), rows.column_count());
    for (std::size_t i = 0; i < groups; ++i) {
      matches_.append(i == 0 ? "" : ",");
      append_json_string(matches_, header_.schema[i].name);
      matches_.push_back(':');
      (*cells)[i].append(&matches_, row);
    }
    matches_.append("},\"aggregations\":[");
    for (std::size_t i = groups; i < rows.column_count(); ++i) {
      matches_.append(i == groups ? "" : ",").append("{\"op\":");
      append_json_string(matches_, header_.schema[i].name);
      matches_.append(",\"value\":");
      (*cells)[i].append(&matches_, row);
      matches_.push_back('}');
    }
    matches_.append("]}");
  }

  ByteSink out_;
  ResultHeader header_;
  FieldTree tree_;
  int time_ = -1;
  int sys_time_ = -1;
  std::uint64_t next_id_ = 1;
  std::string matches_;
};

}  // namespace

std::unique_ptr<ResultSink> make_csv_writer(ByteSink out, char delimiter, bool header_line);

std::unique_ptr<ResultSink> make_result_writer(ResultFormat format, ByteSink out,
                                               bool header_line) {
  switch (format) {
    case ResultFormat::kJson:
      return std::make_unique<ObjectWriter>(std::move(out), false);
    case ResultFormat::kNdjson:
      return std::make_unique<ObjectWriter>(std::move(out), true);
    case ResultFormat::kCsv:
      return make_csv_writer(std::move(out), ',', header_line);
    case ResultFormat::kTsv:
      return make_csv_writer(std::move(out), '\t', header_line);
    case ResultFormat::kTabular:
      return std::make_unique<TabularWriter>(std::move(out));
    case ResultFormat::kLegacy:
      return std::make_unique<LegacyWriter>(std::move(out));
  }
  return nullptr;
}

void append_cell_json(std::string* out, const Vector& column, std::size_t row) {
  append_slot_json(out, column.values(), column.slot(row));
}

void append_status_json(std::string* out, const QueryStatus& status,
                        const std::vector<std::string>& warnings) {
  JsonWriter json(*out);
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
  if (!warnings.empty()) {
    json.key("messages");
    json.begin_array();
    for (const std::string& warning : warnings) {
      const bool always_true = warning.starts_with("where clause always evaluates");
      json.begin_object();
      json.key("priority");
      json.string("warn");
      json.key("count");
      json.integer(1);
      json.key("code");
      json.string(always_true
                      ? "apl_whereclausealwaysevaluatestoTRUEwhichwillincludealldata_1"
                      : "apl_warning");
      json.key("msg");
      json.string(warning);
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
}

}  // namespace evq

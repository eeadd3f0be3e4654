#include "cli/store_tables.h"

#include <algorithm>
#include <utility>

#include <unistd.h>

#include "apl/service/starred.h"
#include "cli/table_output.h"
#include "cli/terminal/number_text.h"
#include "cli/terminal/table_format.h"
#include "http/wire_resources.h"
#include "store/base/json_writer.h"
#include "store/base/time.h"
#include "store/base/told_number.h"

namespace evq {

TableOptions list_table_options() {
  TableOutputOptions output;
  fit_to_standard_output(&output, ColorChoice::kNever);
  TableOptions options;
  options.width = output.width;
  options.unicode = output.unicode;
  options.layout = output.width != 0 ? TableLayout::kAuto : TableLayout::kTable;
  return options;
}

namespace {

std::string damaged_json(const std::string& name, const Error& error) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("name");
  json.string(name);
  json.key("error");
  json.string(error.message);
  json.end_object();
  return text;
}

}  // namespace

Result<ListedDataset> dataset_row(Store& store, const std::string& name) {
  ListedDataset row;
  row.name = name;
  EVQ_TRY_ASSIGN(row.stats, store.stats(name));
  return row;
}

Status add_listed(const std::string& name, Result<ListedDataset> row,
                  std::vector<ListedDataset>* rows) {
  if (row.ok()) {
    rows->push_back(std::move(row).value());
    return Status::success();
  }
  const Error& error = row.error();
  if (error.code == ErrorCode::kNotFound) {
    return Status::success();  // deleted since it was named
  }
  if (error.code != ErrorCode::kCorrupt && error.code != ErrorCode::kIo &&
      error.code != ErrorCode::kReadOnly) {
    return error;
  }
  rows->push_back({name, std::nullopt, damaged_json(name, error), true});
  return Status::success();
}

Result<std::vector<ListedDataset>> dataset_rows(Store& store,
                                                const std::vector<std::string>& names) {
  std::vector<ListedDataset> rows;
  for (const std::string& name : names) {
    EVQ_TRY(add_listed(name, dataset_row(store, name), &rows));
  }
  return rows;
}

namespace {

std::string dataset_json(const ListedDataset& dataset) {
  if (!dataset.stats.has_value()) {
    return dataset.json;
  }
  const DatasetStats& stats = *dataset.stats;
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("name");
  json.string(dataset.name);
  const std::pair<std::string_view, std::uint64_t> counts[] = {
      {"numEvents", stats.rows},           {"numBlocks", stats.blocks},
      {"freshChunks", stats.fresh_chunks}, {"queuedBlocks", stats.queued_blocks},
      {"inputBytes", stats.raw_bytes},     {"compressedBytes", stats.stored_bytes},
      {"fileBytes", stats.file_bytes}};
  for (const auto& [key, count] : counts) {
    json.key(key);
    json.unsigned_integer(count);
  }
  for (const auto& [key, time] :
       {std::pair("minTime", stats.min_time), std::pair("maxTime", stats.max_time)}) {
    json.key(key);
    time.has_value() ? json.instant(*time) : json.string("");
  }
  json.end_object();
  return text;
}

std::string datasets_table(const std::vector<ListedDataset>& datasets, const DisplayZone& zone) {
  const auto time_cell = [&](std::optional<std::int64_t> time) {
    TableCell cell{"", TableCellKind::kFixed};
    if (time.has_value()) {
      zone.append_instant(&cell.text, floor_to(*time, kSecondNs).value_or(*time));
    }
    return cell;
  };
  TableRows rows;
  for (const ListedDataset& dataset : datasets) {
    const bool told = dataset.stats.has_value();
    const DatasetStats stats = dataset.stats.value_or(DatasetStats());
    rows.push_back({{dataset.name, TableCellKind::kFixed},
                    {told              ? grouped_text(stats.rows)
                     : dataset.damaged ? "damaged"
                                       : std::string(),
                     TableCellKind::kNumber},
                    {told ? bytes_text(stats.file_bytes) : std::string(), TableCellKind::kNumber},
                    time_cell(stats.min_time),
                    time_cell(stats.max_time)});
  }
  return format_table({{"dataset", "", TableCellKind::kFixed},
                       {"events", "", TableCellKind::kNumber},
                       {"size", "", TableCellKind::kNumber},
                       {"oldest", "", TableCellKind::kFixed},
                       {"newest", "", TableCellKind::kFixed}},
                      rows, list_table_options());
}

std::string fields_table(const std::vector<ListedField>& fields) {
  const bool described = std::ranges::any_of(
      fields, [](const ListedField& field) { return !field.description.empty(); });
  std::vector<TableColumn> columns = {{"field", "", TableCellKind::kText},
                                      {"type", "", TableCellKind::kText}};
  if (described) {
    columns.push_back({"description", "", TableCellKind::kText});
  }
  TableRows rows;
  for (const ListedField& field : fields) {
    rows.push_back({{field.name, TableCellKind::kText},
                    {std::string(type_name(field.type)), TableCellKind::kText}});
    if (described) {
      rows.back().push_back({field.description, TableCellKind::kText});
    }
  }
  return format_table(columns, rows, list_table_options());
}

}  // namespace

std::string datasets_text(const std::vector<ListedDataset>& datasets, ListForm form,
                          const DisplayZone& zone) {
  if (form == ListForm::kTable) {
    return datasets_table(datasets, zone);
  }
  std::vector<std::string> items;
  items.reserve(datasets.size());
  for (const ListedDataset& dataset : datasets) {
    items.push_back(dataset_json(dataset));
  }
  return items_text(items, form);
}

Result<std::vector<ListedField>> field_rows(Store& store, const std::string& dataset) {
  EVQ_TRY_ASSIGN(const std::vector<FieldInfo> fields, store.fields(dataset));
  std::vector<ListedField> rows;
  rows.reserve(fields.size());
  for (const FieldInfo& field : fields) {
    rows.push_back({field.name, field.type, field.attributes.description, write_field(field)});
  }
  return rows;
}

std::string fields_text(const std::vector<ListedField>& fields, ListForm form) {
  if (form == ListForm::kTable) {
    return fields_table(fields);
  }
  std::vector<std::string> items;
  items.reserve(fields.size());
  for (const ListedField& field : fields) {
    items.push_back(field.json);
  }
  return items_text(items, form);
}

Result<std::string> saved_queries_table(const std::vector<StoredObject>& objects) {
  TableRows rows;
  for (const StoredObject& object : objects) {
    EVQ_TRY_ASSIGN(const QueryRequest request, starred_request(object));
    rows.push_back({{object.id, TableCellKind::kText},
                    {object.name, TableCellKind::kText},
                    {object.who, TableCellKind::kText},
                    {request.apl, TableCellKind::kText}});
  }
  return format_table({{"id", "", TableCellKind::kText},
                       {"name", "", TableCellKind::kText},
                       {"who", "", TableCellKind::kText},
                       {"query", "", TableCellKind::kText}},
                      rows, list_table_options());
}

}  // namespace evq

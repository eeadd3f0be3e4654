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

// How much a table of datasets tells.
struct DatasetColumns {
  bool oldest_in_full = true;  // else its day
  bool newest_in_full = true;
  bool size = true;
};
// From all to the least; the first that fits is shown.
constexpr DatasetColumns kDatasetColumns[] = {
    {}, {.oldest_in_full = false}, {.oldest_in_full = false, .size = false}, {false, false, false}};

TableCell dataset_time(std::optional<std::int64_t> time, bool in_full, const DisplayZone& zone) {
  constexpr std::size_t kDayBytes = 10;  // 2024-05-01
  TableCell cell{"", TableCellKind::kFixed};
  if (time.has_value()) {
    zone.append_instant(&cell.text, floor_to(*time, kSecondNs).value_or(*time));
    cell.text.resize(in_full ? cell.text.size() : std::min(cell.text.size(), kDayBytes));
  }
  return cell;
}

TableRows dataset_cells(const std::vector<ListedDataset>& datasets, const DatasetColumns& shown,
                        const DisplayZone& zone) {
  TableRows rows;
  for (const ListedDataset& dataset : datasets) {
    const bool told = dataset.stats.has_value();
    const DatasetStats stats = dataset.stats.value_or(DatasetStats());
    std::vector<TableCell>& row = rows.emplace_back();
    row.push_back({dataset.name, TableCellKind::kFixed});
    row.push_back({told              ? grouped_text(stats.rows)
                   : dataset.damaged ? "damaged"
                                     : std::string(),
                   TableCellKind::kNumber});
    if (shown.size) {
      row.push_back({told ? bytes_text(stats.file_bytes) : std::string(), TableCellKind::kNumber});
    }
    row.push_back(dataset_time(stats.min_time, shown.oldest_in_full, zone));
    row.push_back(dataset_time(stats.max_time, shown.newest_in_full, zone));
  }
  return rows;
}

std::vector<TableColumn> dataset_columns(const DatasetColumns& shown) {
  std::vector<TableColumn> columns = {{"dataset", "", TableCellKind::kFixed},
                                      {"events", "", TableCellKind::kNumber}};
  if (shown.size) {
    columns.push_back({"size", "", TableCellKind::kNumber});
  }
  columns.push_back({"oldest", "", TableCellKind::kFixed});
  columns.push_back({"newest", "", TableCellKind::kFixed});
  return columns;
}

std::string datasets_table(const std::vector<ListedDataset>& datasets, const DisplayZone& zone) {
  const TableOptions options = list_table_options();
  for (const DatasetColumns& shown : kDatasetColumns) {
    const TableRows rows = dataset_cells(datasets, shown, zone);
    if (fits_in_box(dataset_columns(shown), rows, options)) {
      return format_table(dataset_columns(shown), rows, options);
    }
  }
  // One field a line has room for all.
  return format_table(dataset_columns({}), dataset_cells(datasets, {}, zone), options);
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

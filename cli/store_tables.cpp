#include "cli/store_tables.h"

#include <algorithm>

#include <unistd.h>

#include "apl/service/starred.h"
#include "cli/table_output.h"
#include "cli/terminal/number_text.h"
#include "cli/terminal/table_format.h"
#include "store/base/time.h"

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

std::string instant_text(std::optional<std::int64_t> time) {
  std::string text;
  if (time.has_value()) {
    append_instant(text, *time);
  }
  return text;
}

Result<std::vector<DatasetRow>> dataset_rows(Store& store, const std::vector<std::string>& names) {
  std::vector<DatasetRow> rows;
  for (const std::string& name : names) {
    EVQ_TRY_ASSIGN(const DatasetStats stats, store.stats(name));
    rows.push_back({name, stats.rows, stats.file_bytes, stats.min_time, stats.max_time});
  }
  return rows;
}

std::string datasets_table(const std::vector<DatasetRow>& datasets, const DisplayZone& zone) {
  const auto time_cell = [&](std::optional<std::int64_t> time) {
    TableCell cell{"", TableCellKind::kFixed};
    if (time.has_value()) {
      zone.append_instant(&cell.text, floor_to(*time, kSecondNs).value_or(*time));
    }
    return cell;
  };
  TableRows rows;
  for (const DatasetRow& dataset : datasets) {
    rows.push_back({{dataset.name, TableCellKind::kFixed},
                    {dataset.events.has_value() ? grouped_text(*dataset.events) : std::string(),
                     TableCellKind::kNumber},
                    {dataset.bytes.has_value() ? bytes_text(*dataset.bytes) : std::string(),
                     TableCellKind::kNumber},
                    time_cell(dataset.oldest),
                    time_cell(dataset.newest)});
  }
  return format_table({{"dataset", "", TableCellKind::kFixed},
                       {"events", "", TableCellKind::kNumber},
                       {"size", "", TableCellKind::kNumber},
                       {"oldest", "", TableCellKind::kFixed},
                       {"newest", "", TableCellKind::kFixed}},
                      rows, list_table_options());
}

Result<std::string> fields_table(Store& store, const std::string& dataset) {
  EVQ_TRY_ASSIGN(const std::vector<FieldInfo> fields, store.fields(dataset));
  const bool described = std::ranges::any_of(
      fields, [](const FieldInfo& field) { return !field.attributes.description.empty(); });
  std::vector<TableColumn> columns = {{"field", "", TableCellKind::kText},
                                      {"type", "", TableCellKind::kText}};
  if (described) {
    columns.push_back({"description", "", TableCellKind::kText});
  }
  TableRows rows;
  for (const FieldInfo& field : fields) {
    rows.push_back({{field.name, TableCellKind::kText},
                    {std::string(type_name(field.type)), TableCellKind::kText}});
    if (described) {
      rows.back().push_back({field.attributes.description, TableCellKind::kText});
    }
  }
  return format_table(columns, rows, list_table_options());
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

#pragma once
// Lists of what a store or a server holds: tables for people, as wide as standard output, and JSON
// for programs, the same for both. They read the store when asked and keep nothing; one thread at a
// time.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apl/service/display_zone.h"
#include "cli/list_output.h"
#include "cli/terminal/table_format.h"
#include "store/store.h"

namespace evq {

// Options of such tables: as wide as standard output, one field a line where that is too narrow.
TableOptions list_table_options();
struct ListedDataset {
  std::string name;
  std::optional<DatasetStats> stats;  // not told by every server, nor by what is damaged
  std::string json;                   // what is told then, compact
  bool damaged = false;
};
// Reads a dataset's row. kNotFound; kCorrupt or kIo when it cannot be read.
Result<ListedDataset> dataset_row(Store& store, const std::string& name);
// Reads the rows of a list, in which a dataset that cannot be read is shown as damaged, and one
// that is there no more is left out.
Result<std::vector<ListedDataset>> dataset_rows(Store& store,
                                                const std::vector<std::string>& names);
// Adds a row that was asked for elsewhere to the list by the same rule, or fails with its error.
Status add_listed(const std::string& name, Result<ListedDataset> row,
                  std::vector<ListedDataset>* rows);
// Writes one row or object a dataset; times of tables to the second, in the zone. Where standard
// output is too narrow for that, a table tells days, and no sizes.
std::string datasets_text(const std::vector<ListedDataset>& datasets, ListForm form,
                          const DisplayZone& zone);
struct ListedField {
  std::string name;
  Type type = Type::kDynamic;  // as queries see it
  std::string description;
  std::string json;  // the API's object, compact
};
// Reads the rows of a dataset's fields; kNotFound.
Result<std::vector<ListedField>> field_rows(Store& store, const std::string& dataset);
// Writes one row or object a field; in tables the description where there are any.
std::string fields_text(const std::vector<ListedField>& fields, ListForm form);
// Writes one row a saved query: id, name, who, the query itself.
Result<std::string> saved_queries_table(const std::vector<StoredObject>& objects);

}  // namespace evq

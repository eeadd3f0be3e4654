#pragma once
// Tables for people about what a store holds, as wide as standard output. They read the store when
// asked and keep nothing; one thread at a time.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apl/service/display_zone.h"
#include "cli/terminal/table_format.h"
#include "store/store.h"

namespace evq {

// Of lists such as these: as wide as standard output, one field a line where that is too narrow.
TableOptions list_table_options();
// RFC 3339; empty without a time.
std::string instant_text(std::optional<std::int64_t> time);
struct DatasetRow {
  std::string name;
  std::optional<std::uint64_t> events;  // these are not told by every server
  std::optional<std::uint64_t> bytes;
  std::optional<std::int64_t> oldest;
  std::optional<std::int64_t> newest;
};
// kNotFound.
Result<std::vector<DatasetRow>> dataset_rows(Store& store, const std::vector<std::string>& names);
// One row a dataset; times to the second, in the zone.
std::string datasets_table(const std::vector<DatasetRow>& datasets, const DisplayZone& zone);
// One row a field: name, type, description where there are any.
Result<std::string> fields_table(Store& store, const std::string& dataset);
// One row a saved query: id, name, who, the query itself.
Result<std::string> saved_queries_table(const std::vector<StoredObject>& objects);

}  // namespace evq

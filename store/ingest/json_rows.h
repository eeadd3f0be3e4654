#pragma once
// Rows: JSON arrays of values, a line each, under a first line that names their fields, as some
// tools write tables (ClickHouse calls it JSONCompactEachRowWithNames). A null is an absent field.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace evq {

// The names in the first line; nothing unless it is an array of different texts, none empty.
std::optional<std::vector<std::string>> read_row_names(std::string_view line);

// A row as a JSON object, its values as they stand there, right or wrong; nothing when it is no
// array or has more values than there are names.
std::optional<std::string> row_as_object(std::string_view row, std::span<const std::string> names);

}  // namespace evq

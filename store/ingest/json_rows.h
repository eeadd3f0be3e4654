#pragma once
// Rows: JSON arrays of values, a line each, under a first line that names their fields, as some
// tools write tables (ClickHouse calls it JSONCompactEachRowWithNames). A null is an absent field.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace evq {

// Reads the names in the first line; nothing unless it is an array of distinct non-empty texts.
std::optional<std::vector<std::string>> read_row_names(std::string_view line);

// Converts a row to a JSON object, whose values are copied as they are, valid or not; nothing when
// it is no array or has more values than there are names.
std::optional<std::string> row_as_object(std::string_view row, std::span<const std::string> names);

}  // namespace evq

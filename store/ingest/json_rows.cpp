#include "store/ingest/json_rows.h"

#include <set>
#include <utility>

#include "store/column/dynamic.h"
#include "store/column/dynamic_json.h"

namespace evq {

std::optional<std::vector<std::string>> read_row_names(std::string_view line) {
  const std::optional<std::string> bytes = dynamic_from_json(line);
  if (!bytes.has_value() || !DynamicView(*bytes).is_array()) {
    return std::nullopt;
  }
  std::vector<std::string> names;
  std::set<std::string_view> seen;
  DynamicView::Iterator each{DynamicView(*bytes)};
  while (each.next()) {
    const DynamicView name = each.value();
    if (!name.is_string() || name.as_string().empty() || !seen.insert(name.as_string()).second) {
      return std::nullopt;
    }
    names.emplace_back(name.as_string());
  }
  return names.empty() ? std::nullopt : std::optional(std::move(names));
}

std::optional<std::string> row_as_object(std::string_view row, std::span<const std::string> names) {
  const std::optional<std::string> bytes = dynamic_from_json(row);
  if (!bytes.has_value() || !DynamicView(*bytes).is_array()) {
    return std::nullopt;
  }
  DynamicBuilder object;
  object.begin_bag();
  DynamicView::Iterator each{DynamicView(*bytes)};
  for (std::size_t i = 0; each.next(); ++i) {
    if (i == names.size()) {
      return std::nullopt;
    }
    object.key(names[i]);
    object.add_encoded(each.value());
  }
  object.end_bag();
  return json_from_dynamic(DynamicView(object.bytes()));
}

}  // namespace evq

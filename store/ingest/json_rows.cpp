#include "store/ingest/json_rows.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "store/base/json_writer.h"
#include "store/column/dynamic.h"
#include "store/column/dynamic_json.h"
#include "store/ingest/boundary.h"
#include "store/ingest/json_text.h"

namespace evq {

namespace {

// Whether the values are those of one array, and nothing stands around it.
bool is_one_array(std::string_view text, std::span<const ValueSpan> values) {
  std::string others;  // besides the values and blanks
  std::size_t at = 0;
  const auto pass_until = [&](std::size_t end) {
    std::ranges::remove_copy_if(text.substr(at, end - at), std::back_inserter(others),
                                is_json_blank);
  };
  for (const ValueSpan& value : values) {
    pass_until(value.begin);
    at = value.begin + value.size;
  }
  pass_until(text.size());
  return others == '[' + std::string(std::max<std::size_t>(values.size(), 1) - 1, ',') + ']';
}

}  // namespace

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
  const auto scanner = make_value_scanner();
  const Status scanned = scanner->scan_to_end(row, names.size() + 1);
  const std::vector<ValueSpan>& values = scanner->spans();
  if (!scanned.ok() || values.size() > names.size() || !is_one_array(row, values)) {
    return std::nullopt;
  }
  std::string object;
  JsonWriter json(object);
  json.begin_object();
  for (std::size_t i = 0; i < values.size(); ++i) {
    json.key(names[i]);
    json.raw(row.substr(values[i].begin, values[i].size));
  }
  json.end_object();
  return object;
}

}  // namespace evq

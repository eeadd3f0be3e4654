#pragma once
// Names of the hidden columns that hold virtual fields where rows of several tables come together:
// over those rows the text of a virtual field would mean something else. Pure; any thread.

#include <string>
#include <string_view>

#include "apl/plan/hidden_columns.h"

namespace evq::plan {

inline constexpr std::string_view kVirtualColumn =
    "\xFF"
    "virtual ";

inline std::string virtual_column(std::string_view field) {
  return std::string(kVirtualColumn).append(field);
}
inline bool is_virtual_column(std::string_view column) {
  return column.starts_with(kVirtualColumn);
}
// Returns the field of a virtual column.
inline std::string_view virtual_field_of(std::string_view column) {
  return column.substr(kVirtualColumn.size());
}

}  // namespace evq::plan

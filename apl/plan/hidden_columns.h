#pragma once
// Names of the binder's own columns, which stand among those of fields in a plan's schemas and are
// never part of a result. Names of fields and of queries are UTF-8, where the first byte of these
// does not occur, so that neither can name one. Pure; any thread.

#include <string>
#include <string_view>

namespace evq::plan {

// The printer shows it as '$'.
inline constexpr char kHiddenMark = '\xFF';
// The event's _time, a datetime.
inline constexpr std::string_view kTimeColumn =
    "\xFF"
    "time";
// A unique row id in arrival order, a long.
inline constexpr std::string_view kRowColumn =
    "\xFF"
    "row";

inline bool is_hidden(std::string_view column) {
  return column.starts_with(kHiddenMark);
}
inline std::string hidden_name(std::string_view name) {
  return std::string(1, kHiddenMark).append(name);
}

}  // namespace evq::plan

#pragma once
// Names of the window functions, which are not scalar functions of a row: the binder plans them
// as a Window node where the stream is serialized, and refuses them elsewhere; and what their calls
// ask of other rows.

#include <cstdint>
#include <optional>
#include <string_view>

#include "apl/plan/plan.h"

namespace evq::plan {

std::optional<WindowKind> find_window_function(std::string_view name);
inline bool is_window_function(std::string_view name) {
  return find_window_function(name).has_value();
}

// Returns how many of the rows after it the value of a row may depend on.
std::uint64_t rows_ahead(const WindowCall& call);

}  // namespace evq::plan

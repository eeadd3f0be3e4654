#pragma once
// Names of the window functions, which are not scalar functions of a row: the binder plans them
// as a Window node where the stream is serialized, and refuses them elsewhere.

#include <string_view>

#include "apl/plan/plan.h"

namespace evq::plan {

std::optional<WindowKind> find_window_function(std::string_view name);
inline bool is_window_function(std::string_view name) {
  return find_window_function(name).has_value();
}

}  // namespace evq::plan

#pragma once
// The plugins that `evaluate` can call, by name; what they do is in lower_evaluate.cpp. Immutable;
// any thread.

#include <span>
#include <string_view>

namespace evq::plan {

// Returns all names in their order.
std::span<const std::string_view> plugin_names();

}  // namespace evq::plan

#pragma once
// Conversions that other functions make as well. Pure; any thread; what cannot be converted is
// nothing.

#include <optional>

#include "store/column/dynamic.h"

namespace evq {

// Returns the truth of a dynamic value as tobool() gives it; nullopt where that is null.
std::optional<bool> truth_of(DynamicView value);

}  // namespace evq

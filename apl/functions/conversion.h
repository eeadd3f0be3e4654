#pragma once
// Conversions that other functions make as well. Pure; any thread; what cannot be converted is
// nothing.

#include <optional>

#include "store/column/dynamic.h"

namespace evq {

// What a dynamic says as a condition, as tobool() has it; nothing where that is null.
std::optional<bool> truth_of(DynamicView value);

}  // namespace evq

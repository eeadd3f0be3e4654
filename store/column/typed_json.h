#pragma once
// JSON text that reads back as the values that it was made of: whole reals keep a point, 3.0, which
// tells them from longs. For events that are written anew on their way into the store; answers are
// written by dynamic_json.h. Pure; any thread.

#include <string>

#include "store/column/dynamic.h"

namespace evq {

// 3.0, 0.5, 1e+21; NaN and infinities are null, which JSON does not have.
void append_typed_real(double value, std::string* out);
// Appends a value as append_json() does, with reals as above.
void append_typed_json(DynamicView value, std::string* out);

}  // namespace evq

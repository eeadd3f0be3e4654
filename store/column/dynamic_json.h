#pragma once
// JSON text to and from dynamic values. Parsing is strict JSON with big integers widened to
// doubles; duplicate keys: the last wins; nesting deeper than kDynamicDepthMax fails.

#include <optional>
#include <string>
#include <string_view>

#include "store/column/dynamic.h"

namespace evq {

// The dynamic bytes of a JSON text; nothing when it is not JSON.
std::optional<std::string> dynamic_from_json(std::string_view text);

// Compact JSON text. Datetimes as RFC 3339 strings, timespans as Go durations, NaN and infinities
// as null. `sort_keys` orders bag keys by code point at every level (canonical form).
void append_json(DynamicView value, std::string* out, bool sort_keys = false);
std::string json_from_dynamic(DynamicView value, bool sort_keys = false);

// Appends `text` as a quoted, escaped JSON string.
void append_json_string(std::string_view text, std::string* out);

}  // namespace evq

#pragma once
// The values inside literals: escapes of strings, and the raw text of typed literals such as
// datetime(2024-05-01) or timespan('1.02:03:04'). All functions are pure and take any bytes.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/column/value.h"

namespace evq::syntax {

// The content of '…' or "…". An unknown escape keeps both characters.
std::string decode_string(std::string_view content);
// The content of @'…': a doubled quote stands for one.
std::string decode_raw_string(std::string_view content, char quote);

// Hexadecimal digits within int64.
std::optional<std::int64_t> parse_hex(std::string_view digits);

// type(raw) for a scalar type's name; typed nulls for `null`; nothing when it is no such literal.
std::optional<Value> parse_typed_literal(std::string_view type, std::string_view raw,
                                         std::int64_t now_ns);

// Whether a text that is no datetime or timespan literal would be one nearer to the present, or
// shorter.
bool is_beyond_range(std::string_view type, std::string_view raw);

// A literal as APL text that parses to the same value.
std::string literal_text(const Value& value);

}  // namespace evq::syntax

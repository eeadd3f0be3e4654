#pragma once
// The values inside literals: escapes of strings, and the raw text of typed literals such as
// datetime(2024-05-01) or timespan('1.02:03:04'). All functions are pure and take any bytes.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "apl/syntax/token.h"
#include "store/base/error.h"
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

// Zero-width spaces and joiners, marks of direction and of byte order: a query copied from a web
// page or a chat brings them along, and nobody sees what would be wrong.
bool shows_nothing(char32_t point);

// What is wrong with a text that is no literal of the type: a blank that is none of ASCII's, or a
// datetime or timespan beyond what there is. Empty for other texts.
std::string literal_hint(std::string_view type, std::string_view raw);

// Of the source text of a string: that a backslash kept it open where it looks closed. Empty when
// none did.
std::string escaped_quote_hint(std::string_view literal);
// The error, at which reading `text` ended behind `tokens`; it says so if that has led to it.
Error explain_quote(Error error, std::string_view text, std::span<const Token> tokens);

// A literal as APL text that parses to the same value.
std::string literal_text(const Value& value);

}  // namespace evq::syntax

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

// Decodes the content of '…' or "…". An unknown escape keeps both characters.
std::string decode_string(std::string_view content);
// Decodes the content of @'…': a doubled quote stands for one.
std::string decode_raw_string(std::string_view content, char quote);

// Reads hexadecimal digits; nullopt beyond int64.
std::optional<std::int64_t> parse_hex(std::string_view digits);

// Reads type(raw) for a scalar type's name; typed nulls for `null`; nullopt: no such literal.
std::optional<Value> parse_typed_literal(std::string_view type, std::string_view raw,
                                         std::int64_t now_ns);

// Whether a code point is invisible: zero-width spaces and joiners, marks of direction and of byte
// order. A query copied from a web page or a chat brings them along, and nobody sees what is wrong.
bool shows_nothing(char32_t point);

// Explains why a text is no literal of the type: a blank that is none of ASCII's, a date with the
// day first, or a datetime or timespan beyond what there is. Empty for other texts.
std::string literal_hint(std::string_view type, std::string_view raw);

// Returns the hint for the source text of a string which a backslash kept open where it looks
// closed; empty when none did.
std::string escaped_quote_hint(std::string_view literal);
// Adds that hint, where it applies, to the error at which reading `text` ended behind `tokens`.
Error explain_quote(Error error, std::string_view text, std::span<const Token> tokens);

// Writes a literal as APL text that parses to the same value.
std::string literal_text(const Value& value);

}  // namespace evq::syntax

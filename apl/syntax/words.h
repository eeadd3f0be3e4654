#pragma once
// Words with a meaning of their own in the grammar. APL's words are contextual, so most of them may
// name a field; this list is what printing quotes and colouring marks, and the few words that can
// never begin an expression.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace evq::syntax {

// A word of the grammar: by, on, with, asc, true, let, …
bool is_keyword(std::string_view word);
// An operator between expressions (and, or, in, has, between, !contains, …): never a bare field.
bool is_infix_word(std::string_view word);
// true, True, TRUE, or false in the same ways.
bool spells_bool(std::string_view word);
// [A-Za-z_][A-Za-z0-9_]* or $[A-Za-z][A-Za-z0-9_]*, and not a keyword or infix word: needs no
// quotes.
bool is_plain_name(std::string_view name);

// The words that is_infix_word() knows without a "!".
std::span<const std::string_view> infix_words();

// The pictures that `render` can ask for.
std::span<const std::string_view> chart_kinds();

// What `render … with (…)` can say of a picture.
struct ChartProperty {
  enum class Value : std::uint8_t { kText, kNumber, kColumns, kWord };

  std::string_view name;
  Value value = Value::kText;
  std::span<const std::string_view> words{};  // that a kWord may be
};
std::span<const std::string_view> chart_property_names();
// Null when there is none of that name.
const ChartProperty* find_chart_property(std::string_view name);

// 'text' with the escapes a string literal needs.
std::string quote_text(std::string_view text);
// The name of a dataset or field as ['name'], which no word of the language can be taken for.
std::string bracket_name(std::string_view name);
// The name, quoted as ['name'] unless it is plain.
std::string quote_name(std::string_view name);

}  // namespace evq::syntax

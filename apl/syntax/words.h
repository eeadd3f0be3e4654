#pragma once
// Words with a meaning of their own in the grammar. APL's words are contextual, so most of them may
// name a field; this list is what printing quotes and colouring marks, and the few words that can
// never begin an expression.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace evq::syntax {

// Whether it is a word of the grammar: by, on, with, asc, true, let, …
bool is_keyword(std::string_view word);
// Whether it is an operator between expressions (and, or, in, !contains, …): never a bare field.
bool is_infix_word(std::string_view word);
// Whether it is true, True, TRUE, or false in the same ways.
bool spells_bool(std::string_view word);
// Whether it needs no quotes: [A-Za-z_][A-Za-z0-9_]* or $[A-Za-z][A-Za-z0-9_]*, and not a keyword
// or infix word.
bool is_plain_name(std::string_view name);

// Lists the words that is_infix_word() knows without a "!".
std::span<const std::string_view> infix_words();

// Lists the pictures that `render` can ask for.
std::span<const std::string_view> chart_kinds();

// A property of a picture that `render … with (…)` can name.
struct ChartProperty {
  enum class Value : std::uint8_t { kText, kNumber, kColumns, kWord };

  std::string_view name;
  Value value = Value::kText;
  std::span<const std::string_view> words{};  // the choices of a kWord
};
std::span<const std::string_view> chart_property_names();
// Finds a property by name; null when there is none.
const ChartProperty* find_chart_property(std::string_view name);

// Writes 'text' with the escapes a string literal needs.
std::string quote_text(std::string_view text);
// Writes a dataset's or field's name as ['name'], which cannot be taken for a word of the language.
std::string bracket_name(std::string_view name);
// Writes the name, quoted as ['name'] unless it is plain.
std::string quote_name(std::string_view name);

}  // namespace evq::syntax

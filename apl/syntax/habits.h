#pragma once
// Habits from other query languages (SQL, Splunk's SPL, C): words and symbols that are not APL but
// say clearly what was meant. Each gives a diagnostic that names the APL way.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apl/syntax/token_cursor.h"

namespace evq::syntax {

// For the name of an operator that only other languages have.
std::optional<Error> name_habit(std::string_view name, Span span);
// What to write where `word`, which begins a query or a statement, stands behind a pipe; empty for
// other words.
std::string source_word_hint(std::string_view word);
// For a word where a tabular operator should stand.
std::optional<Error> operator_habit(const TokenCursor& cursor);
// For a word where a query should begin.
std::optional<Error> source_habit(const TokenCursor& cursor);
// For a call that a dot follows where a table should stand: database('x').T, app('x').requests.
std::optional<Error> address_habit(const TokenCursor& cursor);
// For the token at the cursor, after something complete or where an expression should begin.
std::optional<Error> expression_habit(const TokenCursor& cursor);

// Whether the statement that the cursor is in began with `let`.
bool in_let_statement(const TokenCursor& cursor);

// What to write where `name`, which the cursor is behind, follows a pipe and is no operator.
std::string operator_name_hint(const TokenCursor& cursor, const std::string& name);
// What to write instead of the token at the cursor, which is not what was `expected`; may be empty.
std::string unexpected_hint(const TokenCursor& cursor, std::string_view expected);

// For a name that is no function here but one in another language: what to write. Empty if unknown.
std::string_view foreign_function_hint(std::string_view name);
// The names that it knows, in lower case.
std::vector<std::string_view> foreign_functions();

}  // namespace evq::syntax

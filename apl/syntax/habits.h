#pragma once
// Habits from other query languages (SQL, Splunk's SPL, C): words and symbols that are not APL but
// say clearly what was meant. Each gives a diagnostic that names the APL way.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apl/syntax/token_cursor.h"

namespace evq::syntax {

// Explains the name of an operator that only other languages have.
std::optional<Error> name_habit(std::string_view name, Span span);
// Returns the hint for a `word` that begins a query or a statement and stands behind a pipe; empty
// for other words.
std::string source_word_hint(std::string_view word);
// Explains a word where a tabular operator should stand.
std::optional<Error> operator_habit(const TokenCursor& cursor);
// Explains a word where a query should begin.
std::optional<Error> source_habit(const TokenCursor& cursor);
// Explains a call before a dot where a table should stand: database('x').T, app('x').requests.
std::optional<Error> address_habit(const TokenCursor& cursor);
// Explains the token at the cursor, after something complete or where an expression should begin.
std::optional<Error> expression_habit(const TokenCursor& cursor);

// Whether the statement that the cursor is in began with `let`.
bool in_let_statement(const TokenCursor& cursor);

// Returns the hint for `name`, before the cursor, which follows a pipe and is no operator.
std::string operator_name_hint(const TokenCursor& cursor, const std::string& name);
// Returns the hint for the token at the cursor, which is not what was `expected`; may be empty.
std::string unexpected_hint(const TokenCursor& cursor, std::string_view expected);

// Returns the hint for the name of a function that only another language has; empty if unknown.
std::string_view foreign_function_hint(std::string_view name);
// Returns the names that foreign_function_hint() knows, in lower case.
std::vector<std::string_view> foreign_functions();

}  // namespace evq::syntax

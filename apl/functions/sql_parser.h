#pragma once
// The model of a SQL SELECT statement, as bytes of a dynamic bag: statement, columns, from, where,
// group, having, order, limit. Expressions are bags: {colname}, {value, valtype}, or
// {operator, params}, or {function, params}; each may carry an alias. Pure.

#include <optional>
#include <string>
#include <string_view>

namespace evq {

// Parses a statement; nullopt when it is no SELECT, or nests deeper than kSqlDepthMax.
std::optional<std::string> sql_model_from_text(std::string_view text);
// Whether a name may stand without quotes: it is a word, and not one of the language's.
bool is_plain_sql_name(std::string_view name);

}  // namespace evq

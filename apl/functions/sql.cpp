// parse_sql() and format_sql(): a SELECT statement as a bag and back. A recursive-descent parser
// for simple statements (columns with aliases and calls, tables with aliases and joins, conditions,
// group by, having, order by, limit), bounded in depth; anything else gives null.

#include <array>
#include <optional>

#include "apl/functions/dynamic_elements.h"
#include "apl/functions/lift.h"
#include "apl/functions/registry.h"
#include "apl/functions/sql_format.h"
#include "apl/functions/sql_parser.h"

namespace evq {
namespace {

std::optional<DynamicBytes> parse_sql(std::string_view text) {
  std::optional<std::string> model = sql_model_from_text(text);
  if (!model.has_value() || !within_dynamic_limits(DynamicView(*model))) {
    return std::nullopt;
  }
  return DynamicBytes{*std::move(model)};
}

std::optional<std::string> format_sql(DynamicView model) {
  return sql_text_from_model(model);
}

constexpr std::array<ScalarFunction, 2> kSqlFunctions = {{
    {.name = "format_sql",
     .category = "sql",
     .summary = "The text of a SQL statement that parse_sql() took apart.",
     .params = {{{"model", "The bag that parse_sql() gave."}}},
     .returns = "A string in lower case but for names and values; null when the bag is no model.",
     .examples = {{{"print format_sql(parse_sql('SELECT a, b FROM t WHERE a > 1 ORDER BY b DESC'))",
                    "select a, b from t where a > 1 order by b desc"}}},
     .overloads = {lift<format_sql>()}},
    {.name = "parse_sql",
     .category = "sql",
     .summary = "Takes a simple SQL SELECT statement apart.",
     .params = {{{"text", "The statement."}}},
     .returns = "A bag of statement, columns, from, where, group, having, order and limit, as far "
                "as the statement has them; null when it is not understood.",
     .examples = {{{"print parse_sql('SELECT a FROM t')",
                    "{\"statement\":\"select\",\"columns\":[{\"colname\":\"a\"}],\"from\":"
                    "[{\"table\":\"t\"}]}"}}},
     .overloads = {lift<parse_sql>()},
     .cost = CallCost::kPattern},
}};

}  // namespace

std::span<const ScalarFunction> sql_functions() {
  return kSqlFunctions;
}

}  // namespace evq

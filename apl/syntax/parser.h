#pragma once
// The parser of APL: text to ast::Query, or the first thing that is wrong with it. Names mean
// nothing yet; the planner resolves them. Takes any bytes; never recurses deeper than
// kQueryDepthMax levels of the text. Pure; any thread.

#include <cstdint>
#include <string_view>

#include "apl/syntax/ast.h"
#include "store/base/result.h"

namespace evq::syntax {

// Parses a query. `now_ns` gives the day of a datetime literal that is a time of day only.
Result<ast::Query> parse(std::string_view text, std::int64_t now_ns);
// Parses one expression and nothing else, such as the text of a virtual field.
Result<ast::ExprPtr> parse_expression(std::string_view text, std::int64_t now_ns);

}  // namespace evq::syntax

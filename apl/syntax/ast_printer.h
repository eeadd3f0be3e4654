#pragma once
// Trees back to text. kCanonical is readable APL, one operator to a line, that parses to the same
// tree; kExplicit also puts parentheses around every compound expression, so that two trees are
// equal exactly when their explicit texts are. Pure.

#include <cstdint>
#include <string>

#include "apl/syntax/ast.h"

namespace evq::syntax {

enum class PrintStyle : std::uint8_t { kCanonical, kExplicit };

std::string print(const ast::Query& query, PrintStyle style = PrintStyle::kCanonical);
std::string print(const ast::Pipeline& pipeline, PrintStyle style = PrintStyle::kCanonical);
std::string print(const ast::Expr& expr, PrintStyle style = PrintStyle::kCanonical);

}  // namespace evq::syntax

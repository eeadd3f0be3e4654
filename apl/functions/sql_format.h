#pragma once
// The text of a SQL statement from its model (sql_parser.h): keywords in lower case, one blank
// between words, parentheses only where precedence needs them. Pure.

#include <optional>
#include <string>

#include "store/column/dynamic.h"

namespace evq {

// Nothing when the bag is no model.
std::optional<std::string> sql_text_from_model(DynamicView model);

}  // namespace evq

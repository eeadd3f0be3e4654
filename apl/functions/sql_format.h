#pragma once
// The text of a SQL statement from its model (sql_parser.h): keywords in lower case, one blank
// between words, parentheses only where precedence needs them. Pure.

#include <optional>
#include <string>

#include "store/column/dynamic.h"

namespace evq {

// Writes the text of a model; nullopt when the bag is none.
std::optional<std::string> sql_text_from_model(DynamicView model);

}  // namespace evq

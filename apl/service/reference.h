#pragma once
// The language's reference, rendered from the tables of operators, functions and aggregates: what
// `evq help` and the manual page evq-apl(7) say.

#include <string>
#include <string_view>
#include <vector>

#include "store/base/result.h"

namespace evq {

// The names of all operators, aggregates and functions.
std::vector<std::string> reference_names();
// Lists the names by category.
std::string reference_overview();
namespace syntax {
struct OperatorInfo;
}  // namespace syntax
// Describes what the operator does, with the words that its syntax only hints at.
std::string operator_description(const syntax::OperatorInfo& row);
// Writes one entry: syntax, description, parameters, examples. kNotFound with near names.
Result<std::string> reference_topic(std::string_view name);
// The manual page evq-apl(7), as roff.
std::string render_language_manual();

}  // namespace evq

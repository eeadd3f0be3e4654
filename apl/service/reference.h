#pragma once
// The language's reference, rendered from the tables of operators, functions and aggregates: what
// `evq help` and the manual page evq-apl(7) say.

#include <string>
#include <string_view>

#include "store/base/result.h"

namespace evq {

// Names by category.
std::string reference_overview();
// One entry: syntax, description, parameters, examples. kNotFound with near names.
Result<std::string> reference_topic(std::string_view name);

}  // namespace evq

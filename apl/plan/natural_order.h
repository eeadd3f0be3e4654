#pragma once
// Sorting column names for project-reorder: by code point, or with runs of digits compared as
// numbers ("granny" order: a20 before a100).

#include <string_view>
#include <vector>

#include "apl/plan/binder.h"

namespace evq::plan {

// Returns negative, zero or positive; compares digit runs by value, everything else by byte.
int compare_granny(std::string_view a, std::string_view b);
// Sorts by name as the direction says; kNone keeps the order.
void sort_names(ast::ReorderDirection direction, std::vector<NamedColumn>* columns);

}  // namespace evq::plan

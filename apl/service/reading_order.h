#pragma once
// Which way the pages of a query go through the events: told by the query as written, since what a
// cursor leaves out is bound with it. Pure; any thread.

#include "apl/syntax/ast.h"

namespace evq {

// Whether pages go towards older events: the direction of the last sort of the query's rows, where
// that is by `_time`, and `otherwise` where there is none.
bool reads_descending(const ast::Query& query, bool otherwise);

}  // namespace evq

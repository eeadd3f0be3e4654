#pragma once
// Totals: what `summarize … by bin(_time, w), …` gives when the time bin is left out. Charts show
// them beside the series, and clients tell a time series by their presence.

#include <cstddef>
#include <optional>

#include "apl/plan/plan.h"
#include "apl/syntax/ast.h"

namespace evq {

// Turns a query that ends in a summarize by a bin of `_time`, sorted or rendered at most, into the
// one of its totals; returns which group the bin was. Nothing when it does not end so, and then the
// query is as it was.
std::optional<std::size_t> make_totals_query(ast::Query* query);

// Puts the rows of a bound totals query in order, unless it says one: the first aggregate
// descending.
void sort_totals(plan::Plan* plan);

}  // namespace evq

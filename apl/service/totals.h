#pragma once
// Totals: what `summarize … by bin(_time, w), …` gives when the time bin is left out. Charts show
// them beside the series, and clients tell a time series by their presence.

#include <cstddef>
#include <optional>

#include "apl/plan/plan.h"
#include "apl/syntax/ast.h"

namespace evq {

struct Totals {
  plan::NodePtr root;
  std::size_t bin = 0;  // the column of the series that the totals are without
};

// Made of the query's plan, which is not optimised yet, so that nothing is bound or worked out
// again. Sorted as the query says by columns other than the bin, and otherwise by the first
// aggregate, descending. Nothing when the query does not end in a summarize by a bin of `_time`,
// sorted or rendered at most.
std::optional<Totals> make_totals(const ast::Query& query, const plan::Plan& plan);

}  // namespace evq

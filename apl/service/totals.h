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

// Makes totals of the query's plan, which is not optimised yet, so that nothing is bound or worked
// out again. Sorted as the query says by columns other than the bin, and otherwise by the first
// aggregate, descending. nullopt when the query does not end in a summarize by a bin of `_time`, or
// when what comes after it makes other groups of the rows or leaves some out by anything but the
// groups themselves: sorts, renderings, limits of groups, columns added or renamed do not.
std::optional<Totals> make_totals(const ast::Query& query, const plan::Plan& plan);

}  // namespace evq

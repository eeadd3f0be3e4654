#pragma once
// A summarize again with a group less: of the plan of `summarize … by bin(_time, w), u` it makes
// that of `summarize … by u`, for totals over all bins and for the groups that a limit keeps.
// Nothing is bound or worked out again. Pure; the plan must not have been optimised.

#include <cstddef>
#include <optional>
#include <vector>

#include "apl/plan/plan.h"

namespace evq::plan {

struct WithoutGroup {
  NodePtr node;
  std::size_t column = 0;   // where the group stands in the rows that have it
  std::vector<bool> keyed;  // one a column of `node`: whether it is made of the other groups alone
  bool sorted = false;      // by a column of `node`
};

// Does without group number `group` of the aggregation below `node`, and with what comes after it:
// projections and sorts, filters on the other groups, limits. nullopt where something else does, or
// where the group is needed or is no column any more.
std::optional<WithoutGroup> without_group(const Node& node, std::size_t group);

}  // namespace evq::plan

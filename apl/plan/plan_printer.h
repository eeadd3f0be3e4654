#pragma once
// Stable text of a plan, for `evq query --explain` and the plan goldens: one line a node, inputs
// indented below it, and a subplan that several places read below each of them, or, when it has
// such subplans itself, below the first.

#include <functional>
#include <string>

#include "apl/plan/plan.h"

namespace evq::plan {

std::string print_expr(const Expr& expr, const Schema& input);
// `before` writes what a node's line begins with.
std::string print_plan(const Node& root,
                       const std::function<std::string(const Node&)>& before = nullptr);

}  // namespace evq::plan

#pragma once
// Stable text of a plan, for `evq query --explain` and the plan goldens: one line a node, inputs
// indented below it.

#include <string>

#include "apl/plan/plan.h"

namespace evq::plan {

std::string print_expr(const Expr& expr, const Schema& input);
std::string print_plan(const Node& root);

}  // namespace evq::plan

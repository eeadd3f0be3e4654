// split(x, '/')[2] and parse_url(x).host make one part instead of all of them: an index or key of a
// call whose function has an `element` becomes a call of that.

#include <utility>

#include "apl/plan/element_call.h"
#include "apl/plan/node_traits.h"
#include "apl/plan/optimizer.h"

namespace evq::plan {
namespace {

ExprPtr take(ExprPtr expr, const EvalContext& context) {
  for (ExprPtr& arg : expr->args) {
    arg = take(std::move(arg), context);
  }
  ExprPtr element = element_call(*expr, context);
  return element == nullptr ? std::move(expr) : std::move(element);
}

}  // namespace

NodePtr take_elements(NodePtr root, const EvalContext& context) {
  return rewrite_bottom_up(std::move(root), [&context](NodePtr node) -> NodePtr {
    for_each_expr(node->op, [&context](ExprPtr& expr) { expr = take(std::move(expr), context); });
    return node;
  });
}

}  // namespace evq::plan
